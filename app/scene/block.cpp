#include "app/scene/block.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <numbers>

namespace scanlens {
namespace {

/// A teapot stands this many metres above y = 0, where its flat bottom would be exactly as near as the
/// ground.
constexpr float kFootGap = 0.0004f;

/// Returns how high a teapot is that hops so often in a loop. It lingers on the floor, for that is where the
/// fourth power of a sine is flat.
float lift_of(const TeapotMotion& motion, double share) {
  const double sine = std::sin(std::numbers::pi * motion.hops * share);
  return static_cast<float>(motion.hop_m * sine * sine * sine * sine);
}

TeapotEntry entry_of(const PlacedTeapot& pot, const TeapotMotion& motion, const glm::vec4& model_ball,
                     double share) {
  TeapotEntry entry;
  const float lift = lift_of(motion, share);
  const float turn_deg = pot.turn_deg + static_cast<float>(360 * std::fmod(motion.turns * share, 1));
  const glm::vec3 foot{pot.place.x, kFootGap + lift, pot.place.y};
  const glm::mat4 upright = glm::rotate(glm::mat4(1), glm::radians(-90.0f), glm::vec3(1, 0, 0));
  entry.world_from_model =
      glm::scale(glm::rotate(glm::translate(glm::mat4(1), foot), glm::radians(turn_deg), glm::vec3(0, 1, 0)),
                 glm::vec3(pot.scale)) *
      upright;
  const glm::vec3 middle{entry.world_from_model * glm::vec4(glm::vec3(model_ball), 1)};
  const float radius = model_ball.w * pot.scale;
  entry.sphere = {middle, radius};
  entry.glaze = {pot.glaze, pot.roughness};
  entry.foot = {foot, pot.scale};
  entry.lift = {lift, 0, 0, 0};
  // The ball fills the unit cube: x and y across the light's direction, z away from the light.
  const glm::vec3 towards_key = glm::normalize(kTowardsKey);
  const glm::vec3 side = glm::normalize(glm::cross(glm::vec3(0, 1, 0), towards_key));
  const glm::vec3 over = glm::cross(towards_key, side);
  const glm::mat3 turn = glm::transpose(glm::mat3(side, over, -towards_key)) / (2 * radius);
  entry.shadow_from_world =
      glm::translate(glm::mat4(1), glm::vec3(0.5f)) * glm::mat4(turn) * glm::translate(glm::mat4(1), -middle);
  return entry;
}

}  // namespace

CameraBlock camera_block_of(const Projection& projection) {
  return {projection.clip_from_world,
          {projection.eye, 1},
          {projection.ray_corner, 0},
          {projection.ray_dx, 0},
          {projection.ray_dy, 0}};
}

/// The ball around the control points is one around the surface; its middle is their bounding box's.
glm::vec4 ball_around(const std::vector<BezierPatch>& patches) {
  glm::vec3 least = patches[0][0], most = patches[0][0];
  for (const BezierPatch& patch : patches)
    for (const glm::vec3& point : patch) least = glm::min(least, point), most = glm::max(most, point);
  const glm::vec3 middle = 0.5f * (least + most);
  float radius = 0;
  for (const BezierPatch& patch : patches)
    for (const glm::vec3& point : patch) radius = std::max(radius, glm::distance(point, middle));
  return {middle, radius};
}

TeapotsBlock teapots_block_of(const glm::vec4& model_ball, double share) {
  TeapotsBlock block;
  block.towards_key = {glm::normalize(kTowardsKey), 0};
  for (int i = 0; i < kTeapotCount; ++i)
    block.teapots[i] = entry_of(kTeapots[i], kMotions[i], model_ball, share);
  return block;
}

}  // namespace scanlens
