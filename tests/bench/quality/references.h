// The pictures that depth of field is measured on and against, rendered, or found in a folder.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/gl/context.h"
#include "app/io/picture.h"
#include "app/scene/scenes.h"
#include "core/context.h"
#include "tests/bench/sizes.h"

namespace scanlens::bench {

/// Holds a scene as a pinhole sees it.
struct SharpScene {
  Picture picture;
  Image<float> disparity;
};

/// Names what is measured.
struct QualityCase {
  const SceneTraits& scene;
  Shape shape;
  double focus_m;
  int circle;  ///< largest radius in pixels

  std::string name() const;  ///< "lights_1920x1080_focus1.5_blur24"
};

/// Renders, where the folder does not have the picture, and leaves it there. OpenGL is not opened before
/// that. Codes are kept as PNG, light as OpenEXR, so that a picture from the folder is the one that was
/// rendered. A scene that has changed since is not noticed: its pictures are to be removed by hand.
class References {
 public:
  using Progress = std::function<void(const std::string&)>;

  /// An empty `folder` keeps nothing; else it is made where it is missing. `progress`, which may be empty, is
  /// told what is being rendered.
  References(std::filesystem::path folder, int cuda_ordinal, Progress progress);

  SharpScene sharp(const SceneTraits& scene, Shape shape);

  /// Returns the mean of `views` views through the lens that makes this blur.
  Picture truth(const QualityCase& one, const Blur& blur, int views);

 private:
  std::filesystem::path path_of(const std::string& name, SceneSamples samples) const;
  Picture kept(const std::filesystem::path& path, Shape shape) const;
  Scene& opened(const SceneTraits& scene);

  std::filesystem::path folder_;
  int cuda_ordinal_;
  Progress progress_;
  std::optional<GlContext> gl_;
  std::map<std::string, std::unique_ptr<Scene>> scenes_;
};

}  // namespace scanlens::bench
