// Fills pixels without a depth.
#pragma once

#include <cstdint>

#include "core/view.h"

namespace scanlens {

/// Replaces every NaN, along a row, by the farther (smaller) of the nearest known values left and right.
/// Pixels that a stereo camera does not see are mostly background hidden behind an edge. A row without a
/// known value becomes a copy of the nearest row with one, the upper of two. Returns the number of NaNs; if
/// all values are NaN, nothing changes.
std::int64_t fill_unknown(View<float> disparity);

}  // namespace scanlens
