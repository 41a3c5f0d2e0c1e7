// The operator log(exp(a) + exp(b)) of scans, for probabilities that are kept as logarithms.
#pragma once

#include <cmath>
#include <span>

#include "core/operators.h"
#include "core/scan_axis.h"
#include "core/scan_kinds.h"
#include "core/view.h"

namespace scanlens {

namespace log_formula {

/// exp(x) for x up to 0. There the error of CUDA's fast exponential, which is 0 below 2^-126, is less than an
/// epsilon of 1.
SCANLENS_HOST_DEVICE inline float exponential(float x) {
#if defined(__CUDA_ARCH__)
  constexpr float kLog2E = 1.44269504f;
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x * kLog2E));
  return power;
#else
  return std::exp(x);
#endif
}
SCANLENS_HOST_DEVICE inline double exponential(double x) {
#if defined(__CUDA_ARCH__)
  return ::exp(x);
#else
  return std::exp(x);
#endif
}
SCANLENS_HOST_DEVICE inline float logarithm(float x) {
#if defined(__CUDA_ARCH__)
  return ::logf(x);
#else
  return std::log(x);
#endif
}
SCANLENS_HOST_DEVICE inline double logarithm(double x) {
#if defined(__CUDA_ARCH__)
  return ::log(x);
#else
  return std::log(x);
#endif
}

/// log(x) of a sum x, for a result that it is added to: CUDA's fast logarithm is off by four epsilons of 1,
/// or of the logarithm where that is more.
SCANLENS_HOST_DEVICE inline float fast_logarithm(float x) {
#if defined(__CUDA_ARCH__)
  return __logf(x);
#else
  return std::log(x);
#endif
}
SCANLENS_HOST_DEVICE inline double fast_logarithm(double x) {
  return logarithm(x);
}

}  // namespace log_formula

/// log(exp(a) + exp(b)), without overflow. -infinity is neutral, infinity stays, and so does NaN.
///
/// The library holds the scans of SCANLENS_LOG_SCANS compiled: those of arrays (core/scan.h) and along axes
/// (core/scan_axis.h), with all options of theirs. Half and BFloat16 are combined in float. Determinism: the
/// same bits on every run. A result is off by no more than (64 + n / 64) * epsilon * (1 + log n + the
/// greatest finite |in[i]| or |initial|), for n elements of a line; by far less as a rule, and on the CPU.
/// For Half and BFloat16 epsilon is float's, and half a unit in the last place of their own is added. Bytes
/// moved: each element is read once, or twice along an axis with few lines, and written once.
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

#define SCANLENS_LOG_SCANS(X)                                          \
  X(LogF32, float, float, ::scanlens::LogSumExp)                       \
  X(LogF64, double, double, ::scanlens::LogSumExp)                     \
  X(LogF16, ::scanlens::Half, ::scanlens::Half, ::scanlens::LogSumExp) \
  X(LogBF16, ::scanlens::BFloat16, ::scanlens::BFloat16, ::scanlens::LogSumExp)

namespace compiled {
#define SCANLENS_HOLDS_LOG_SCAN(name, In, Out, Op)                                                          \
  template <>                                                                                               \
  inline constexpr bool kHoldsScan<In, Out, Op> = true;                                                     \
  template <>                                                                                               \
  inline constexpr bool kHoldsAxisScan<In, Out, Op> = true;                                                 \
  template <>                                                                                               \
  void scan(Context& context, const char* call, bool inclusive, std::span<const In> in, std::span<Out> out, \
            Op op, const ScanOptions<Out>& options);                                                        \
  template <>                                                                                               \
  void scan_axis(Context& context, const char* call, bool inclusive, std::span<const In> in,                \
                 std::span<Out> out, const Axis& axis, Op op, const ScanOptions<Out>& options);
SCANLENS_LOG_SCANS(SCANLENS_HOLDS_LOG_SCAN)
#undef SCANLENS_HOLDS_LOG_SCAN
}  // namespace compiled

}  // namespace scanlens
