// The scenes: sizes, tiles, references, depth, and what is to be seen.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "app/scene/lights.h"
#include "app/scene/patches.h"
#include "app/scene/scenes.h"
#include "app/scene/teapot.h"
#include "core/error.h"
#include "tests/gl/scene_fixture.h"
#include "tests/unit/support/files.h"

namespace scanlens {
namespace {

using SceneTest = GlTest;

TEST(Patches, ExpandToThirtyTwo) {
  const std::vector<BezierPatch> patches = teapot_patches();
  ASSERT_EQ(patches.size(), 32u);
  float low = 1e9f, high = -1e9f, spout = -1e9f, handle = 1e9f;
  for (const BezierPatch& patch : patches)
    for (const glm::vec3& point : patch) {
      low = std::min(low, point.z);
      high = std::max(high, point.z);
      spout = std::max(spout, point.x);
      handle = std::min(handle, point.x);
    }
  EXPECT_EQ(low, 0.0f);
  EXPECT_EQ(high, 3.15f);
  EXPECT_EQ(spout, 3.525f);
  EXPECT_EQ(handle, -3.0f);
}

TEST(Patches, ErrorsNameTheLine) {
  const auto message = [](const char* text) {
    try {
      parse_patches(text);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("# nothing\n1 2 3\n").find("line 2"), std::string::npos);
  EXPECT_NE(message("patch rim xy\n0 0 0 0 0 0 0 0 0 0 0 x\n").find("line 2"), std::string::npos);
  EXPECT_NE(message("patch rim diagonal\n").find("line 1"), std::string::npos);
  EXPECT_FALSE(message("patch rim xy\n").empty());
  EXPECT_FALSE(message("").empty());
}

TEST_F(SceneTest, AnySize) {
  TeapotScene scene(*context_);
  for (const auto& [width, height] : {std::pair{1, 1}, {33, 17}, {640, 400}}) {
    const CodePicture picture = fetched(*context_, scene.render(width, height, Camera{}));
    ASSERT_EQ(picture.color.width(), width);
    ASSERT_EQ(picture.disparity.height(), height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        ASSERT_EQ(picture.color.view()(x, y, 3), 255);
        ASSERT_TRUE(std::isfinite(picture.disparity.view()(x, y)));
      }
  }
  EXPECT_THROW(scene.render(0, 10, Camera{}), Error);
  EXPECT_THROW(scene.render(10, context_->max_texture_size() + 1, Camera{}), Error);
  EXPECT_THROW(scene.render(10, 10, Camera{}, ThinLens{0, 2, 36, 1.5}), Error);
}

TEST_F(SceneTest, SameBytesTwiceAndNotConstant) {
  TeapotScene scene(*context_);
  const CodePicture a = fetched(*context_, scene.render(320, 200, Camera{}));
  const CodePicture b = fetched(*context_, scene.render(320, 200, Camera{}));
  const auto* first = a.color.view().data;
  EXPECT_TRUE(std::equal(first, first + a.color.bytes(), b.color.view().data));
  EXPECT_TRUE(
      std::equal(a.disparity.view().data, a.disparity.view().data + 320 * 200, b.disparity.view().data));
  const auto [least, most] = std::minmax_element(first, first + 4 * 320 * 100);
  EXPECT_GT(*most - *least, 100);
}

TEST_F(SceneTest, TilesAreSeamless) {
  TeapotScene whole(*context_, {}, 1024), tiled(*context_, {}, 96);
  const CodePicture a = fetched(*context_, whole.render(333, 207, Camera{}));
  const CodePicture b = fetched(*context_, tiled.render(333, 207, Camera{}));
  int worst = 0;
  float farthest = 0;  // in disparity; a seam or a moved edge would differ by a tenth and more
  for (int y = 0; y < 207; ++y)
    for (int x = 0; x < 333; ++x) {
      for (int c = 0; c < 3; ++c)
        worst = std::max(worst, std::abs(a.color.view()(x, y, c) - b.color.view()(x, y, c)));
      farthest = std::max(farthest, std::abs(a.disparity.view()(x, y) - b.disparity.view()(x, y)));
    }
  EXPECT_LE(worst, 1);
  EXPECT_LT(farthest, 5e-4f);
}

TEST_F(SceneTest, DisparityIsMetric) {
  TeapotScene scene(*context_);
  const int width = 640, height = 640;
  Camera level;
  level.elevation_deg = 0;
  level.target = {0, 0.5f, 0};
  const CodePicture picture = fetched(*context_, scene.render(width, height, level));
  const View<const float> disparity = picture.disparity.view();
  // Above the horizon there is nothing; below it the floor's distance follows from the camera's height.
  EXPECT_EQ(disparity(5, 0), 0.0f);
  EXPECT_EQ(disparity(width / 2, height / 2 - 20), 0.0f);
  const float half_tangent = 0.036f / 2 / 0.050f;
  const float down = half_tangent * (2 * (height - 1 + 0.5f) / static_cast<float>(height) - 1);
  EXPECT_NEAR(disparity(width / 2, height - 1), down / 0.5f, 2e-3f);

  // Straight from above, the lid's knob is the highest point of the pot in the middle: 3.15 units of 0.05 m.
  Camera above;
  above.target = {-0.045f, 0.0f, 0.0f};
  above.elevation_deg = 90;
  above.distance_m = 1.0f;
  const CodePicture top = fetched(*context_, scene.render(201, 201, above));
  EXPECT_NEAR(1 / top.disparity.view()(100, 100), 1.0f - 3.15f * 0.05f, 1.5e-3f);
}

TEST_F(SceneTest, TeapotHasNoHoles) {
  // From a little below, all of the pot in the middle stands before the sky: no row of its silhouette shows
  // sky or the far floor between the body's outer edges.
  TeapotScene scene(*context_);
  Camera low;
  low.target = {-0.045f, 0.07f, 0.0f};
  low.distance_m = 0.8f;
  low.elevation_deg = 0;
  const int width = 800, height = 500;
  const CodePicture picture = fetched(*context_, scene.render(width, height, low));
  const View<const float> disparity = picture.disparity.view();
  const auto pot = [&](int x, int y) { return std::abs(1 / std::max(disparity(x, y), 1e-6f) - 0.8f) < 0.2f; };
  int checked = 0;
  for (int y = height / 2 - 60; y < height / 2 + 60; y += 1) {
    ASSERT_TRUE(pot(width / 2, y)) << y;
    int left = width / 2, right = width / 2;
    while (left > 0 && pot(left, y)) --left;
    while (right < width - 1 && pot(right, y)) ++right;
    // The body is at least 1.5 units of 0.05 m to both sides, seen 0.8 m away.
    EXPECT_GT(right - left, static_cast<int>(2 * 0.075f / 0.8f * (2 * 50.0f / 36) * width / 2)) << y;
    ++checked;
  }
  EXPECT_EQ(checked, 120);
}

TEST_F(SceneTest, LensKeepsTheFocalPlaneStill) {
  TeapotScene scene(*context_);
  const Camera camera;
  const double focus = 1.5;
  const glm::vec3 sharp = camera.target;
  const ThinLens lens{50, 2, 36, focus};
  const Projection middle(640, 400, camera, lens);
  const glm::vec4 expected = middle.clip_from_world * glm::vec4(sharp, 1);
  float farthest = 0;
  for (int i = 0; i < 64; ++i) {
    const LensSample sample = lens_sample(lens, i, 64);
    farthest = std::max(farthest, std::hypot(sample.x, sample.y));
    const Projection moved(640, 400, camera, lens, sample);
    const glm::vec4 clip = moved.clip_from_world * glm::vec4(sharp, 1);
    EXPECT_NEAR(clip.x / clip.w, expected.x / expected.w, 1e-5f);
    EXPECT_NEAR(clip.y / clip.w, expected.y / expected.w, 1e-5f);
  }
  EXPECT_NEAR(farthest, 0.050f / 4 * 1.5f / 1.45f, 2e-4f);
}

TEST_F(SceneTest, ReferenceThroughAPinholeIsThePicture) {
  TeapotScene scene(*context_);
  const ThinLens pinhole{50, 1e6, 36, 1.5};
  const CodePicture a = fetched(*context_, scene.render(240, 150, Camera{}));
  const CodePicture b = fetched(*context_, scene.render_reference(240, 150, Camera{}, pinhole, 2));
  double error = 0;
  for (int y = 0; y < 150; ++y)
    for (int x = 0; x < 240; ++x)
      for (int c = 0; c < 3; ++c) error += std::abs(a.color.view()(x, y, c) - b.color.view()(x, y, c));
  EXPECT_LT(error / (240 * 150 * 3), 0.1);
  EXPECT_TRUE(
      std::equal(a.disparity.view().data, a.disparity.view().data + 240 * 150, b.disparity.view().data));

  const CodePicture wide =
      fetched(*context_, scene.render_reference(240, 150, Camera{}, {50, 2, 36, 1.5}, 8));
  EXPECT_FALSE(
      std::equal(a.color.view().data, a.color.view().data + a.color.bytes(), wide.color.view().data));
}

TEST(Scenes, AreFoundByName) {
  EXPECT_EQ(scene_names(), (std::vector<std::string>{"teapot", "lights"}));
  for (const SceneTraits& scene : scenes()) EXPECT_EQ(&scene_named(scene.name), &scene);
  EXPECT_THROW(scene_named("teapots"), Error);
}

TEST_F(SceneTest, LightsOfAnySizeAreTheSameTwice) {
  LightsScene scene(*context_), again(*context_);
  for (const auto& [width, height] : {std::pair{1, 1}, {33, 17}, {320, 200}}) {
    const LightPicture a = fetched_light(*context_, scene.render(width, height, kGardenCamera));
    const LightPicture b = fetched_light(*context_, again.render(width, height, kGardenCamera));
    EXPECT_TRUE(same(a.light, b.light));
    EXPECT_TRUE(same(a.disparity, b.disparity));
    for (std::int64_t i = 0; i < a.light.view().extent(); ++i) {
      ASSERT_GE(a.light.view().data[i], 0);
      ASSERT_LE(a.light.view().data[i], 1000);
    }
    for (std::int64_t i = 0; i < a.disparity.view().extent(); ++i)
      ASSERT_TRUE(a.disparity.view().data[i] >= 0 && a.disparity.view().data[i] < 4);
  }
}

TEST_F(SceneTest, LightsHaveLampsNearThingsAndSky) {
  LightsScene scene(*context_);
  const LightPicture picture = fetched_light(*context_, scene.render(960, 540, kGardenCamera));
  int white = 0, bright = 0, near = 0, far = 0;
  float brightest = 0;
  for (std::int64_t y = 0; y < 540; ++y)
    for (std::int64_t x = 0; x < 960; ++x) {
      const float light = picture.light.view()(x, y, 0), disparity = picture.disparity.view()(x, y);
      white += light > 1;
      bright += light > 10;
      near += disparity > 1.2f;
      far += disparity < 0.05f;
      brightest = std::max(brightest, light);
    }
  EXPECT_GT(bright, 100);
  EXPECT_LT(white, 960 * 540 / 20);
  EXPECT_GT(near, 960 * 540 / 50);
  EXPECT_GT(far, 960 * 540 / 20);
  EXPECT_GT(brightest, 300);
}

TEST_F(SceneTest, TilesOfLightsAreSeamless) {
  LightsScene whole(*context_, {}, 1024), tiled(*context_, {}, 96);
  const LightPicture a = fetched_light(*context_, whole.render(333, 207, kGardenCamera));
  const LightPicture b = fetched_light(*context_, tiled.render(333, 207, kGardenCamera));
  // Thousands of thin edges: where they lie, moved by a rounding, now and then decides on a sample. A seam or
  // a moved picture would be many.
  int other_light = 0, other_place = 0;
  for (std::int64_t i = 0; i < 333 * 207; ++i) {
    const float ours = a.light.view().data[4 * i], theirs = b.light.view().data[4 * i];
    other_light += std::abs(ours - theirs) > 0.01f * (0.05f + ours);
    other_place += std::abs(a.disparity.view().data[i] - b.disparity.view().data[i]) > 5e-4f;
  }
  EXPECT_LT(other_light, 40);
  EXPECT_LT(other_place, 40);
}

TEST_F(SceneTest, ReferenceOfLightsThroughAPinholeIsThePictureBitForBit) {
  LightsScene scene(*context_);
  const ThinLens pinhole{50, std::numeric_limits<double>::infinity(), 36, 1.5};
  const LightPicture sharp = fetched_light(*context_, scene.render(240, 150, kGardenCamera));
  const LightPicture one =
      fetched_light(*context_, scene.render_reference(240, 150, kGardenCamera, pinhole, 1));
  EXPECT_TRUE(same(sharp.light, one.light));
  EXPECT_TRUE(same(sharp.disparity, one.disparity));
  // A lens moves light, and loses no more of it than what leaves the picture.
  const LightPicture wide =
      fetched_light(*context_, scene.render_reference(240, 150, kGardenCamera, {50, 4, 36, 1.5}, 16));
  EXPECT_FALSE(same(sharp.light, wide.light));
  double before = 0, after = 0;
  for (std::int64_t i = 0; i < sharp.light.view().extent(); ++i) {
    before += sharp.light.view().data[i];
    after += wide.light.view().data[i];
  }
  EXPECT_NEAR(after / before, 1, 0.25);
}

TEST_F(SceneTest, ALampsLightStandsWhereTheLampIs) {
  // No lamp is as near as the railing's first bars, the wires and most of the grass: where a pixel of theirs
  // is as bright as a lamp, it is the lamp's.
  LightsScene scene(*context_);
  const LightPicture picture = fetched_light(*context_, scene.render(960, 540, kGardenCamera));
  int lamps = 0;
  for (std::int64_t y = 0; y < 540; ++y)
    for (std::int64_t x = 0; x < 960; ++x) {
      const View<const float> light = std::as_const(picture.light).view();
      // Fireflies are green and may be near; street lamps and path lights are not.
      if (light(x, y, 0) < 4 || light(x, y, 1) > light(x, y, 0)) continue;
      ++lamps;
      EXPECT_LT(picture.disparity.view()(x, y), 0.75f) << x << ',' << y;
    }
  EXPECT_GT(lamps, 100);
}

TEST_F(SceneTest, BrokenReloadOfLightsKeepsTheOldPrograms) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "scene");
  test::save(folder / "scene/garden.frag", "#version 450 core\nout vec4 c;\nvoid main() { c = nonsense; }\n");
  LightsScene scene(*context_);
  const LightPicture before = fetched_light(*context_, scene.render(64, 48, kGardenCamera));
  EXPECT_THROW(scene.reload(ShaderSources(folder.path())), Error);
  EXPECT_TRUE(same(before.light, fetched_light(*context_, scene.render(64, 48, kGardenCamera)).light));
  EXPECT_NO_THROW(scene.reload(ShaderSources()));
}

}  // namespace
}  // namespace scanlens
