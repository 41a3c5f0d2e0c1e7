// The bin of a histogram that an element falls into, for both backends.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/view.h"

namespace scanlens {

/// The bin, or `bins` for an element outside of all bins. Free of branches, so that compilers can vectorise a
/// loop over it.
template <class T>
struct BinOf {
  using Real =
      std::conditional_t<std::is_same_v<T, std::uint32_t> || std::is_same_v<T, double>, double, float>;

  T least, greatest;  ///< counted are least <= x <= greatest: that is lower <= x < upper, without rounding
  Real lower, scale;
  Real last;
  std::int32_t bins;
  std::int32_t shift;  ///< where bins of integers are 2^shift wide from an integer on, cheaper; else -1

  SCANLENS_HOST_DEVICE std::int32_t operator()(T x) const {
    if constexpr (std::is_integral_v<T>)
      if (shift >= 0)
        return ((x >= least) & (x <= greatest)) ? static_cast<std::int32_t>((x - least) >> shift) : bins;
    Real place = (static_cast<Real>(x) - lower) * scale;
    place = place > 0 ? place : 0;
    place = place < last ? place : last;
    return ((x >= least) & (x <= greatest)) ? static_cast<std::int32_t>(place) : bins;
  }
};

/// Bounds and scale as given to histogram(), which are finite.
template <class T>
BinOf<T> bin_of(double lower, double upper, std::int64_t bins) {
  using Real = typename BinOf<T>::Real;
  T least, greatest;
  std::int32_t shift = -1;
  if constexpr (std::is_integral_v<T>) {
    const double most = std::numeric_limits<T>::max();
    int exponent = 0;  // the width of a bin is a power of two if its mantissa is 1/2
    const bool power = std::frexp((upper - lower) / static_cast<double>(bins), &exponent) == 0.5;
    if (power && exponent >= 1 && exponent <= 32 && lower >= 0 && lower <= most && lower == std::floor(lower))
      shift = exponent - 1;
    const double first = std::max(std::ceil(lower), 0.0), end = std::min(std::ceil(upper), most + 1);
    const bool any = first < end;
    least = any ? static_cast<T>(first) : 1;
    greatest = any ? static_cast<T>(end - 1) : 0;
  } else {
    // Rounds to the nearest float, and goes one further if that is on the wrong side.
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    least = static_cast<T>(lower);
    if (static_cast<double>(least) < lower) least = std::nextafter(least, kInfinity);
    greatest = static_cast<T>(upper);
    if (!(static_cast<double>(greatest) < upper)) greatest = std::nextafter(greatest, -kInfinity);
  }
  return {least,
          greatest,
          static_cast<Real>(lower),
          static_cast<Real>(static_cast<double>(bins) / (upper - lower)),
          static_cast<Real>(bins - 1),
          static_cast<std::int32_t>(bins),
          shift};
}

}  // namespace scanlens
