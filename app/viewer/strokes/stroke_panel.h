// Strokes in the window: a part of the main panel, and lines over the picture.
#pragma once

#include <glm/glm.hpp>

#include "app/depth/depth.h"
#include "app/viewer/model/placement.h"
#include "app/viewer/strokes/stroke_mode.h"

namespace scanlens {

/// Builds tools, guidance, the list of strokes and a small view of the depth; `size` is that of letters.
void build_stroke_panel(StrokeMode& mode, const Depth* depth, float size);

/// Draws the strokes over the picture and the brush at the pointer, in the colours of Turbo, red near.
void draw_strokes(const StrokeMode& mode, const Placement& placement, glm::dvec2 pointer, float size);

}  // namespace scanlens
