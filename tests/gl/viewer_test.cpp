// The viewer without a window: frames of it, by EGL.
#include "app/viewer/viewer.h"

#include <gtest/gtest.h>
#include <imgui.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string>

#include "app/depth/around.h"
#include "app/gl/download.h"
#include "app/scene/scenes.h"
#include "app/viewer/show.h"
#include "app/viewer/surface.h"
#include "core/error.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

constexpr int kWidth = 480, kHeight = 300;

class ViewerTest : public testing::Test {
 protected:
  void SetUp() override {
    try {
      surface_ = open_headless(kWidth, kHeight, compute_.cuda_ordinal());
    } catch (const Error& error) {
      SCANLENS_SKIP_OR_FAIL(error.what());
    }
    session_.collects = true;
    viewer_ = std::make_unique<Viewer>(surface_->gl(), compute_, session_);
    state().panels = state().inspector = 0;
  }

  ViewerModel& model() { return viewer_->model(); }
  ViewState& state() { return viewer_->model().state; }

  /// A photo whose left half is near and whose right half is far, with fine texture on both.
  void open_photo_with_depth() {
    const int width = 64, height = 48;
    std::string photo = "P6 64 48 255\n", depth = "P5 64 48 255\n";
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        photo += std::string(3, (x + y) % 2 ? '\xe0' : '\x20');
        depth += x < width / 2 ? '\xff' : '\x10';
      }
    test::save(folder_ / "photo.ppm", photo);
    test::save(folder_ / "depth.pgm", depth);
    PhotoOptions options;
    options.depth = folder_ / "depth.pgm";
    options.lens.most_blur = MostBlur{10, true};
    Album album({folder_ / "photo.ppm"}, options, session_);
    ViewedPhoto photo_and_depth = album.open();
    model().open(std::move(album), std::move(photo_and_depth));
    state().panels = state().inspector = 0;
  }

  void open_teapots() {
    model().open(scene_named("teapot"), {});
    state().panels = state().inspector = 0;
  }

  Image<std::uint8_t> shot() { return screenshot(*surface_, *viewer_); }

  Image<std::uint8_t> frame() {
    surface_->take_input(*viewer_, false);
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
    EXPECT_TRUE(viewer_->notices().empty());
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
    for (const Notice& notice : viewer_->notices())
      if (notice.warning) return true;
    return false;
  }

  Context compute_ = Context::open();
  std::unique_ptr<Surface> surface_;
  std::unique_ptr<Viewer> viewer_;
  Session session_;
  test::TemporaryFolder folder_;
};

