// The thresholds of filters/adaptive_threshold.cu, for its function of a pixel and for the CPU's rows.
#pragma once

#include <cmath>

#include "core/view.h"
#include "filters/parts/moments.h"

namespace scanlens {

enum class ThresholdMethod { bradley, niblack, sauvola };

struct Threshold {
  float k, half;  ///< half of white

  template <ThresholdMethod kMethod>
  SCANLENS_HOST_DEVICE float of(const LocalMoments& box) const {
    if (kMethod == ThresholdMethod::bradley) return box.mean * (1.f - k);
    const float deviation = sqrtf(box.variance);
    if (kMethod == ThresholdMethod::niblack) return box.mean - k * deviation;
    return box.mean * (1.f - k * (1.f - deviation / half));
  }

  /// True if a pixel is white. A pixel as bright as its threshold is white too, unless it is black itself.
  template <ThresholdMethod kMethod>
  SCANLENS_HOST_DEVICE bool is_white(float luma, const LocalMoments& box) const {
    return (luma >= of<kMethod>(box)) & (luma > 0);  // no branches: nobody foresees which pixels are black
  }
};

/// work.operator()<method>(), with a method that is known when it runs.
template <class Work>
SCANLENS_HOST_DEVICE auto with_method(ThresholdMethod method, const Work& work) {
  if (method == ThresholdMethod::bradley) return work.template operator()<ThresholdMethod::bradley>();
  if (method == ThresholdMethod::niblack) return work.template operator()<ThresholdMethod::niblack>();
  return work.template operator()<ThresholdMethod::sauvola>();
}

}  // namespace scanlens
