// This is what the scenes' shaders know: the C++ side of shaders/scene/camera_block.glsl and
// teapots_block.glsl (std140). Metres, y up.
#pragma once

#include <glm/glm.hpp>
#include <vector>

#include "app/scene/camera.h"
#include "app/scene/layout.h"
#include "app/scene/patches.h"

namespace scanlens {

struct TeapotEntry {
  glm::mat4 world_from_model;
  glm::mat4 shadow_from_world;  ///< to the unit cube around it: x, y across the key light, z away from it
  glm::vec4 sphere;             ///< centre and radius of a ball around the teapot
  glm::vec4 glaze;              ///< reflectance, roughness
  glm::vec4 foot;               ///< middle of the foot, metres for one model unit
  glm::vec4 lift;               ///< metres from where the foot stands up to where it is, then nothing
};

/// The camera's block, of all scenes, changes with every picture.
struct CameraBlock {
  glm::mat4 clip_from_world;
  glm::vec4 eye;
  glm::vec4 ray_corner, ray_dx, ray_dy;
};

CameraBlock camera_block_of(const Projection& projection);

/// The teapots' block changes with time.
struct TeapotsBlock {
  glm::vec4 towards_key;
  TeapotEntry teapots[kTeapotCount];
};

/// Returns a ball around a teapot made of `patches`, in the model's units: middle and radius.
glm::vec4 ball_around(const std::vector<BezierPatch>& patches);

/// Returns the block for teapots that each fill this ball, at this share of the scene's loop.
TeapotsBlock teapots_block_of(const glm::vec4& model_ball, double share);

}  // namespace scanlens
