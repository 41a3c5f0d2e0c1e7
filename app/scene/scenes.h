// The scenes by name.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/scene/scene.h"

namespace scanlens {

struct SceneTraits {
  const char* name;
  const char* help;
  Camera camera;         ///< that it is composed for, with kSceneLens
  double focus_m[3];     ///< something near, in the middle and far, to focus on
  SceneSamples samples;  ///< what its pictures are
  std::unique_ptr<Scene> (*open)(const GlContext& context, const ShaderSources& sources);
};

std::span<const SceneTraits> scenes();

/// Returns their names, in the order in which help lists them.
std::vector<std::string> scene_names();

/// Throws Error (usage) when there is no scene of that name.
const SceneTraits& scene_named(std::string_view name);

}  // namespace scanlens
