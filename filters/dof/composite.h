// Layers laid one over the other, from the front.
#pragma once

#include <cstdint>

#include "core/view.h"

namespace scanlens {

/// What of a pixel is seen through the layers so far. kLight: colours, and alpha if there is one.
template <int kLight>
struct Composite {
  float light[kLight] = {};
  float left = 1;      ///< what no layer covers yet
  bool exact = false;  ///< the pixel shows itself and nothing else

  /// Adds a layer: its light and coverage, 1 for white and for all. Layers hold the pixels that were seen,
  /// each in one of them, so that they are added and not blended: what a layer does not cover others do.
  /// `own`: how much of itself the pixel keeps, if it is in this layer, and 0 otherwise; `sharp` is its
  /// light.
  SCANLENS_HOST_DEVICE void add(const float* layer, float coverage, float own, const float* sharp) {
    if (own >= 1 && left >= 1) {
      exact = true;
      left = 0;
      return;
    }
    // Rounding leaves plain surfaces off 1 by some 2^-20.
    if (coverage > 1 - 1e-5f && coverage < 1 + 1e-5f) coverage = 1;
    float seen = coverage < left ? coverage : left;
    const float least = left * own;
    if (seen < least) seen = least;
    if (!(seen > 0)) return;
    const float per_cover = coverage > 0 ? 1 / coverage : 0.f;
    for (int c = 0; c < kLight; ++c) {
      const float mean = layer[c] * per_cover;
      light[c] += seen * (mean + own * (sharp[c] - mean));
    }
    left -= seen;
  }

  /// What is left is filled: with what is seen around near things, `around` and its weight, where the pixel
  /// is one of them, and with its own mean otherwise.
  SCANLENS_HOST_DEVICE void fill(const float* around, float weight) {
    constexpr float kLittle = 1e-3f;
    const float covered = 1 - left;
    const float per_covered = covered > 1e-9f ? 1 / covered : 0.f;
    const float per_weight = left / (weight + kLittle);
    for (int c = 0; c < kLight; ++c) {
      const float mean = light[c] * per_covered;
      light[c] += per_weight * (around[c] + kLittle * mean);
    }
    left = 0;
  }
};

}  // namespace scanlens