/// The variance of green in a part of a picture: fine texture in focus has much.
double variance(const Image<std::uint8_t>& picture, int x0, int y0, int x1, int y1) {
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

double difference(const Image<std::uint8_t>& a, const Image<std::uint8_t>& b) {
  double sum = 0;
  for (std::int64_t i = 0; i < a.view().extent(); ++i) sum += std::abs(a.view().data[i] - b.view().data[i]);
  return sum / static_cast<double>(a.view().extent());
}

TEST_F(ViewerTest, AClickPutsWhatIsThereIntoFocus) {
  open_photo_with_depth();
  state().zoom = 6;
  shot();
  const int left = kWidth / 4, right = 3 * kWidth / 4, top = kHeight / 2 - 40;
  click(left, kHeight / 2);
  const Image<std::uint8_t> near = shot();
  click(right, kHeight / 2);
  const Image<std::uint8_t> far = shot();
  const auto at = [&](const Image<std::uint8_t>& picture, int x) {
    return variance(picture, x - 40, top, x + 40, top + 80);
  };
  EXPECT_GT(at(near, left), 100 * at(near, right));
  EXPECT_GT(at(far, right), 100 * at(far, left));
  EXPECT_NEAR(state().focus, 0, 0.1);
}

TEST_F(ViewerTest, AClickTakesTheDepthAroundItAsFocusAtDoes) {
  open_teapots();
  shot();
  const ViewedImage& image = *model().shown().image;
  const Image<float> disparity = download_texture<float>(surface_->gl(), image.disparity(), 1);
  for (const auto& [x, y] : {std::pair(0, 0), {kWidth - 1, kHeight - 1}, {kWidth / 2, kHeight / 2}}) {
    model().focus_at({x + 0.5, y + 0.5});
    EXPECT_EQ(state().focus, focus_value(disparity_around(disparity.view(), x, y), true)) << x << ", " << y;
  }
}

TEST_F(ViewerTest, TheFocusIsPulledSmoothly) {
  open_photo_with_depth();
  shot();
  state().focus = state().focus > 0.5 ? 0 : 1;
  frame();
  EXPECT_FALSE(viewer_->at_rest());
  int frames = 0;
  while (!viewer_->at_rest() && ++frames < 600) frame();
  EXPECT_GT(frames, 10);
  EXPECT_LT(frames, 120);
}

TEST_F(ViewerTest, TheSceneIsWhatTheSceneRenders) {
  open_teapots();
  state().view = static_cast<double>(ShownView::input);
  const Image<std::uint8_t> shown = shot();
  const std::unique_ptr<Scene> scene = scene_named("teapot").open(surface_->gl(), {});
  const RenderedScene rendered = scene->render(kWidth, kHeight, scene_named("teapot").camera);
  const Image<std::uint8_t> expected = download_texture<std::uint8_t>(surface_->gl(), rendered.color, 3);
  EXPECT_EQ(difference(shown, expected), 0);
}

TEST_F(ViewerTest, ApertureAndBokehChangeThePicture) {
  open_teapots();
  const Image<std::uint8_t> wide = shot();
  state().f_number = 64;
  const Image<std::uint8_t> narrow = shot();
  state().f_number = 1.4;
  state().bokeh = static_cast<double>(Bokeh::box);
  EXPECT_GT(difference(shot(), wide), 0.1) << "boxes are no discs";
  EXPECT_GT(variance(narrow, 0, 0, kWidth, kHeight), variance(wide, 0, 0, kWidth, kHeight));
  press(kBackspace);
  EXPECT_EQ(difference(shot(), wide), 0) << "as at first";
}

TEST_F(ViewerTest, TheWipeShowsTheInputOnItsLeft) {
  open_teapots();
  const Image<std::uint8_t> result = shot();
  press('I');
  const Image<std::uint8_t> input = shot();
  press('I');
  press('W');
  const Image<std::uint8_t> both = shot();
  for (int x : {10, kWidth / 2 - 10}) EXPECT_EQ(both.view()(x, 150, 1), input.view()(x, 150, 1)) << x;
  for (int x : {kWidth / 2 + 10, kWidth - 10})
    EXPECT_EQ(both.view()(x, 150, 1), result.view()(x, 150, 1)) << x;
  viewer_->input(PointerMoved{kWidth / 2.0, 100});
  viewer_->input(ButtonChanged{MouseButton::left, true});
  viewer_->input(PointerMoved{kWidth / 4.0, 100});
  viewer_->input(ButtonChanged{MouseButton::left, false});
  shot();
  EXPECT_NEAR(state().wipe, 0.25, 0.01) << "its line is dragged";
}

TEST_F(ViewerTest, EveryViewShowsSomethingElse) {
  open_teapots();
  std::vector<Image<std::uint8_t>> views;
  for (std::size_t view = 0; view < std::size(kShownViewNames); ++view) {
    state().view = static_cast<double>(view);
    views.push_back(shot());
    for (std::size_t i = 0; i < view; ++i)
      EXPECT_GT(difference(views[i], views[view]), 0.5)
          << kShownViewNames[i] << ", " << kShownViewNames[view];
  }
  EXPECT_FALSE(complained());
}

TEST_F(ViewerTest, ScenesTurnByDragsAndMoveByTheKey) {
  open_teapots();
  shot();
  const double azimuth = state().azimuth, distance = state().distance;
  viewer_->input(PointerMoved{100, 100});
  viewer_->input(ButtonChanged{MouseButton::left, true});
  viewer_->input(PointerMoved{180, 100});
  viewer_->input(ButtonChanged{MouseButton::left, false});
  viewer_->input(Scrolled{2});
  shot();
  EXPECT_NE(state().azimuth, azimuth);
  EXPECT_LT(state().distance, distance);
  press(' ');
  for (int i = 0; i < 5; ++i) frame();
  EXPECT_GT(state().time, 0);
  EXPECT_FALSE(viewer_->at_rest());
}

TEST_F(ViewerTest, WhatIsDoneShowsInTheNextFrame) {
  open_photo_with_depth();
  state().zoom = 6;
  const auto shows = [&](const char* what, const auto& act) {
    shot();
    const Image<std::uint8_t> before = frame();
    act();
    EXPECT_GT(difference(before, frame()), 0) << what;
  };
  viewer_->input(PointerMoved{kWidth / 4.0, kHeight / 2.0});
  shows("a turn of the wheel", [&] { viewer_->input(Scrolled{1}); });
  shows("a drag", [&] {
    viewer_->input(ButtonChanged{MouseButton::left, true});
    viewer_->input(PointerMoved{kWidth / 4.0 + 30, kHeight / 2.0 + 5});
  });
  viewer_->input(ButtonChanged{MouseButton::left, false});
  shows("a key", [&] { press('I'); });
}

TEST_F(ViewerTest, FiltersAreAppliedInTurn) {
  open_photo_with_depth();
  state().blur = 0;
  const Image<std::uint8_t> plain = shot();
  for (const Filter* filter : stackable_filters())
    if (filter->name == "box") model().filters.push_back(stacked(*filter));
  ASSERT_EQ(model().filters.size(), 1u);
  model().filters[0].call = {model().filters[0].call.filter, model().filters[0].call.filter->defaults()};
  const Image<std::uint8_t> filtered = shot();
  EXPECT_GT(difference(plain, filtered), 5);
  model().filters[0].on = false;
  EXPECT_EQ(difference(plain, shot()), 0);
}

TEST_F(ViewerTest, PixelsAreToldOf) {
  open_photo_with_depth();
  shot();
  const std::optional<PixelReport> report = model().pixel({1.5, 0.5});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->x, 1);
  EXPECT_NEAR(report->input[0], 0xe0, 1e-3);
  EXPECT_EQ(*report->disparity, 1.f);
  EXPECT_FALSE(model().pixel({-1, 5}));
  EXPECT_FALSE(model().pixel({64, 5}));
}

