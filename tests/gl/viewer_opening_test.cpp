// Pictures shown while photos are read: counted in frames, with files that are as slow as the test wants.
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/gl/viewer_fixture.h"

namespace scanlens {
namespace {

using test::ViewerTest, test::difference, test::kWidth, test::kHeight;

class ViewerOpening : public ViewerTest {
 protected:
  static constexpr int kSide = 64;

  void SetUp() override {
    ViewerTest::SetUp();
    if (!viewer_) return;
    opened().shows_at_once = true;
    std::string photo = "P6 64 64 255\n";
    depth_ = "P5 64 64 255\n";
    for (int i = 0; i < kSide * kSide; ++i) {
      photo += std::string(3, (i + i / kSide) % 2 ? '\xe0' : '\x20');
      depth_ += i % kSide < kSide / 2 ? '\xff' : '\x10';
    }
    test::save(folder_ / "photo.ppm", photo);
    for (const char* name : {"depth.pgm", "slow.ppm"}) ASSERT_EQ(mkfifo((folder_ / name).c_str(), 0600), 0);
  }

  /// Opens the photo, whose depth comes from a pipe that nobody has written to yet.
  void begin_with_slow_depth() {
    PhotoOptions options;
    options.depth = folder_ / "depth.pgm";
    options.lens.blur = Amount(10, Unit::percent);
    viewer_->opening().open_named(
        Album({folder_ / "photo.ppm"}, options, settings_), [](const ViewedPhoto&) {},
        [this] { opened_ = true; });
  }
  void write_depth() { std::ofstream(folder_ / "depth.pgm") << depth_; }

  /// Draws frames until the condition holds, and returns the last one.
  Image<std::uint8_t> frame_when(const std::function<bool()>& condition) {
    constexpr int kMostFrames = 100000;
    Image<std::uint8_t> drawn = frame();
    for (int i = 0; i < kMostFrames && !condition(); ++i) drawn = frame();
    EXPECT_TRUE(condition());
    return drawn;
  }

  std::string depth_;
  bool opened_ = false;
};

TEST_F(ViewerOpening, ThePhotoIsSeenBeforeItsDepthIsReadAndBeforeItIsBlurred) {
  begin_with_slow_depth();
  EXPECT_EQ(viewer_->title(), "photo.ppm - scanlens") << "at once";
  const Image<std::uint8_t> early = frame_when([&] { return opened().is_early(); });
  EXPECT_FALSE(opened_);
  EXPECT_GT(test::variance(early, 150, 60, 230, 240), 3000) << "in the same frame";
  EXPECT_FALSE(viewer_->at_rest());

  write_depth();
  const Image<std::uint8_t> arrived = frame_when([&] { return opened_; });
  EXPECT_EQ(difference(early, arrived), 0) << "the first frame of the whole photo is not blurred yet";
  EXPECT_GT(difference(frame(), arrived), 5) << "the next one is";
  EXPECT_LT(test::variance(shot(), 150, 60, 170, 240), 1500);
}

TEST_F(ViewerOpening, AClickCountsOnceItsDepthIsThere) {
  begin_with_slow_depth();
  frame_when([&] { return opened().is_early(); });
  state().focus = 0.4;
  click(kWidth / 2.0 - 60, kHeight / 2.0);
  for (int i = 0; i < 4; ++i) frame();
  write_depth();
  frame_when([&] { return opened_; });
  EXPECT_NEAR(state().focus, 1, 0.01) << "the left half is near";
}

TEST_F(ViewerOpening, WhatIsWaitedForIsNamedAfterHalfASecond) {
  begin_with_slow_depth();
  frame_when([&] { return opened().is_early(); });
  EXPECT_EQ(viewer_->waits_for().empty(), viewer_->waited() < 0.5);
  viewer_->advance(0.5);
  EXPECT_EQ(viewer_->waits_for(), "Reading the depth of photo.ppm");
  press('S');
  for (int i = 0; i < 3; ++i) frame();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "photo_dof.ppm")) << "a picture that is not all there";
  write_depth();
  frame_when([&] { return opened_; });
  EXPECT_EQ(viewer_->waits_for(), "");
}

TEST_F(ViewerOpening, AFailureOfWhatIsNamedIsSaidInTheWindow) {
  test::save(folder_ / "broken.png", "\x89PNG\r\n\x1a\nnothing");
  viewer_->opening().open_named(
      Album({folder_ / "broken.png"}, {}, settings_), [](const ViewedPhoto&) {}, [] {});
  frame_when([&] { return complained(); });
  EXPECT_TRUE(opened().is_empty());
  EXPECT_FALSE(viewer_->opening().opens());
  shot();
  opened().shows_at_once = false;
  viewer_->opening().open_named(
      Album({folder_ / "broken.png"}, {}, settings_), [](const ViewedPhoto&) {}, [] {});
  EXPECT_THROW(frame_when([] { return false; }), Error) << "with nobody at the window";
}

