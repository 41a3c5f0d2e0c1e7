// The moves of a scene's camera, against its projection.
#include "app/scene/camera.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace scanlens {
namespace {

constexpr int kWidth = 960, kHeight = 600;

/// Position of a point in the picture, pixels from its top left corner.
glm::vec2 pixel_of(glm::vec3 point, const Camera& camera, const ThinLens& lens = kSceneLens) {
  const glm::vec4 clip = Projection(kWidth, kHeight, camera, lens).clip_from_world * glm::vec4(point, 1);
  return {(clip.x / clip.w + 1) / 2 * kWidth, (1 - clip.y / clip.w) / 2 * kHeight};
}

Camera standing(float azimuth_deg, float elevation_deg, float distance_m) {
  return {.distance_m = distance_m, .azimuth_deg = azimuth_deg, .elevation_deg = elevation_deg};
}

TEST(CameraMoves, AnOrbitTurnsTheSceneWithThePointer) {
  const Camera camera = standing(20, 30, 2);
  EXPECT_EQ(orbited(camera, {40, 0}).azimuth_deg, 10);
  EXPECT_EQ(orbited(camera, {0, 40}).elevation_deg, 40);
  EXPECT_EQ(orbited(camera, {40, 40}).target, camera.target);
  EXPECT_EQ(orbited(camera, {40, 40}).distance_m, 2);
  const glm::vec3 eye = Projection(kWidth, kHeight, camera).eye;
  const glm::vec3 near = glm::mix(camera.target, eye, 0.1f);  // in the middle of the picture
  const auto moved = [&](glm::vec2 drag) {
    return pixel_of(near, orbited(camera, drag)) - pixel_of(near, camera);
  };
  EXPECT_GT(moved({20, 0}).x, 1);
  EXPECT_LT(moved({-20, 0}).x, -1);
  EXPECT_GT(moved({0, 20}).y, 1);
  EXPECT_LT(moved({0, -20}).y, -1);
}

TEST(CameraMoves, AnOrbitStaysAboveTheGroundAndComesRound) {
  Camera camera = standing(170, 30, 2);
  EXPECT_EQ(orbited(camera, {-80, 0}).azimuth_deg, -170);
  EXPECT_EQ(orbited(camera, {3.6e6f, 0}).azimuth_deg, 170);
  EXPECT_EQ(orbited(camera, {0, 1000}).elevation_deg, 89);
  EXPECT_EQ(orbited(camera, {0, -1000}).elevation_deg, 1);
  camera.azimuth_deg = 350;  // `render` takes a whole turn both ways
  EXPECT_EQ(orbited(camera, {0, 0}).azimuth_deg, -10);
}

TEST(CameraMoves, WhatIsAsFarAsTheTargetFollowsAPan) {
  const ThinLens wide{24, 2.8, 36, 1.5}, small{50, 1.4, 23.5, 1.5};
  for (const ThinLens& lens : {kSceneLens, wide, small})
    for (Camera camera : {standing(0, 10, 1.5f), standing(-130, 60, 0.4f), standing(77, 88, 30)}) {
      camera.target = {0.3f, 15, -0.2f};
      const glm::vec2 drag(37, -21);
      const Camera after = panned(camera, drag, lens, kWidth);
      const glm::vec2 off =
          pixel_of(camera.target, after, lens) - pixel_of(camera.target, camera, lens) - drag;
      EXPECT_LT(glm::length(off), 0.02f) << camera.azimuth_deg;
      EXPECT_EQ(after.azimuth_deg, camera.azimuth_deg);
      EXPECT_EQ(after.elevation_deg, camera.elevation_deg);
      EXPECT_EQ(after.distance_m, camera.distance_m);
    }
}

TEST(CameraMoves, APanKeepsTheTargetAboveTheGroundAndInReach) {
  const Camera camera = standing(0, 10, 100);
  EXPECT_EQ(panned(camera, {0, -900}, kSceneLens, kWidth).target.y, 0);
  EXPECT_EQ(panned(camera, {0, 9000}, kSceneLens, kWidth).target.y, 20);
  EXPECT_EQ(panned(camera, {-9000, 0}, kSceneLens, kWidth).target.x, 20);
  EXPECT_EQ(panned(camera, {9000, 0}, kSceneLens, kWidth).target.x, -20);
  EXPECT_EQ(panned(standing(90, 10, 100), {9000, 0}, kSceneLens, kWidth).target.z, 20);
}

TEST(CameraMoves, ADollyKeepsItsDistance) {
  const Camera camera = standing(5, 10, 2);
  EXPECT_EQ(dollied(camera, 0.5).distance_m, 1);
  EXPECT_EQ(dollied(camera, 1.25).distance_m, 2.5f);
  EXPECT_EQ(dollied(camera, 1e-9).distance_m, 0.3f);
  EXPECT_EQ(dollied(camera, 1e9).distance_m, 100);
  EXPECT_EQ(dollied(camera, 0.5).target, camera.target);
}

}  // namespace
}  // namespace scanlens
