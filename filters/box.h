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

/// out(x, y, c) = the mean of image(i, j, c) over the pixels of the picture that are at most `radius` columns
/// and rows away. Integers are rounded to nearest (halves up). In the samples' own values: sRGB codes are
/// averaged as codes, not as light.
///
/// A fourth channel is alpha, and becomes its mean. A colour becomes the sum of colour times alpha over the
/// sum of alpha, rounded once: invisible colours do not show. Where there is no alpha, colours stay as they
/// are (of floats, where alpha's mean is at most 2^-20). Opaque pictures have the means of three channels.
/// With 16-bit samples a box may have 2^32 pixels at most; more is an Error (usage).
///
/// Determinism: integers are exact; floats are sums of doubles, as core/sat.h says, and rounded once. Memory:
/// on CUDA none, but for a copy of pictures that do not begin at multiples of four samples; for radii above
/// 320 a table of sums, 4 or 8 bytes a sample. On the CPU five rows of sums for each thread. In place, a
/// copy. Source: McDonnell, "Box-Filtering Techniques", 1981.
extern const Filter kBox;

/// run_filter of kBox.
template <class T>
void box_filter(Context& context, View<const T> image, std::int64_t radius, View<T> out) {
  run_filter<T>(context, {&kBox, BoxParams{.radius = static_cast<double>(radius)}}, image, out);
}

}  // namespace scanlens