TEST_F(ViewerTest, TheHistogramCountsWhatIsSeen) {
  open_photo_with_depth();
  state().blur = 10;
  press('I');
  state().histogram = 1;
  shot();
  frame();
  const SeenHistogram& histogram = model().histogram();
  ASSERT_EQ(histogram.channels.size(), 3u);
  for (const std::vector<float>& bins : histogram.channels)
    for (int bin = 0; bin < 256; ++bin)
      EXPECT_EQ(bins[static_cast<std::size_t>(bin)], bin == 0x20 || bin == 0xe0) << bin;
  // A window that shows one pixel, whose other bins are empty.
  state().zoom = 64;
  state().centre_x = 1.5 / 64;
  state().centre_y = 0.5 / 48;
  viewer_->input(Resized{32, 32});
  frame();
  EXPECT_GT(model().histogram().channels[0][0x20], 0) << "not in every frame of a pan";
  frame();
  EXPECT_EQ(model().histogram().channels[0][0x20], 0);
  EXPECT_EQ(model().histogram().channels[0][0xe0], 1);
}

TEST_F(ViewerTest, ABrokenShaderLeavesTheOneBefore) {
  open_photo_with_depth();
  const Image<std::uint8_t> before = shot();
  std::filesystem::create_directory(folder_ / "shaders");
  for (const char* name : {"view.frag", "background.vert"})
    test::save(folder_ / "shaders" / name, "#version 450 core\nvoid main() { this is no GLSL; }\n");
  ::setenv("SCANLENS_SHADERS", (folder_ / "shaders").c_str(), 1);
  press('R');
  frame();
  ::unsetenv("SCANLENS_SHADERS");
  EXPECT_TRUE(complained());
  EXPECT_THROW(viewer_->rethrow_failure(), Error);
  wait_for_notices();
  EXPECT_EQ(difference(before, shot()), 0);
  press('R');
  frame();
  wait_for_notices();
  EXPECT_EQ(difference(before, shot()), 0) << "those of the program again";
}

TEST_F(ViewerTest, ABrokenShaderOfTheSceneLeavesPanelsAndAll) {
  open_teapots();
  state().panels = 1;
  const Image<std::uint8_t> before = shot();
  std::filesystem::create_directory(folder_ / "shaders");
  test::save(folder_ / "shaders" / "teapot.frag", "#version 450 core\nvoid main() { nonsense; }\n");
  ::setenv("SCANLENS_SHADERS", (folder_ / "shaders").c_str(), 1);
  press('R');
  frame();
  ::unsetenv("SCANLENS_SHADERS");
  EXPECT_THROW(viewer_->rethrow_failure(), Error);
  wait_for_notices();
  EXPECT_EQ(difference(before, shot()), 0);
}

