// Moves the jumps of a depth map, which has its photo's size, to the edges of the photo. Inside
// scanlens_files.
//
// The jumps of measured and of guessed maps lie some pixels beside the photo's edges. Beside a blurred thing
// its own outline stays sharp then, as dots and dashes. A pixel near a jump is held against the 7 x 7 pixels
// around it: they are a nearer and a farther layer, as in app/depth/edges.h, and the layer of like colours is
// its own.
// - Pixels at the jump itself hardly count: they are what is doubted.
// - Pixels that are mixed of both layers look like neither. They go to the nearer one: in focus it is shown
// with
//   its soft edge, and blurred it is wider by less than a pixel.
// - Where both layers have the same colours, the edge is not seen, and nothing moves.
#pragma once

#include <cstdint>

#include "app/depth/depth.h"

namespace scanlens {

/// Returns how many pixels went to another layer. `map` must have the size of the photo. The result does not
/// depend on the number of threads.
std::int64_t move_jumps(Image<float>& map, const PhotoRows& photo);

}  // namespace scanlens
