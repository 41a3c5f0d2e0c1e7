// Brings a map of depth to its photo: enlarges it along the photo's edges, and moves its jumps to them.
//
// The way to enlarge is joint bilateral upsampling: Kopf, Cohen, Lischinski and Uyttendaele, "Joint Bilateral
// Upsampling", SIGGRAPH 2007. A pixel of the photo takes the mean of the 4 x 4 pixels of the map around it.
// Their weights are their nearness, and the likeness of their mean colour to its colour. Two things are
// added, since that mean, as every filter's, smears jumps and copies texture into slopes:
// - where the map does not jump, no colour is looked at; it is bilinear there;
// - where it does, the 4 x 4 pixels are two layers, one nearer and one farther than their range's middle.
//   Each has a mean of its own. Pixels count by their distance from the middle, so that those across the
//   jump, which mix both sides, hardly count. The layers' squared weights decide between them.
//
// He, Sun and Tang's guided filter as an upsampler was measured beside it, and was worse than bilinear.
//
// The jumps of measured and of guessed maps lie some pixels beside the photo's edges. Beside a blurred thing
// its own outline stays sharp then, as dots and dashes. A pixel near a jump is held against the 7 x 7 pixels
// around it: they are a nearer and a farther layer, as above.
// - It goes to the other layer where that one's colours are clearly more like its own. So a photo with many
//   edges of its own loses little.
// - Pixels at the jump itself hardly count: they are what is doubted.
// - A pixel that mixes both layers is found by its linear light, which is on the way from the farther layer's
//   to the nearer one's. It goes to the nearer layer, if it lies beside a pixel of that: in focus it is shown
//   with its soft edge, and blurred it is wider by less than a pixel. The share itself is not kept
//   (tests/bench/RESULTS.md: what that would gain).
// - Where both layers have the same colours, or the photo is rough, no edge is seen, and nothing moves.
//
// A photo is grey or has red, green and blue first: codes of sRGB (uint8_t, uint16_t) or linear light
// (float). All values of a map are finite. The CPU and CUDA give the same bits, whatever the number of
// threads. Each call waits for its result.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/view.h"

namespace scanlens {

struct ValueRange {
  float least = 0, most = 0;
};

/// Enlarges a map to the size of `out`, bilinearly, and clips it to `within`. Returns the range of the
/// result. No side of the map may be empty, or larger than that of `out`.
ValueRange enlarge(Context& context, View<const float> map, const ValueRange& within, View<float> out);

/// Does so along the edges of the photo, which has the size of `out`.
template <class T>
ValueRange enlarge_along_edges(Context& context, View<const float> map, ConstView<T> photo,
                               const ValueRange& within, View<float> out);

struct MovedJumps {
  std::int64_t pixels = 0;  ///< that went to another layer
  ValueRange values;        ///< of the map then
};

/// Moves the jumps of a map of the photo's size.
template <class T>
MovedJumps move_jumps(Context& context, View<float> map, ConstView<T> photo);

/// Returns the bytes that move_jumps takes at most beside its arguments.
std::int64_t moving_bytes(std::int64_t width, std::int64_t height);

}  // namespace scanlens
