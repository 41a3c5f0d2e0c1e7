// Draws the panels, which Dear ImGui makes triangles of.
#pragma once

#include <imgui.h>

#include "app/gl/context.h"
#include "app/gl/objects.h"
#include "app/gl/program.h"

namespace scanlens {

/// Belongs to the OpenGL context. ImGui's own OpenGL backend looks for functions in libGL, which machines
/// with EGL alone lack; this one uses those that the program has loaded.
class Painter {
 public:
  /// Makes the texture of the current ImGui context's fonts.
  Painter(const GlContext& gl, const ShaderSources& sources);

  /// Makes that texture again, after a change of fonts.
  void make_fonts();

  /// Draws into the bound framebuffer.
  void draw(const ImDrawData& data);

 private:
  const GlContext& gl_;
  GlProgram program_;
  Texture fonts_;
  VertexArray layout_;
};

}  // namespace scanlens
