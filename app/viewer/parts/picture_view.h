// Draws the picture into the window, in any of its views.
#pragma once

#include <glm/glm.hpp>

#include "app/gl/context.h"
#include "app/gl/objects.h"
#include "app/gl/program.h"
#include "app/viewer/model/image.h"
#include "app/viewer/model/placement.h"
#include "app/viewer/model/state.h"

namespace scanlens {

/// Belongs to the OpenGL context.
class PictureView {
 public:
  PictureView(const GlContext& gl, const ShaderSources& sources);

  /// Fills the bound framebuffer, of the window's size; the picture lies in the area.
  void draw(const Shown& shown, const ViewState& state, glm::dvec2 window, const Area& area);
  /// Fills it where there is no picture.
  void clear(const ViewState& state);

 private:
  void draw_part(const Shown& shown, const ViewState& state, ShownView view, glm::dvec2 window,
                 const Area& area, int from, int to);
  void set_depth(const Shown& shown, const ViewState& state);

  const GlContext& gl_;
  GlProgram plain_[2][2];  ///< a picture alone: [it is light][one tap will do]
  GlProgram of_depth_;     ///< all other views
  VertexArray nothing_;
  Texture turbo_;
  Sampler smooth_;
};

}  // namespace scanlens
