// Sums of doubles at about twice their precision.
#pragma once

#include "core/view.h"

namespace scanlens {

/// A sum, and the sum of its rounding errors. Only the first chain of additions is on the critical path, so
/// that this takes little longer than the plain sum. Source: Ogita, Rump and Oishi, "Accurate Sum and Dot
/// Product", 2005, algorithm 4.4 (Sum2).
struct CompensatedSum {
  double sum = 0, lost = 0;

  SCANLENS_HOST_DEVICE void add(double next) {
    const double total = sum + next;
    const double added = total - sum;
    lost += (sum - (total - added)) + (next - added);
    sum = total;
  }
  SCANLENS_HOST_DEVICE void add(const CompensatedSum& later) {
    add(later.sum);
    lost += later.lost;
  }
  /// Returns the sum with what it lost. An infinite sum stays as it is, because what it lost is no number.
  SCANLENS_HOST_DEVICE double rounded() const { return lost - lost == 0 ? sum + lost : sum; }
};

}  // namespace scanlens
