// Which part of the window the panels take, and which part is the picture's.
#pragma once

#include <glm/glm.hpp>

#include "app/viewer/model/area.h"
#include "app/viewer/model/state.h"

namespace scanlens {

struct Layout {
  bool has_panels = false;
  Area panels;   ///< at the left border, if there are panels
  Area picture;  ///< the rest; all of a window that is too narrow for both, where panels cover the picture
};

/// Returns the layout of a window whose letters are so many pixels high. An empty viewer has no panels.
Layout layout_of(const ViewState& state, glm::dvec2 window, double letter, bool is_empty);

/// Returns the panels' width, as state.panel_width has it, whose border is dragged to this column.
double panel_width_at(double column, double letter);

/// Makes letters larger by so many steps, or smaller.
void change_text_size(ViewState& state, int steps);

}  // namespace scanlens
