// Renders teapots on a tiled floor, near and far, for trying out depth of field.
#pragma once

#include <functional>

#include "app/gl/context.h"
#include "app/gl/download.h"
#include "app/gl/objects.h"
#include "app/gl/program.h"
#include "app/scene/camera.h"

namespace scanlens {

/// Row 0 is the top of the picture, so that a download is an upright image.
struct RenderedScene {
  Texture color;      ///< GL_RGBA8, sRGB-encoded, alpha 255
  Texture disparity;  ///< GL_R32F, 1 / metre along the optical axis; 0 is infinitely far
  int width() const { return color.width(); }
  int height() const { return color.height(); }
};

/// Belongs to the context that it was made in, which must be current for every call and outlive it. The
/// pictures are deterministic: the same call gives the same bytes on the same machine and driver. Memory
/// beside the result is bounded: pictures are drawn in tiles, 4 samples per pixel.
class TeapotScene {
 public:
  /// Compiles the shaders of `sources` and draws the shadow maps. `tile_side` is the largest side of a tile
  /// in pixels.
  explicit TeapotScene(const GlContext& context, const ShaderSources& sources = {}, int tile_side = 1024);

  /// Throws Error: usage when a side is less than 1 or more than GL_MAX_TEXTURE_SIZE or a lens parameter is
  /// not positive, retry when memory is short. On return the rendering may still be under way; a download
  /// waits for it. OpenGL state is back at its defaults afterwards, framebuffer 0 bound.
  RenderedScene render(int width, int height, const Camera& camera, const ThinLens& lens = kSceneLens,
                       LensSample sample = {});

  /// Renders what a real lens would see: the mean of `samples` pictures through points spread over the
  /// aperture, in linear light, encoded once at the end. The disparity is that of a pinhole in the middle
  /// of the lens. `drawn` is called after every picture with the share of all that has been asked for.
  RenderedScene render_reference(int width, int height, const Camera& camera, const ThinLens& lens,
                                 int samples, const std::function<void(double)>& drawn = {});

  /// Compiles the shaders again. When that throws, all programs are what they were before.
  void reload(const ShaderSources& sources);

 private:
  struct Programs {
    GlProgram teapot, ground, background, resolve, accumulate, encode;
  };
  struct Tile {
    int x, y, width, height;
  };
  /// Holds a picture under way: its textures, and the framebuffer that draws into both.
  struct Target {
    RenderedScene scene;
    Framebuffer framebuffer;
  };

  Programs compile(const ShaderSources& sources) const;
  void draw_shadow_maps(const ShaderSources& sources);
  void use_tiles_of(int width, int height, bool reference);
  void check_size(int width, int height) const;
  Target make_target(int width, int height) const;
  template <class Body>
  void for_each_tile(int width, int height, bool reference, const Body& body);
  void upload(const Projection& projection);
  void draw(const Tile& tile, int width, int height, const Projection& projection);
  void resolve(const Tile& tile, const Framebuffer& framebuffer);
  void begin_sum();
  void add_to_sum(const Tile& tile);
  void encode_sum(const Tile& tile, const Framebuffer& framebuffer);

  const GlContext& context_;
  int tile_side_;
  int samples_;
  Programs programs_;
  VertexArray patches_, nothing_;
  Buffer control_points_, scene_block_;
  int vertex_count_ = 0;
  Texture shadow_moments_;
  // A tile has its samples here, and the sum of resolved pictures.
  Texture tile_color_, tile_depth_, tile_sum_;
  Framebuffer tile_, sum_;
};

}  // namespace scanlens
