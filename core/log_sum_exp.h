// The operator log(exp(a) + exp(b)) of scans, for probabilities that are kept as logarithms.
#pragma once

#include "core/held/log_formula.h"
#include "core/held/log_scans.h"
#include "core/operators.h"
#include "core/scan_axis.h"

namespace scanlens {

/// log(exp(a) + exp(b)), without overflow. -infinity is neutral, infinity stays, and so does NaN.
///
/// The library holds its scans of float, double, Half and BFloat16 compiled: those of arrays (core/scan.h)
/// and along axes (core/scan_axis.h), with all options of theirs. A result is off by no more than (64 + n /
/// 64) * epsilon * (1 + log n + the greatest finite |in[i]| or |initial|), for n elements of a line; by far
/// less as a rule, and on the CPU. For Half and BFloat16 epsilon is float's, and half a unit in the last
/// place of their own is added. Bytes moved: each element is read once, or twice along an axis with few
/// lines, and written once.
struct LogSumExp {
  template <class T>
  SCANLENS_HOST_DEVICE T operator()(T a, T b) const {
    const T high = a < b ? b : a, low = a < b ? a : b;
    const T apart = low - high;
    if (apart <= 0) return high + log_formula::logarithm(1 + log_formula::exponential(apart));
    return a == b ? a : a + b;  // the same infinity, or a NaN
  }
  template <class T>
  SCANLENS_HOST_DEVICE static constexpr T identity() {
    return kLeastOf<T>;
  }
};

}  // namespace scanlens
