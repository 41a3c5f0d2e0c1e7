// Teapots on a tiled floor, near and far, in a photographer's studio.
#pragma once

#include "app/scene/block.h"
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
    GlProgram teapot, ground, background, shadow;
  };
  /// A teapot's shadow map is a layer of the moments. All are drawn with the one depth buffer.
  struct ShadowMaps {
    int side, level;  ///< texels, subdivisions of a patch
    Texture moments, depth;
    Framebuffer framebuffer;
  };

  static ShadowMaps make_shadow_maps(int side, int level);

  void compile(const ShaderSources& sources) override;
  void move_to(double share, SceneDetail detail) override;
  void draw(const Tile& tile, const Projection& projection) override;
  void draw_shadow_maps();

  Programs programs_;
  VertexArray patches_, nothing_;
  glm::vec4 ball_;  // around a teapot, in the model's units
  TeapotsBlock block_;
  Buffer control_points_, teapots_block_;
  int vertex_count_ = 0;
  ShadowMaps full_shadows_, draft_shadows_;
  const ShadowMaps* shadows_ = &full_shadows_;  // those of the moment
};

}  // namespace scanlens
