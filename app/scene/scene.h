// A scene for trying out depth of field: what all of them share. One of them is a class derived from this,
// which draws what there is to see; scenes.h names them.
#pragma once

#include <functional>

#include "app/gl/context.h"
#include "app/gl/download.h"
#include "app/gl/objects.h"
#include "app/gl/program.h"
#include "app/scene/camera.h"

namespace scanlens {

/// The samples of a rendered picture.
enum class SceneSamples {
  codes,  ///< GL_RGBA8, sRGB-encoded, alpha 255: the light is between 0 and 1
  light,  ///< GL_RGBA32F, linear light, alpha 1: lamps are brighter than white, which is 1
};

/// The detail of a scene's shadows.
enum class SceneDetail {
  full,
  draft,  ///< for pictures that move: teapots' shadows a sixteenth of the work, and softer for it
};

/// Row 0 is the top of the picture, so that a download is an upright image.
struct RenderedScene {
  Texture color;
  Texture disparity;  ///< GL_R32F, 1 / metre along the optical axis; 0 is infinitely far
  SceneSamples samples = SceneSamples::codes;
  Framebuffer framebuffer;  ///< draws into both
  int width() const { return color.width(); }
  int height() const { return color.height(); }
};

/// Belongs to the context that it was made in, which must be current for every call and outlive it. The
/// pictures are deterministic: the same call gives the same bytes on the same machine and driver. Memory
/// beside the result is bounded: pictures are drawn in tiles, 4 samples per pixel.
///
/// A pixel's colour is the mean of its samples in linear light. Its disparity is one sample's, for a mean of
/// near and far would be a place where nothing is: that of the nearest surface which, with all before it, has
/// half of the pixel. A sample that is several times as bright as white counts as often. So a pixel as bright
/// as a lamp stands where the lamp is.
class Scene {
 public:
  virtual ~Scene() = default;
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  /// Throws Error: usage when a side is less than 1 or more than GL_MAX_TEXTURE_SIZE or a lens parameter is
  /// not positive, retry when memory is short. On return the rendering may still be under way; a download
  /// waits for it. OpenGL state is back at its defaults afterwards, framebuffer 0 bound.
  RenderedScene render(int width, int height, const Camera& camera, const ThinLens& lens = kSceneLens,
                       LensSample sample = {});

  /// Renders the same into a picture that the caller keeps, for one frame after another: its textures are
  /// made when it has no textures of this size and these samples, and nothing is allocated otherwise. When
  /// textures cannot be made, it keeps those that it has.
  void render(RenderedScene& into, int width, int height, const Camera& camera,
              const ThinLens& lens = kSceneLens, LensSample sample = {});

  /// Renders what a real lens would see: the mean of `samples` pictures through points spread over the
  /// aperture, in linear light. Codes are encoded once at the end. The disparity is that of a pinhole in the
  /// middle of the lens. `drawn` is called after every picture with the share of all that has been asked for.
  RenderedScene render_reference(int width, int height, const Camera& camera, const ThinLens& lens,
                                 int samples, const std::function<void(double)>& drawn = {});

  /// Seconds after which all that moves in a scene is back where it began.
  static constexpr double kLoopSeconds = 60;

  /// Moves the scene to `seconds`, 0 or more, after its beginning, where it stands when it is made. The
  /// pictures from then on are of that moment. Where it stands there in full detail already, it stays so.
  void set_time(double seconds, SceneDetail detail = SceneDetail::full);

  /// Compiles the shaders again, and all pictures from then on are theirs. When that throws, all programs are
  /// what they were before.
  void reload(const ShaderSources& sources);

 protected:
  /// A part of the picture, which is drawn at a time.
  struct Tile {
    int x, y, width, height;
    int picture_width, picture_height;

    glm::vec2 origin() const { return {static_cast<float>(x), static_cast<float>(y)}; }
  };

  /// `tile_side` is the largest side of a tile in pixels.
  Scene(const GlContext& context, const ShaderSources& sources, SceneSamples samples, int tile_side);

  /// Draws all that the tile shows of the scene in linear light, with depth. The framebuffer, cleared, and
  /// the viewport are set, depth is tested for GL_GREATER, and the camera's block
  /// (shaders/scene/camera_block.glsl) is bound.
  virtual void draw(const Tile& tile, const Projection& projection) = 0;

  /// Moves everything to where it is at this share of the loop, 0 <= share < 1, and draws what depends on
  /// that alone, shadows say. At 0, in full detail, the scene is as it was made.
  virtual void move_to(double share, SceneDetail detail) = 0;

  /// Replaces the scene's own programs by those of `sources`, all or none.
  virtual void compile(const ShaderSources& sources) = 0;

  /// Sets what a scene's drawing needs beside OpenGL's defaults. Sets the defaults again at the end; the next
  /// user of this context, a window toolkit say, expects them.
  struct DrawingState {
    DrawingState();
    ~DrawingState();
    DrawingState(const DrawingState&) = delete;
    DrawingState& operator=(const DrawingState&) = delete;
  };

  const GlContext& context_;

 private:
  struct Programs {
    GlProgram resolve, accumulate, finish;
  };

  Programs compile_own(const ShaderSources& sources) const;
  void use_tiles_of(int width, int height, bool reference);
  void check_size(int width, int height) const;
  void make_room(RenderedScene& picture, int width, int height) const;
  template <class Body>
  void for_each_tile(int width, int height, bool reference, const Body& body);
  void draw_tile(const Tile& tile, const Projection& projection);
  void resolve(const Tile& tile, const Framebuffer& framebuffer);
  void begin_sum();
  void add_to_sum(const Tile& tile);
  void finish_sum(const Tile& tile, const Framebuffer& framebuffer);

  SceneSamples kind_;
  int tile_side_;
  double share_ = 0;  // of the loop
  SceneDetail detail_ = SceneDetail::full;
  int samples_;
  Programs programs_;
  VertexArray nothing_;
  Buffer camera_block_;
  // A tile has its samples here, and the sum of resolved pictures.
  Texture tile_color_, tile_depth_, tile_sum_;
  Framebuffer tile_, sum_;
};

}  // namespace scanlens
