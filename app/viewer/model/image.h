// A picture with its depth, where the stages of a frame take it from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "app/depth/depth.h"
#include "app/gl/context.h"
#include "app/gl/objects.h"
#include "app/gl/program.h"
#include "app/io/picture.h"
#include "app/scene/scenes.h"
#include "app/viewer/model/state.h"
#include "filters/dof/layered.h"

namespace scanlens {

/// Holds a picture and its disparity in textures; in host memory too, where the host blurs it.
struct ViewedImage {
  RenderedScene textures;  ///< of a photo GL_RGBA8, GL_RGBA16 or GL_RGBA32F; disparity only of one with depth
  int bits = 8;            ///< of a sample: 8, 16 or 32
  int channels = 3;        ///< 1, 3 or 4
  LightRange light;        ///< what float samples stand for
  float brightest = 1;     ///< light of a photo; above white its tones are mapped
  bool metric = false;
  float least = 0, most = 0;  ///< of the disparity
  std::optional<Picture> picture;
  std::optional<Image<float>> depth;

  const Texture& color() const { return textures.color; }
  const Texture& disparity() const { return textures.disparity; }
  int width() const { return color().width(); }
  int height() const { return color().height(); }
  bool has_depth() const { return static_cast<bool>(disparity()); }
  bool is_light() const { return bits == 32; }
};

/// A frame's pictures, for the window.
struct Shown {
  const ViewedImage* image = nullptr;
  const Texture* result = nullptr;
  const Texture* reference = nullptr;  ///< what the result is compared with
  const Texture* layers = nullptr;     ///< their colours where they cover the picture, once that is known
  glm::dvec2 size = {};                ///< the picture's, whatever scale the textures have
  Blur blur = {};                      ///< on the image
};

/// Returns the samples of a picture and their profile at a size smaller by a whole factor: means of squares.
Picture smaller(const Picture& picture, int divisor);

/// Brings a photo to textures, at a size smaller by a whole factor. Throws Error (failed) where OpenGL's
/// textures do not hold it, (retry) where memory is short.
ViewedImage image_of_photo(const GlContext& gl, const Picture& picture, const Depth* depth, int divisor);

/// Gives such an image another depth of the whole photo, or none.
void set_depth(const GlContext& gl, ViewedImage& image, const Depth* depth, int divisor);

/// Fills in the host's copies of the textures, where they are missing.
void bring_to_host(const GlContext& gl, ViewedImage& image);

/// A scene that the viewer renders itself. Belongs to the OpenGL context.
class LiveScene {
 public:
  LiveScene(const GlContext& gl, const SceneTraits& traits, const ShaderSources& sources);

  const SceneTraits& traits() const { return traits_; }

  /// Returns the state's lens.
  static ThinLens lens(const ViewState& state);

  /// Renders what the state's camera sees. The image stays the scene's, until the next.
  ViewedImage& render(const ViewState& state, int width, int height, SceneDetail detail);

  /// Renders what a real lens would show, as the mean of `views` views through it.
  Texture reference(const ViewState& state, int width, int height, const Blur& blur, int views);

  /// Compiles the shaders again. When that throws, the scene is what it was before.
  void reload(const ShaderSources& sources);

 private:
  void find_extremes();

  const GlContext& gl_;
  const SceneTraits& traits_;
  std::unique_ptr<Scene> scene_;
  GlProgram extremes_;
  Buffer found_;
  ViewedImage image_;
};

/// Returns the state's camera, and sets it.
Camera camera_of(const ViewState& state);
void set_camera(ViewState& state, const Camera& camera);

/// Returns how near the state's lens focuses, in metres: what lies nearer than the focal length no lens
/// shows.
double nearest_focus(const ViewState& state);

/// Returns the blur of the state's lens, focused at this disparity, on an image.
Blur blur_of(const ViewState& state, float focus_disparity, const ViewedImage& image);

/// Returns where depth of field cuts the image into layers, as far as the extremes of its disparity tell.
LayerCuts cuts_of(const ViewedImage& image, const LayeredLens& lens, DofQuality quality);

/// Returns the disparity that the state's focus stands for, and back.
float focus_disparity(const ViewState& state, bool metric);
double focus_value(float disparity, bool metric);

}  // namespace scanlens
