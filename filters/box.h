// The box filter: every sample becomes the mean over the square around it, in constant time however large.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/view.h"
#include "filters/filter.h"

namespace scanlens {

/// No square reaches farther than this.
inline constexpr std::int64_t kMostBoxRadius = std::int64_t{1} << 20;

struct BoxParams {
  double radius = 8;  ///< whole, 0 .. kMostBoxRadius
};

/// out(x, y, c) = the mean of image(i, j, c) over the pixels at most `radius` columns and rows away that lie
/// in the picture, integers rounded to nearest (halves up). In the samples' own values: sRGB codes are
/// averaged as codes, not as light.
///
/// A fourth channel is alpha: it becomes its mean, and a colour the sum of colour times alpha over the sum of
/// alpha, rounded once, so that what cannot be seen does not show. Where there is no alpha,
/// colours stay as they are (of floats, where alpha's mean is at most 2^-20). Opaque pictures have the means
/// of three channels. With 16-bit samples a box may have 2^32 pixels at most; more is an Error (usage).
///
/// Determinism: integers are exact; floats are sums of doubles, as core/sat.h says, and rounded once, with
/// alpha after each colour times alpha was.
/// Memory: a table of sums, 4 bytes a sample, or 8 where a box could sum to 2^32 and of floats; on CUDA, for
/// three channels of uint8_t and boxes of at most kMostPackedPixels, pictures of 1.5 million pixels and more,
/// and streams, take 8 bytes a pixel. On CUDA of the whole image, on the CPU of the rows that boxes reach,
/// floats but for streams also of the whole. Source: Crow, "Summed-Area Tables for Texture Mapping", 1984.
extern const Filter kBox;

/// run_filter of kBox.
template <class T>
void box_filter(Context& context, View<const T> image, std::int64_t radius, View<T> out) {
  run_filter<T>(context, {&kBox, BoxParams{.radius = static_cast<double>(radius)}}, image, out);
}

}  // namespace scanlens
