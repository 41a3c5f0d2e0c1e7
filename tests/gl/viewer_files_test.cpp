// Files that the viewer reads: photos, maps and shaders. Some change, fail or go.
#include <cstdlib>
#include <string>

#include "tests/gl/viewer_fixture.h"

namespace scanlens {
namespace {

using test::ViewerTest, test::difference;

TEST_F(ViewerTest, ABrokenShaderLeavesTheOneBefore) {
  open_photo_with_depth();
  const Image<std::uint8_t> before = shot();
  std::filesystem::create_directories(folder_ / "shaders/viewer");
  for (const char* name : {"viewer/view.frag", "background.vert"})
    test::save(folder_ / "shaders" / name, "#version 450 core\nvoid main() { this is no GLSL; }\n");
  ::setenv("SCANLENS_SHADERS", (folder_ / "shaders").c_str(), 1);
  press(kF5);
  frame();
  ::unsetenv("SCANLENS_SHADERS");
  EXPECT_TRUE(complained());
  EXPECT_THROW(viewer_->notices().rethrow_failure(), Error);
  wait_for_notices();
  EXPECT_EQ(difference(before, shot()), 0);
  press(kF5);
  frame();
  wait_for_notices();
  EXPECT_EQ(difference(before, shot()), 0) << "those of the program again";
}

TEST_F(ViewerTest, ABrokenShaderOfTheSceneLeavesPanelsAndAll) {
  open_teapots();
  state().panels = 1;
  const Image<std::uint8_t> before = shot();
  std::filesystem::create_directories(folder_ / "shaders/scene");
  test::save(folder_ / "shaders/scene/teapot.frag", "#version 450 core\nvoid main() { nonsense; }\n");
  ::setenv("SCANLENS_SHADERS", (folder_ / "shaders").c_str(), 1);
  press(kF5);
  frame();
  ::unsetenv("SCANLENS_SHADERS");
  EXPECT_THROW(viewer_->notices().rethrow_failure(), Error);
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
  EXPECT_THROW(viewer_->notices().rethrow_failure(), Error);
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
  const std::filesystem::path map = folder_ / "map.pfm";
  // Values without a unit, unless some mark infinity, as in maps of metres.
  const auto write_depth = [&](float near, float far) {
    std::string text = "Pf\n64 48\n-1\n";
    for (int i = 0; i < 64 * 48; ++i) {
      const float value = i % 64 < 32 ? near : far;
      text.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    test::save(map, text);
  };
  const auto read_again = [&] {
    for (int i = 0; i < 4; ++i) viewer_->advance(0.6);
    viewer_->notices().rethrow_failure();
  };
  write_depth(0.8f, 0.2f);
  viewer_->opening().take_depth(map);
  viewer_->notices().rethrow_failure();
  ASSERT_TRUE(opened().has_depth());
  ASSERT_FALSE(opened().metric());
  state().focus = 0.7;

  write_depth(2, 1e9f);
  read_again();
  ASSERT_TRUE(opened().metric());
  EXPECT_NE(state().focus, 0.7) << "metres are no share of the depth";

  state().focus = 3;
  state().f_number = 5;
  write_depth(4, 1e9f);
  read_again();
  ASSERT_TRUE(opened().metric());
  EXPECT_EQ(opened().disparity_around({1.5, 1.5}), 0.25f) << "it was read again";
  EXPECT_EQ(state().focus, 3) << "of the same kind: the lens stays";
  EXPECT_EQ(state().f_number, 5);

  write_depth(0.8f, 0.2f);
  read_again();
  EXPECT_FALSE(opened().metric());
  EXPECT_LE(state().focus, 1);
}

TEST_F(ViewerTest, AMapOnThePanelsLeavesTheFolder) {
  open_photo_with_depth();
  const std::size_t files = opened().album().size();
  ASSERT_GT(files, 1u);
  viewer_->opening().take_depth(folder_ / "depth.pgm");
  viewer_->notices().rethrow_failure();
  EXPECT_EQ(opened().album().size(), files);
  EXPECT_EQ(opened().photo()->file, folder_ / "photo.ppm");
  viewer_->opening().step(1);
  EXPECT_FALSE(opened().has_depth());
  viewer_->opening().take_depth(folder_ / "depth.pgm");
  EXPECT_TRUE(opened().has_depth());
  viewer_->opening().step(-1);
  viewer_->notices().rethrow_failure();
  EXPECT_EQ(opened().photo()->file, folder_ / "photo.ppm");
  EXPECT_TRUE(opened().has_depth()) << "the map stays the photo's";
  viewer_->opening().step(1);
  EXPECT_TRUE(opened().has_depth()) << "and the other one the other's";
}

TEST_F(ViewerTest, PhotosThatCannotBeReadArePassedOver) {
  open_photo_with_depth();
  test::save(folder_ / "photo1.png", "nothing");
  test::save(folder_ / "q.ppm", "P6 64 48 255\n" + std::string(3 * 64 * 48, '\x40'));
  viewer_->opening().open({folder_.path()});
  while (opened().photo()->file.filename() != "photo.ppm") viewer_->opening().step(1);
  viewer_->opening().step(1);
  EXPECT_EQ(opened().photo()->file.filename(), "q.ppm");
  EXPECT_TRUE(complained());
  viewer_->opening().step(-1);
  EXPECT_EQ(opened().photo()->file.filename(), "photo.ppm");
}

TEST_F(ViewerTest, AStepThatFindsNoOtherPhotoLeavesThisOne) {
  open_photo_with_depth();
  test::save(folder_ / "depth.pgm", "nothing");
  viewer_->opening().open({folder_ / "photo.ppm"});
  state().zoom = 6;
  viewer_->opening().step(1);
  EXPECT_TRUE(complained());
  EXPECT_EQ(opened().photo()->file, folder_ / "photo.ppm");
  EXPECT_EQ(state().zoom, 6) << "as it is seen";
}

TEST_F(ViewerTest, AFileThatGoesIsToldOf) {
  open_photo_with_depth();
  shot();
  std::filesystem::remove(folder_ / "photo.ppm");
  for (int i = 0; i < 4; ++i) viewer_->advance(0.6);
  EXPECT_TRUE(complained());
  const std::size_t notices = viewer_->notices().shown().size();
  for (int i = 0; i < 4; ++i) viewer_->advance(0.6);
  EXPECT_EQ(viewer_->notices().shown().size(), notices) << "once";
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

}  // namespace
}  // namespace scanlens
