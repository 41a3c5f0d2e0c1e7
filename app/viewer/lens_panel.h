// The part of the panels for the lens: looks of known lenses, and its iris at three places of the picture.
#pragma once

#include "app/viewer/model/state.h"

namespace scanlens {

/// Returns the place of the known lens whose look the state has among kLensLooks; -1: no part of a look is
/// set; -2: the look is of no known lens.
int lens_look_of(const ViewState& state);
/// Gives the state the look of a known lens; -1 takes all of it away.
void take_lens_look(ViewState& state, int look);

/// Adds a list of known lenses. `size` is that of letters.
void build_lens_looks(ViewState& state);
/// Adds a blurred light in the middle, at the right edge and in the corner of a picture. `aspect` is the
/// picture's width by its height.
void build_irises(const ViewState& state, double aspect, float size);

}  // namespace scanlens
