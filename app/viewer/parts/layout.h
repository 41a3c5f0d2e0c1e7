// Divides the window between the panels and the picture.
#pragma once

#include <glm/glm.hpp>

#include "app/viewer/model/area.h"
#include "app/viewer/model/state.h"

namespace scanlens {

struct Layout {
  bool has_panels = false;
  Area panels;                ///< at the left border, if there are panels
  Area line{{0, 0}, {0, 0}};  ///< the part below the picture; else without height
  Area picture;  ///< the rest; all of a window that is too narrow for both, where panels cover the picture
};

/// The part below the picture: a clip's line of time, which lies over it where there are no panels, or a
/// strip of the folder's photos.
enum class Below { nothing, time, strip };

/// Returns the layout of a window whose letters are `letter` pixels high. An empty viewer has no panels.
Layout layout_of(const ViewState& state, glm::dvec2 window, double letter, bool is_empty,
                 Below below = Below::nothing);

/// Returns the panels' width, as state.panel_width has it, whose border is dragged to this column.
double panel_width_at(double column, double letter);

/// Makes letters larger by `steps`, or smaller if it is negative.
void change_text_size(ViewState& state, int steps);

}  // namespace scanlens
