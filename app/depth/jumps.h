// Moves the jumps of a depth map, which has its photo's size, to the edges of the photo. Inside
// scanlens_files.
//
// The jumps of measured and of guessed maps lie some pixels beside the photo's edges. Beside a blurred thing
// its own outline stays sharp then, as dots and dashes. A pixel near a jump is held against the 7 x 7 pixels
// around it: they are a nearer and a farther layer, as in app/depth/edges.h.
// - It goes to the other layer where that one's colours are clearly more like its own. So a photo with many
//   edges of its own loses little.
// - Pixels at the jump itself hardly count: they are what is doubted.
// - A pixel that mixes both layers is found by its linear light, which is on the way from the farther layer's
//   to the nearer one's. It goes to the nearer layer, if it lies beside a pixel of that: in focus it is shown
//   with its soft edge, and blurred it is wider by less than a pixel. The share itself is not kept
//   (tests/bench/RESULTS.md: what that would gain).
// - Where both layers have the same colours, or the photo is rough, no edge is seen, and nothing moves.
#pragma once

#include <cstdint>

#include "app/depth/depth.h"

namespace scanlens {

/// Returns how many pixels went to another layer. `map` must have the size of the photo. The result does not
/// depend on the number of threads.
std::int64_t move_jumps(Image<float>& map, const PhotoRows& photo);

}  // namespace scanlens
