// Scenes frame after frame: pictures that the caller keeps, and time.
#include <cmath>
#include <cstdlib>
#include <vector>

#include "app/scene/block.h"
#include "app/scene/lights.h"
#include "app/scene/patches.h"
#include "app/scene/teapot.h"
#include "tests/gl/scene_fixture.h"

namespace scanlens {
namespace {

using SceneFrames = GlTest;
using SceneTime = GlTest;

int objects_of_opengl() {
  int count = 0;
  for (GLuint id = 1; id < 1000; ++id)
    count += glIsTexture(id) + glIsFramebuffer(id) + glIsBuffer(id) + glIsRenderbuffer(id);
  return count;
}

TEST_F(SceneFrames, AKeptPictureIsThatWhichIsReturned) {
  TeapotScene scene(*context_);
  RenderedScene kept;
  Camera camera;
  scene.render(kept, 160, 100, camera);
  const GLuint color = kept.color.id(), disparity = kept.disparity.id(), drawn = kept.framebuffer.id();
  const int objects = objects_of_opengl();
  for (int frame = 0; frame < 3; ++frame) {
    camera.azimuth_deg += 10;
    scene.set_time(frame);
    scene.render(kept, 160, 100, camera);
    EXPECT_EQ(kept.color.id(), color);
    EXPECT_EQ(kept.disparity.id(), disparity);
    EXPECT_EQ(kept.framebuffer.id(), drawn);
    EXPECT_EQ(objects_of_opengl(), objects);
    const CodePicture ours = fetched(*context_, kept);
    const CodePicture fresh = fetched(*context_, scene.render(160, 100, camera));
    EXPECT_TRUE(same(ours.color, fresh.color));
    EXPECT_TRUE(same(ours.disparity, fresh.disparity));
  }
}

TEST_F(SceneFrames, AKeptPictureTakesOtherSizesAndSamples) {
  TeapotScene teapots(*context_);
  LightsScene lights(*context_);
  RenderedScene kept;
  for (const auto& [width, height] : {std::pair{64, 40}, {65, 40}, {65, 41}}) {
    teapots.render(kept, width, height, Camera{});
    ASSERT_EQ(kept.width(), width);
    ASSERT_EQ(kept.disparity.height(), height);
    EXPECT_TRUE(same(fetched(*context_, kept).color,
                     fetched(*context_, teapots.render(width, height, Camera{})).color));
  }
  lights.render(kept, 65, 41, kGardenCamera);
  EXPECT_TRUE(same(fetched_light(*context_, kept).light,
                   fetched_light(*context_, lights.render(65, 41, kGardenCamera)).light));
  const GLuint color = kept.color.id();
  EXPECT_THROW(lights.render(kept, 0, 41, kGardenCamera), Error);
  EXPECT_EQ(kept.color.id(), color);
}

TEST(TeapotMotion, NoTeapotSinksOrMeetsAnother) {
  const std::vector<BezierPatch> patches = teapot_patches();
  const glm::vec4 ball = ball_around(patches);
  float reach = 0;  // from the axis, in model units; the surface lies within the control points' hull
  for (const BezierPatch& patch : patches)
    for (const glm::vec3& point : patch) reach = std::max(reach, glm::length(glm::vec2(point)));
  constexpr int kSteps = 6000;
  float highest[kTeapotCount] = {};
  for (int step = 0; step < kSteps; ++step) {
    const TeapotsBlock block = teapots_block_of(ball, static_cast<double>(step) / kSteps);
    for (int i = 0; i < kTeapotCount; ++i) {
      const TeapotEntry& pot = block.teapots[i];
      ASSERT_GE(pot.lift.x, 0);
      ASSERT_GT(pot.foot.y, pot.lift.x);
      highest[i] = std::max(highest[i], pot.lift.x);
      // A turned axis would tilt the pot into the floor.
      ASSERT_FLOAT_EQ((pot.world_from_model * glm::vec4(0, 0, 3, 0)).y, 3 * pot.foot.w);
      for (int j = 0; j < i; ++j) {
        const glm::vec4& other = block.teapots[j].foot;
        ASSERT_GT(std::hypot(pot.foot.x - other.x, pot.foot.z - other.z), reach * (pot.foot.w + other.w));
      }
    }
  }
  for (int i = 0; i < kTeapotCount; ++i) EXPECT_NEAR(highest[i], kMotions[i].hop_m, 1e-4f);
}

TEST(TeapotMotion, IsSmoothAndEndsWhereItBegins) {
  const glm::vec4 ball = ball_around(teapot_patches());
  constexpr double kStep = 1.0 / 60 / Scene::kLoopSeconds;  // a frame
  TeapotsBlock before = teapots_block_of(ball, 0);
  for (int frame = 1; frame <= 3600; ++frame) {
    const TeapotsBlock block = teapots_block_of(ball, frame == 3600 ? 0 : kStep * frame);
    for (int i = 0; i < kTeapotCount; ++i) {
      const glm::vec4 spout(3.5f, 0, 2.4f, 1);
      const glm::vec3 moved(block.teapots[i].world_from_model * spout -
                            before.teapots[i].world_from_model * spout);
      ASSERT_LT(glm::length(moved), 0.005f) << i << " in frame " << frame;  // 0.3 m/s
      ASSERT_GT(glm::length(moved), 0);
    }
    before = block;
  }
}

TEST_F(SceneTime, BeginsAsTheSceneIsMadeAndComesRound) {
  TeapotScene scene(*context_), untouched(*context_);
  const CodePicture beginning = fetched(*context_, untouched.render(320, 200, Camera{}));
  scene.set_time(7.3);
  EXPECT_FALSE(same(fetched(*context_, scene.render(320, 200, Camera{})).color, beginning.color));
  for (const double seconds : {0.0, Scene::kLoopSeconds, 86400.0}) {
    scene.set_time(7.3);
    scene.set_time(seconds);
    const CodePicture again = fetched(*context_, scene.render(320, 200, Camera{}));
    EXPECT_TRUE(same(again.color, beginning.color)) << seconds;
    EXPECT_TRUE(same(again.disparity, beginning.disparity)) << seconds;
  }
}

TEST_F(SceneTime, DraftsHaveOtherShadowsAndNothingElse) {
  TeapotScene scene(*context_), full(*context_);
  full.set_time(7.3);
  const CodePicture wanted = fetched(*context_, full.render(320, 200, Camera{}));
  scene.set_time(7.3, SceneDetail::draft);
  const CodePicture draft = fetched(*context_, scene.render(320, 200, Camera{}));
  EXPECT_TRUE(same(draft.disparity, wanted.disparity));
  EXPECT_FALSE(same(draft.color, wanted.color));
  std::int64_t changed = 0;
  for (std::int64_t i = 0; i < wanted.color.view().extent(); ++i)
    changed += std::abs(draft.color.view().data[i] - wanted.color.view().data[i]) > 8;
  EXPECT_LT(changed, wanted.color.view().extent() / 20);

  // Full detail comes at the same moment, and stays when drafts are asked for there.
  for (const SceneDetail detail : {SceneDetail::full, SceneDetail::draft}) {
    scene.set_time(7.3, detail);
    EXPECT_TRUE(same(fetched(*context_, scene.render(320, 200, Camera{})).color, wanted.color));
  }
}

TEST_F(SceneTime, IsTheSameForAllScenesReferencesAndPathsToIt) {
  TeapotScene scene(*context_), other(*context_);
  scene.set_time(2.2);
  for (const double seconds : {1.0, 9.0, 2.2}) other.set_time(seconds);
  const CodePicture a = fetched(*context_, scene.render(320, 200, Camera{}));
  const CodePicture b = fetched(*context_, other.render(320, 200, Camera{}));
  EXPECT_TRUE(same(a.color, b.color));
  EXPECT_TRUE(same(a.disparity, b.disparity));
  const CodePicture reference =
      fetched(*context_, other.render_reference(320, 200, Camera{}, {50, 1e6, 36, 1.5}, 1));
  EXPECT_TRUE(same(a.disparity, reference.disparity));
  int off = 0;
  for (std::int64_t i = 0; i < a.color.view().extent(); ++i)
    off = std::max(off, std::abs(a.color.view().data[i] - reference.color.view().data[i]));
  EXPECT_LE(off, 2);
  scene.reload(ShaderSources());
  EXPECT_TRUE(same(a.color, fetched(*context_, scene.render(320, 200, Camera{})).color));
}

TEST_F(SceneTime, ShadowsFollowTheTeapots) {
  // After 3 s the pot in the middle stands on the floor again, turned by a fifth of a turn.
  const glm::vec2 place = kTeapots[2].place;
  static_assert(kMotions[2].hops % 20 == 0 && kMotions[2].turns % 20 != 0);
  constexpr int kWidth = 640, kHeight = 400;
  Camera camera;
  camera.elevation_deg = 40;
  TeapotScene scene(*context_);
  const CodePicture before = fetched(*context_, scene.render(kWidth, kHeight, camera));
  scene.set_time(3);
  const CodePicture after = fetched(*context_, scene.render(kWidth, kHeight, camera));

  const Projection projection(kWidth, kHeight, camera);
  int pot = 0, darker = 0, brighter = 0;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const float disparity = before.disparity.view()(x, y);
      const glm::vec3 ray = projection.ray_corner + (static_cast<float>(x) + 0.5f) * projection.ray_dx +
                            (static_cast<float>(y) + 0.5f) * projection.ray_dy;
      const glm::vec3 point = projection.eye + ray / disparity;
      if (glm::distance(glm::vec2(point.x, point.z), place) > 0.4f) continue;
      if (disparity != after.disparity.view()(x, y)) {
        ++pot;
      } else if (point.y < 0.002f) {
        const int change = after.color.view()(x, y, 1) - before.color.view()(x, y, 1);
        darker += change < -20;
        brighter += change > 20;
      }
    }
  EXPECT_GT(pot, 1000);
  EXPECT_GT(darker, 150);
  EXPECT_GT(brighter, 150);
}

TEST_F(SceneTime, OfLightsMovesLeavesAndFirefliesAlone) {
  LightsScene scene(*context_), untouched(*context_);
  const LightPicture beginning = fetched_light(*context_, untouched.render(480, 270, kGardenCamera));
  scene.set_time(4.5);
  const LightPicture later = fetched_light(*context_, scene.render(480, 270, kGardenCamera));
  int moved = 0;
  for (std::int64_t i = 0; i < 480 * 270; ++i)
    moved += beginning.disparity.view().data[i] != later.disparity.view().data[i];
  EXPECT_GT(moved, 480 * 270 / 50);
  EXPECT_LT(moved, 480 * 270 / 3);
  for (const double seconds : {0.0, Scene::kLoopSeconds}) {
    scene.set_time(4.5);
    scene.set_time(seconds);
    const LightPicture again = fetched_light(*context_, scene.render(480, 270, kGardenCamera));
    EXPECT_TRUE(same(again.light, beginning.light)) << seconds;
    EXPECT_TRUE(same(again.disparity, beginning.disparity)) << seconds;
  }
}

}  // namespace
}  // namespace scanlens
