// Exponentials and logarithms by which LogSumExp adds, for both backends.
#pragma once

#include <cmath>

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

}  // namespace scanlens