TEST_F(ViewerOpening, AFrameThatTakesLongIsAnnouncedByTheOneBefore) {
  if (!surface_->gl().software()) GTEST_SKIP() << "a GPU is faster";
  const int width = 3200, height = 2400;
  test::save(folder_ / "large.ppm", "P6 3200 2400 255\n" + std::string(3 * width * height, '\x40'));
  test::save(folder_ / "large_depth.pgm",
             "P5 64 48 255\n" + std::string(32 * 48, '\xff') + std::string(32 * 48, '\x10'));
  viewer_->opening().open({folder_ / "large.ppm"});
  bool was_announced = false;
  frame_when([&] {
    was_announced = was_announced || viewer_->waits_for() == "Making the full picture";
    return !opened().opens() && viewer_->stage().at_rest();
  });
  EXPECT_TRUE(opened().has_depth());
  EXPECT_TRUE(was_announced);
  EXPECT_EQ(viewer_->waits_for(), "");
}

TEST_F(ViewerOpening, AStepDoesNotWaitForTheOneBefore) {
  test::save(folder_ / "white.ppm", "P6 1 1 255\n\xff\xff\xff");
  viewer_->opening().open({folder_ / "photo.ppm", folder_ / "slow.ppm", folder_ / "white.ppm"});
  frame_when([&] { return !opened().opens(); });
  const Image<std::uint8_t> first = shot();
  viewer_->opening().step(1);
  for (int i = 0; i < 5; ++i) frame();
  EXPECT_EQ(opened().opens_file().filename(), "slow.ppm");
  EXPECT_EQ(opened().photo()->file.filename(), "photo.ppm") << "which is seen as long";
  viewer_->opening().step(1);
  frame_when([&] { return !opened().opens(); });
  EXPECT_EQ(opened().photo()->file.filename(), "white.ppm");
  viewer_->opening().step(1);
  frame_when([&] { return !opened().opens(); });
  EXPECT_EQ(difference(shot(), first), 0);
  std::ofstream{folder_ / "slow.ppm"};  // lets its reader end
}

TEST_F(ViewerOpening, FramesGoOnWhileAChangedFileAndAMapThatUndoBringsBackAreRead) {
  begin_with_slow_depth();
  write_depth();
  frame_when([&] { return opened_; });
  for (int i = 0; i < 3; ++i) frame();
  std::filesystem::last_write_time(folder_ / "photo.ppm", std::filesystem::file_time_type::clock::now());
  viewer_->advance(0.6);
  ASSERT_TRUE(opened().opens()) << "it has changed, and its map is a pipe";
  state().focus = 0.3;
  for (int i = 0; i < 3; ++i) frame();
  EXPECT_TRUE(opened().opens());
  write_depth();
  frame_when([&] { return !opened().opens(); });
  EXPECT_EQ(state().focus, 0.3);

  test::save(folder_ / "other.pgm",
             std::string(depth_.rbegin(), depth_.rend() - 13).insert(0, "P5 64 64 255\n"));
  viewer_->opening().take_depth(folder_ / "other.pgm");
  frame_when([&] { return !opened().opens(); });
  for (int i = 0; i < 3; ++i) frame();
  ASSERT_EQ(opened().disparity_around({8, 8}), 16 / 255.f);
  press('Z', kControl);
  for (int i = 0; i < 5; ++i) frame();
  EXPECT_TRUE(opened().opens());
  EXPECT_EQ(opened().disparity_around({8, 8}), 16 / 255.f) << "seen as long";
  write_depth();
  frame_when([&] { return !opened().opens(); });
  EXPECT_EQ(opened().disparity_around({8, 8}), 1);
  for (int i = 0; i < 3; ++i) frame();
  press('Z', kControl | kShift);
  frame_when([&] { return opened().disparity_around({8, 8}) == 16 / 255.f; });
}

TEST_F(ViewerOpening, FramesGoOnWhileAFileIsSavedAndTheViewerClosesBehindIt) {
  test::save(folder_ / "slow.sh", "#!/bin/sh\nread line < " + (folder_ / "slow.ppm").string() + "\n");
  std::filesystem::permissions(folder_ / "slow.sh", std::filesystem::perms::owner_all);
  begin_with_slow_depth();
  write_depth();
  frame_when([&] { return opened_; });
  viewer_->saving().program = folder_ / "slow.sh";
  viewer_->save();
  viewer_->close();
  press('H');
  for (int i = 0; i < 5; ++i) frame();
  EXPECT_TRUE(viewer_->saving().runs());
  EXPECT_FALSE(viewer_->wants_close());
  EXPECT_EQ(state().histogram, 0) << "keys wait";
  std::ofstream(folder_ / "slow.ppm") << "go on\n";
  frame_when([&] { return viewer_->wants_close(); });
  EXPECT_FALSE(viewer_->saving().runs());
}

TEST_F(ViewerOpening, AStepThatFailsShowsTheOneBeforeAgain) {
  viewer_->opening().open({folder_ / "photo.ppm"});
  frame_when([&] { return !opened().opens(); });
  const Image<std::uint8_t> first = shot();
  test::save(folder_ / "broken.png", "\x89PNG\r\n\x1a\nnothing");
  viewer_->opening().open({folder_ / "broken.png"});
  frame_when([&] { return !opened().opens(); });
  EXPECT_TRUE(complained());
  EXPECT_THROW(viewer_->notices().rethrow_failure(), Error);
  wait_for_notices();
  EXPECT_EQ(difference(shot(), first), 0);
}

}  // namespace
}  // namespace scanlens
