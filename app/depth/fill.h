// Fills pixels without a depth; inside scanlens_files.
#pragma once

#include <cstdint>

#include "core/view.h"

namespace scanlens {

/// Replaces every NaN: along a row by the farther (smaller) of the nearest known values left and right,
/// because what a stereo camera does not see is mostly background hidden behind an edge; a row without any
/// known value becomes a copy of the nearest row that has one, the upper of two. Returns how many there were;
/// when all are, nothing changes.
std::int64_t fill_unknown(View<float> disparity);

}  // namespace scanlens
