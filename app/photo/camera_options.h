// The options that say where the camera of a scene stands.
#pragma once

#include <optional>

#include "app/scene/scenes.h"

namespace scanlens {

class Command;

struct CameraOptions {
  std::optional<float> azimuth_deg, elevation_deg, distance_m;
  std::optional<glm::vec3> target;

  /// Adds the options, each within the camera's ranges, in Group::camera.
  void add_options(Command& command);

  /// Returns the scene's own camera, moved as the options say.
  Camera of(const SceneTraits& scene) const;
};

/// Returns the options that place a camera there.
CameraOptions camera_options_of(const Camera& camera);

}  // namespace scanlens
