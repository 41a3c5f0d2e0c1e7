// A viewer without a window, whose frames are drawn by EGL.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "app/io/picture.h"
#include "app/scene/scenes.h"
#include "app/viewer/show.h"
#include "app/viewer/surface.h"
#include "app/viewer/viewer.h"
#include "core/error.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/support.h"

namespace scanlens::test {

inline constexpr int kWidth = 480, kHeight = 300;

class ViewerTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      surface_ = open_headless(kWidth, kHeight, compute_.cuda_ordinal());
    } catch (const Error& error) {
      SCANLENS_SKIP_OR_FAIL(error.what());
    }
    viewer_ = std::make_unique<Viewer>(surface_->gl(), compute_, talk_);
    state().panels = state().inspector = 0;
  }

  /// Leaves a picture of how a test failed in the folder SCANLENS_SHOTS.
  void TearDown() override {
    if (HasFailure() && viewer_ && std::getenv("SCANLENS_SHOTS"))
      save_shot(testing::UnitTest::GetInstance()->current_test_info()->name());
  }

  /// Saves what the viewer shows now as NAME.png into the folder SCANLENS_SHOTS, or into one that goes.
  void save_shot(const std::string& name) {
    const char* const asked = std::getenv("SCANLENS_SHOTS");
    const std::filesystem::path folder = asked ? std::filesystem::path(asked) : folder_ / "shots";
    std::filesystem::create_directories(folder);
    write_picture(folder / (name + ".png"), Picture{frame()});
  }

  Opened& opened() { return viewer_->open(); }
  ViewState& state() { return viewer_->open().state; }

  /// A photo whose left half is near and whose right half is far, with fine texture on both.
  void open_photo_with_depth() {
    const int width = 64, height = 48;
    std::string photo = "P6 64 48 255\n", depth = "P5 64 48 255\n";
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        photo += std::string(3, (x + y) % 2 ? '\xe0' : '\x20');
        depth += x < width / 2 ? '\xff' : '\x10';
      }
    save(folder_ / "photo.ppm", photo);
    save(folder_ / "depth.pgm", depth);
    PhotoOptions options;
    options.depth = folder_ / "depth.pgm";
    options.lens.blur = Amount(10, Unit::percent);
    Album album({folder_ / "photo.ppm"}, options, settings_);
    ViewedPhoto photo_and_depth = album.open();
    opened().open(std::move(album), std::move(photo_and_depth));
    state().panels = state().inspector = 0;
  }

  void open_teapots() {
    opened().open(scene_named("teapot"), {});
    state().panels = state().inspector = 0;
  }

  Image<std::uint8_t> shot() { return screenshot(*surface_, *viewer_); }

  Image<std::uint8_t> frame() {
    surface_->take_input(*viewer_, 0);
    viewer_->advance(1.0 / 60);
    surface_->begin_frame(*viewer_);
    viewer_->draw();
    Image<std::uint8_t> drawn = surface_->picture();
    surface_->end_frame(*viewer_);
    return drawn;
  }
  /// Lets what is told in the window go.
  void wait_for_notices() {
    for (int i = 0; i < 15; ++i) viewer_->advance(1);
    EXPECT_TRUE(viewer_->notices().shown().empty());
  }

  void click(double x, double y) {
    viewer_->input(PointerMoved{x, y});
    viewer_->input(ButtonChanged{MouseButton::left, true});
    viewer_->input(ButtonChanged{MouseButton::left, false});
  }
  void press(Key key, int modifiers = 0) {
    viewer_->input(KeyChanged{key, true, modifiers});
    viewer_->input(KeyChanged{key, false, modifiers});
  }

  void type(char character) { viewer_->input(Typed{static_cast<char32_t>(character)}); }

  bool complained() const {
    for (const Notice& notice : viewer_->notices().shown())
      if (notice.warning) return true;
    return false;
  }

  Context compute_ = Context::open();
  std::unique_ptr<Surface> surface_;
  std::unique_ptr<Viewer> viewer_;
  Settings settings_;
  Talk talk_{settings_, Talk::Kind::collects};
  TemporaryFolder folder_;
};

/// Returns the variance of green in a part of a picture: fine texture in focus has much.
inline double variance(const Image<std::uint8_t>& picture, int x0, int y0, int x1, int y1) {
  double sum = 0, squares = 0;
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) {
      const double value = picture.view()(x, y, 1);
      sum += value;
      squares += value * value;
    }
  const double count = static_cast<double>(x1 - x0) * (y1 - y0), mean = sum / count;
  return squares / count - mean * mean;
}

inline double difference(const Image<std::uint8_t>& a, const Image<std::uint8_t>& b) {
  double sum = 0;
  for (std::int64_t i = 0; i < a.view().extent(); ++i) sum += std::abs(a.view().data[i] - b.view().data[i]);
  return sum / static_cast<double>(a.view().extent());
}

}  // namespace scanlens::test