TEST_F(ViewerTest, FilesThatFailLeaveThePhotoBefore) {
  open_photo_with_depth();
  const Image<std::uint8_t> before = shot();
  test::save(folder_ / "broken.png", "\x89PNG\r\n\x1a\nnothing");
  viewer_->input(Dropped{{folder_ / "broken.png"}});
  frame();
  EXPECT_TRUE(complained());
  EXPECT_THROW(viewer_->rethrow_failure(), Error);
  wait_for_notices();
  EXPECT_EQ(difference(before, shot()), 0);
  viewer_->input(Dropped{{folder_ / "depth.pgm"}});
  EXPECT_GT(difference(before, shot()), 1) << "a picture that is dropped is shown";
}

TEST_F(ViewerTest, APhotoIsReadAgainWhenItsFileChanges) {
  open_photo_with_depth();
  state().f_number = 3;
  const Image<std::uint8_t> before = shot();
  test::save(folder_ / "photo.ppm", "P6 64 48 255\n" + std::string(3 * 64 * 48, '\x40'));
  for (int i = 0; i < 60; ++i) frame();
  EXPECT_GT(difference(before, shot()), 5);
  EXPECT_EQ(state().f_number, 3) << "the lens stays";
}

TEST_F(ViewerTest, ADepthMapOfAnotherKindTakesItsOwnLens) {
  open_photo_with_depth();
  state().focus = 0.9;
  state().blur = 7;
  shot();
  const auto write_depth = [&](float nearest) {  // PFM: metres by its name
    std::string text = "Pf\n64 48\n-1\n";
    for (int i = 0; i < 64 * 48; ++i) {
      const float metres = i % 64 < 32 ? nearest : 30;
      text.append(reinterpret_cast<const char*>(&metres), sizeof metres);
    }
    test::save(folder_ / "map.pfm", text);
  };
  write_depth(2);
  viewer_->take_depth(folder_ / "map.pfm");
  viewer_->rethrow_failure();
  ASSERT_TRUE(model().has_depth());
  const bool metric = model().metric();
  state().focus = metric ? 3 : 0.7;
  const double focus = state().focus;
  write_depth(1);
  for (int i = 0; i < 60; ++i) frame();
  viewer_->rethrow_failure();
  EXPECT_EQ(state().focus, focus) << "of the same kind: the lens stays";
  EXPECT_EQ(state().view, 0);
}

TEST_F(ViewerTest, AMapOnThePanelsLeavesTheFolder) {
  open_photo_with_depth();
  const std::size_t files = model().album().size();
  ASSERT_GT(files, 1u);
  viewer_->take_depth(folder_ / "depth.pgm");
  viewer_->rethrow_failure();
  EXPECT_EQ(model().album().size(), files);
  EXPECT_EQ(model().photo()->file, folder_ / "photo.ppm");
  viewer_->step(1);
  viewer_->step(-1);
  viewer_->rethrow_failure();
  EXPECT_TRUE(model().has_depth()) << "the map stays the photo's";
}

TEST_F(ViewerTest, PhotosThatCannotBeReadArePassedOver) {
  open_photo_with_depth();
  test::save(folder_ / "photo1.png", "nothing");
  test::save(folder_ / "q.ppm", "P6 64 48 255\n" + std::string(3 * 64 * 48, '\x40'));
  viewer_->open({folder_.path()});
  while (model().photo()->file.filename() != "photo.ppm") viewer_->step(1);
  viewer_->step(1);
  EXPECT_EQ(model().photo()->file.filename(), "q.ppm");
  EXPECT_TRUE(complained());
  viewer_->step(-1);
  EXPECT_EQ(model().photo()->file.filename(), "photo.ppm");
}

TEST_F(ViewerTest, NoLensFocusesNearerThanItCan) {
  open_teapots();
  state().focus = 0.001;
  frame();
  EXPECT_GE(state().focus, 0.05);
  state().focal_length = 200;
  frame();
  EXPECT_GE(state().focus, 0.2);
}

