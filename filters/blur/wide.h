// A wide Gaussian in constant time: a Gaussian takes the picture to a coarse grid, and a cubic spline leads
// back from there; together they have the variance. At the frequencies of the grid the spline is zero, and
// the Gaussian far less than what shows. So a pixel's place on the grid does not matter.
//
// Source: Unser, "Splines: A Perfect Fit for Signal and Image Processing", 1999; the grid as in Burt, "Fast
// Filter Transforms for Image Processing", 1981.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/context.h"
#include "filters/bands/window.h"
#include "filters/means/finish.h"
#include "filters/parts/sample.h"

namespace scanlens {

/// Points of a line, in half samples: `count` of them, the first at `first`, `step` apart.
struct LinePoints {
  std::int64_t first, step, count;

  SCANLENS_HOST_DEVICE std::int64_t at(std::int64_t i) const { return first + i * step; }
  /// Returns how many stand before `place`.
  SCANLENS_HOST_DEVICE std::int64_t before(std::int64_t place) const {
    if (place <= first) return 0;
    const std::int64_t points = (place - first + step - 1) / step;
    return points < count ? points : count;
  }
};

/// Weights by distance, the same on both sides.
struct DistanceWeights {
  static constexpr int kEntries = 512;

  /// The weight of a point at a distance in half samples.
  SCANLENS_HOST_DEVICE float at(std::int64_t halves) const {
    const float place = static_cast<float>(halves < 0 ? -halves : halves) * entries_a_half;
    const int entry = static_cast<int>(place);
    return table[entry] + (place - static_cast<float>(entry)) * (table[entry + 1] - table[entry]);
  }

  /// The points around `place`: those before it, itself if it is one, those behind it. In a mirror, sums over
  /// both sides are the same, as long as each begins with its farthest point.
  struct Sides {
    std::int64_t first, middle, behind, end;
  };
  SCANLENS_HOST_DEVICE Sides sides(const LinePoints& line, std::int64_t place) const {
    return {line.before(place - 2 * reach), line.before(place), line.before(place + 1),
            line.before(place + 2 * reach + 1)};
  }
  template <class Value>
  SCANLENS_HOST_DEVICE float sum(const LinePoints& line, std::int64_t place, const Value& value) const {
    const Sides around = sides(line, place);
    float left = 0, right = 0;
    for (std::int64_t i = around.first; i < around.middle; ++i) left += at(line.at(i) - place) * value(i);
    for (std::int64_t i = around.end; i-- > around.behind;) right += at(line.at(i) - place) * value(i);
    left += right;
    return around.middle < around.behind ? left + at(0) * value(around.middle) : left;
  }

  std::int64_t reach;  ///< samples
  float entries_a_half;
  float table[kEntries + 2];
};

/// A Gaussian of a standard deviation of 5 or more.
struct WideGaussian {
  explicit WideGaussian(double sigma);

  /// The distance up to which a sample depends on others.
  std::int64_t reach() const { return to_grid.reach + from_grid.reach; }

  std::int64_t step;  ///< samples from one point of the grid to the next
  DistanceWeights to_grid, from_grid;
};

/// The pixel that sums are, each over `weight`; of four channels, the first three over the last. Those
/// without any alpha stay.
template <class T>
SCANLENS_HOST_DEVICE void finish_sums(const float* sums, float weight, int channels, const T* own, T* out) {
  if (channels == 4) {
    const bool seen = sums[3] > (std::is_floating_point_v<T> ? static_cast<float>(kNoAlpha) * weight : 0.f);
    for (int c = 0; c < 3; ++c) out[c] = seen ? clipped_sample<T>(sums[c] / sums[3]) : own[c];
    out[3] = clipped_sample<T>(sums[3] / weight);
  } else {
    for (int c = 0; c < channels; ++c) out[c] = clipped_sample<T>(sums[c] / weight);
  }
}

/// The last pass: rows of sums weighed for rows of the result.
template <class T>
struct WideRows {
  View<const float> in;
  DistanceWeights weights;
  LinePoints from;
  std::int64_t top;    ///< the row of the picture that is row 0
  const float* down;   ///< what all points of a column weigh for each row
  const float* along;  ///< what all points of a row weigh for each pixel
  View<const T> own;   ///< may be `out`
  View<T> out;
};

/// Makes the rows of the task. Colours are weighed by alpha. Each mean is over what lies in the picture.
template <class T>
void blur_wide(Context& context, const WideGaussian& gaussian, const BandTask<T>& task);

}  // namespace scanlens
