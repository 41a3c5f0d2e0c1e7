// A garden at night with small bright lamps: where depth of field is hard.
#pragma once

#include <numbers>

#include "app/scene/garden.h"
#include "app/scene/scene.h"

namespace scanlens {

/// Its pictures are light: lamps are 10 to 1000 times white. Nothing in it mirrors. So a point looks the same
/// from everywhere on the lens, and depth of field by a depth map can be right.
class LightsScene : public Scene {
 public:
  /// Compiles the shaders of `sources`. `tile_side` is the largest side of a tile in pixels.
  explicit LightsScene(const GlContext& context, const ShaderSources& sources = {}, int tile_side = 1024);

 private:
  struct Programs {
    GlProgram garden, sky;
  };

  void compile(const ShaderSources& sources) override;
  void move_to(double share, SceneDetail) override {
    time_turn_ = static_cast<float>(2 * std::numbers::pi * share);
  }
  void draw(const Tile& tile, const Projection& projection) override;

  Programs programs_;
  VertexArray mesh_, nothing_;
  Buffer vertices_, indices_, lights_block_;
  GLsizei index_count_ = 0;
  float time_turn_ = 0;  // the share of the loop, in radians
};

}  // namespace scanlens
