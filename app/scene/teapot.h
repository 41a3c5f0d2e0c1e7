// Teapots on a tiled floor, near and far, in a photographer's studio.
#pragma once

#include "app/scene/scene.h"

namespace scanlens {

/// Its pictures are codes.
class TeapotScene : public Scene {
 public:
  /// Compiles the shaders of `sources` and draws the shadow maps. `tile_side` is the largest side of a tile
  /// in pixels.
  explicit TeapotScene(const GlContext& context, const ShaderSources& sources = {}, int tile_side = 1024);

 private:
  struct Programs {
    GlProgram teapot, ground, background;
  };

  void compile(const ShaderSources& sources) override;
  void draw(const Tile& tile, const Projection& projection) override;
  void draw_shadow_maps(const ShaderSources& sources);

  Programs programs_;
  VertexArray patches_, nothing_;
  Buffer control_points_, teapots_block_;
  int vertex_count_ = 0;
  Texture shadow_moments_;
};

}  // namespace scanlens
