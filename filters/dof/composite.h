// Layers laid one over the other, from the front.
#pragma once

#include "core/view.h"
#include "filters/dof/composite_formula.h"
#include "filters/dof/fill_formula.h"
#include "filters/dof/light.h"

namespace scanlens {

/// The part of a pixel that is seen through the layers so far. kLight: colours, and alpha if there is one.
template <int kLight>
struct Composite {
  float light[kLight] = {};
  float left = 1;      ///< what no layer covers yet
  bool exact = false;  ///< the pixel shows itself and nothing else

  /// Adds a layer: its light and coverage, 1 for white and for all. Layers hold the pixels that were seen,
  /// each in one of them, so that they are added and not blended: other layers cover what one layer does not.
  /// `own`: how much of itself the pixel keeps, if it is in this layer, and 0 otherwise; `sharp` is its
  /// light.
  SCANLENS_HOST_DEVICE void add(const float* layer, float coverage, float own, const float* sharp) {
    if (own >= 1 && left >= 1) {
      exact = true;
      left = 0;
      return;
    }
    coverage = whole_coverage(coverage);
    const float seen = seen_share(coverage, left, own);
    if (!(seen > 0)) return;
    const float per_cover = coverage > 0 ? 1 / coverage : 0.f;
    for (int c = 0; c < kLight; ++c) light[c] += seen_light(seen, layer[c] * per_cover, own, sharp[c]);
    left -= seen;
  }

  /// Fills the rest of a pixel with its own mean, or with `around`: what is seen around, where white is 1,
  /// and its weight. `white` is light that counts as white.
  SCANLENS_HOST_DEVICE void fill(float circle, const float* around, float weight, float white) {
    const float covered = 1 - left;
    const float per_covered = covered > 1e-9f ? 1 / covered : 0.f;
    float own = 0, there = 0;
    for (int c = 0; c < kLightColors<kLight>; ++c) {
      own += weight * light_to_fill(light[c] * per_covered, 1 / white);
      there += around[c];
    }
    const float share = share_of_around(circle, left, own, there);
    for (int c = 0; c < kLight; ++c)
      light[c] += filling_light(left, light[c] * per_covered, share,
                                c < kLightColors<kLight> ? around[c] * white : around[c], weight);
    left = 0;
  }
};

}  // namespace scanlens
