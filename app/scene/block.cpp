#include "app/scene/block.h"

#include <algorithm>
#include <glm/gtc/matrix_transform.hpp>

namespace scanlens {
namespace {

/// A teapot stands this many metres above y = 0, where its flat bottom would be exactly as near as the
/// ground.
constexpr float kFootGap = 0.0004f;

/// Returns a ball around the control points, and so around the surface: middle of their bounding box and
/// radius.
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

TeapotEntry entry_of(const PlacedTeapot& pot, const glm::vec4& model_ball) {
  TeapotEntry entry;
  const glm::vec3 foot{pot.place.x, kFootGap, pot.place.y};
  const glm::mat4 upright = glm::rotate(glm::mat4(1), glm::radians(-90.0f), glm::vec3(1, 0, 0));
  entry.world_from_model = glm::scale(glm::rotate(glm::translate(glm::mat4(1), foot),
                                                  glm::radians(pot.turn_deg), glm::vec3(0, 1, 0)),
                                      glm::vec3(pot.scale)) *
                           upright;
  const glm::vec3 middle{entry.world_from_model * glm::vec4(glm::vec3(model_ball), 1)};
  const float radius = model_ball.w * pot.scale;
  entry.sphere = {middle, radius};
  entry.glaze = {pot.glaze, pot.roughness};
  entry.foot = {foot, pot.scale};
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

TeapotsBlock teapots_block_of(const std::vector<BezierPatch>& patches) {
  TeapotsBlock block;
  block.towards_key = {glm::normalize(kTowardsKey), 0};
  const glm::vec4 ball = ball_around(patches);
  for (int i = 0; i < kTeapotCount; ++i) block.teapots[i] = entry_of(kTeapots[i], ball);
  return block;
}

}  // namespace scanlens
