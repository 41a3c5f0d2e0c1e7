// A Gaussian cut off and sampled, in whole numbers.
#pragma once

#include <cstdint>

#include "core/view.h"

namespace scanlens {

/// A kernel that reaches `radius` samples to each side, and weighs those i away by weights[i]. Samples
/// outside the picture have no weight.
struct Taps {
  static constexpr int kMostRadius = 15;
  static constexpr int kWeight = 1 << 14;  ///< of all: with it, sums of 16-bit codes fit 32 bits

  int radius = 0;
  std::int32_t weights[kMostRadius + 1] = {kWeight};

  /// The weights around sample i of n that lie in the picture.
  SCANLENS_HOST_DEVICE int weight(std::int64_t i, std::int64_t n) const {
    if (i >= radius && n - 1 - i >= radius) return kWeight;
    int sum = 0;
    for (int k = -radius; k <= radius; ++k)
      if (i + k >= 0 && i + k < n) sum += weights[k < 0 ? -k : k];
    return sum;
  }
};

/// Gaussians of a standard deviation below this are made of taps.
inline constexpr double kMostTapsSigma = 5;

/// The samples of a Gaussian up to 3.5 standard deviations away, rounded so that they sum to kWeight; those
/// at the ends that round to nothing are left out.
Taps gaussian_taps(double sigma);

}  // namespace scanlens