TEST_F(ViewerTest, SignsActWhereverTheyAreTyped) {
  open_photo_with_depth();
  state().blur = 0;
  type(']');
  frame();
  EXPECT_GT(state().blur, 0) << "from no blur at all";
  for (int i = 0; i < 200; ++i) type('['), frame();
  EXPECT_EQ(state().blur, 0);
  type('?');
  frame();
  EXPECT_EQ(state().help, 1);
  press(kEscape);
  frame();
  EXPECT_EQ(state().help, 0);
  EXPECT_FALSE(viewer_->wants_close());
}

TEST_F(ViewerTest, EscapeClosesAListFirst) {
  open_teapots();
  state().panels = 1;
  viewer_->input(Resized{1024, 768});
  frame();
  const auto list_is_open = [] { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup); };
  for (int y = 760; y > 0 && !list_is_open(); y -= 6) {  // wherever one is, from below
    click(100, y);
    for (int i = 0; i < 4; ++i) frame();
  }
  ASSERT_TRUE(list_is_open());
  press(kEscape);
  for (int i = 0; i < 3; ++i) frame();
  EXPECT_FALSE(list_is_open());
  EXPECT_FALSE(viewer_->wants_close());
  press(kEscape);
  frame();
  EXPECT_TRUE(viewer_->wants_close());
}

TEST_F(ViewerTest, KeysThatAreHeldDownGoOnOnlyWhereThatHelps) {
  open_teapots();
  frame();
  viewer_->input(KeyChanged{'N', true});
  for (int i = 0; i < 5; ++i) viewer_->input(KeyChanged{'N', true, 0, true});
  for (int i = 0; i < 10; ++i) frame();
  EXPECT_NEAR(state().near, 1.2, 1e-9) << "what repeats in the same frame counts once";
  viewer_->input(KeyChanged{'T', true});
  viewer_->input(KeyChanged{'T', true, 0, true});
  for (int i = 0; i < 3; ++i) frame();
  EXPECT_EQ(state().graph, 1) << "a switch is switched once";
}

/// Counts the context's objects.
int living_objects() {
  constexpr GLuint kMostNames = 10000;
  int count = 0;
  for (GLuint name = 1; name < kMostNames; ++name)
    count += glIsTexture(name) + glIsBuffer(name) + glIsFramebuffer(name) + glIsProgram(name) +
             glIsQuery(name) + glIsSampler(name) + glIsVertexArray(name);
  return count;
}

TEST_F(ViewerTest, AFileThatGoesIsToldOf) {
  open_photo_with_depth();
  shot();
  std::filesystem::remove(folder_ / "photo.ppm");
  for (int i = 0; i < 4; ++i) viewer_->advance(0.6);
  EXPECT_TRUE(complained());
  const std::size_t notices = viewer_->notices().size();
  for (int i = 0; i < 4; ++i) viewer_->advance(0.6);
  EXPECT_EQ(viewer_->notices().size(), notices) << "once";
}

TEST_F(ViewerTest, LayersShowWhatTheyCover) {
  open_photo_with_depth();
  state().focus = 0;  // the left half is near and spreads over the right one
  state().view = static_cast<double>(ShownView::layers);
  frame();
  const Image<std::uint8_t> at_first = frame(), at_rest = shot();
  EXPECT_GT(difference(at_first, at_rest), 1);
}

TEST_F(ViewerTest, NothingLeaksOverManyFiles) {
  open_photo_with_depth();
  int living[2];
  for (int& count : living) {
    for (int i = 0; i < 100; ++i) {
      viewer_->input(Dropped{{folder_ / (i % 2 ? "photo.ppm" : "depth.pgm")}});
      shot();
    }
    count = living_objects();
  }
  EXPECT_EQ(living[1], living[0]);
}

TEST_F(ViewerTest, WindowsOfAnySizeAreDrawn) {
  open_teapots();
  shot();
  state().panels = state().graph = state().histogram = state().inspector = state().help = 1;
  for (const auto& [width, height, scale] :
       {std::tuple(1, 1, 1.0), {64, 48, 1.0}, {333, 777, 2.0}, {1024, 768, 1.0}}) {
    viewer_->input(Resized{width, height, scale});
    viewer_->input(PointerMoved{width / 2.0, height / 2.0});
    const Image<std::uint8_t> picture = shot();
    EXPECT_EQ(picture.width(), width);
    EXPECT_EQ(picture.height(), height);
    EXPECT_FALSE(complained());
  }
}

}  // namespace
}  // namespace scanlens
