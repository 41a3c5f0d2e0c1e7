#include "app/scene/scenes.h"

#include <fmt/format.h>

#include "app/scene/lights.h"
#include "app/scene/teapot.h"
#include "core/error.h"

namespace scanlens {
namespace {

template <class T>
std::unique_ptr<Scene> opened(const GlContext& context, const ShaderSources& sources) {
  return std::make_unique<T>(context, sources);
}

}  // namespace

std::span<const SceneTraits> scenes() {
  static constexpr SceneTraits kScenes[] = {
      {"teapot",
       "seven teapots on a tiled floor, near and far",
       Camera{},
       {0.7, 1.5, 4.0},
       SceneSamples::codes,
       opened<TeapotScene>},
      {"lights",
       "a garden at night: grass and wire, a painted teapot in focus, lamps up to 1000 times white",
       kGardenCamera,
       {0.75, 1.5, 12.0},
       SceneSamples::light,
       opened<LightsScene>},
  };
  return kScenes;
}

std::vector<std::string> scene_names() {
  std::vector<std::string> names;
  for (const SceneTraits& scene : scenes()) names.emplace_back(scene.name);
  return names;
}

const SceneTraits& scene_named(std::string_view name) {
  for (const SceneTraits& scene : scenes())
    if (scene.name == name) return scene;
  throw Error(ErrorKind::usage, fmt::format("there is no scene '{}'", name));
}

}  // namespace scanlens
