// Results from the sums around a pixel, by the same steps on the CPU and on CUDA.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "core/view.h"
#include "filters/parts/sample.h"

namespace scanlens {

/// The result of a mean over the square around a sample.
struct Finish {
  enum class To {
    mean,   ///< itself: integers rounded to nearest, halves up
    flat,   ///< the sample times what makes `value` of white of the mean
    sharp,  ///< the sample plus `value` times its difference from the mean
  };
  To to = To::mean;
  float value = 0;
};

/// A mean alpha of floats that may be what rounding has left.
inline constexpr double kNoAlpha = 0x1p-20;

/// A sample plus `amount` times its difference from the mean.
template <class T>
SCANLENS_HOST_DEVICE T sharpened(T own, float mean, float amount) {
  const float value = static_cast<float>(own);
  return clipped_sample<T>(value + amount * (value - mean));
}

/// A sample times what makes `target` of white of its mean; as it is where that is nothing.
template <class T>
SCANLENS_HOST_DEVICE T flattened(T own, float target, float mean) {
  // Both sides of the condition are computed, which lets compilers make vectors of it.
  const float scaled = static_cast<float>(own) * (target * kWhite<T> / mean);
  return clipped_sample<T>(mean > 0 ? scaled : static_cast<float>(own));
}

/// Divides sums by how many there are. For integers of 32 bits a float estimates the quotient, short by 2^-21
/// of it: more than the conversion and the products round, less than half of one. So the nearest whole number
/// is the quotient, rounded to nearest, or one less.
template <class T, class Sum>
struct Divisor {
  SCANLENS_HOST_DEVICE explicit Divisor(Sum count)
      : count(count), inverse(1.f / static_cast<float>(count)), estimate(inverse * (1 - 0x1p-21f)) {}

  /// The quotient; of integers rounded to nearest, halves up.
  SCANLENS_HOST_DEVICE T rounded(Sum sum) const {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(sum / count);
    } else if constexpr (sizeof(Sum) == 8) {
      return static_cast<T>((sum + count / 2) / count);
    } else {
      const Sum whole = about(sum);
      const auto beyond = static_cast<std::int32_t>(sum + (count / 2 - count) - whole * count);
      return static_cast<T>(whole + (beyond >= 0 ? 1 : 0));
    }
  }

  /// The quotient as a float, off by 2^-22 of itself.
  SCANLENS_HOST_DEVICE float near(Sum sum) const { return static_cast<float>(sum) * inverse; }

  /// The same: exact where it is whole, else off by 2^-23 of itself.
  SCANLENS_HOST_DEVICE float mean(Sum sum) const {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<float>(sum / count);
    } else {
      const Sum whole = sizeof(Sum) == 8 ? sum / count : about(sum);
      const auto rest = static_cast<std::make_signed_t<Sum>>(sum - whole * count);
      return static_cast<float>(static_cast<std::int32_t>(whole)) + static_cast<float>(rest) * inverse;
    }
  }

  Sum count;
  float inverse, estimate;

 private:
  SCANLENS_HOST_DEVICE Sum about(Sum sum) const {
    // Added to this, a number rounds to a whole one, which the lowest bits then are.
    constexpr float kSteps = 0x1p23f;
    return std::bit_cast<std::uint32_t>(static_cast<float>(sum) * estimate + kSteps) -
           std::bit_cast<std::uint32_t>(kSteps);
  }
};

/// The result for a sample from the sum around it.
template <class T, class Sum>
SCANLENS_HOST_DEVICE T finished(const Finish& finish, const Divisor<T, Sum>& by, Sum sum, T own) {
  if (finish.to == Finish::To::sharp) return sharpened(own, by.near(sum), finish.value);
  if (finish.to == Finish::To::flat) return flattened(own, finish.value, by.mean(sum));
  return by.rounded(sum);
}

/// The result for a pixel of four samples, from sums of colours times alpha, and of alpha. Colours are as
/// they were where there is no alpha.
template <class T, class Sum>
SCANLENS_HOST_DEVICE void finish_pixel(const Finish& finish, Sum count, const Sum* sums, const T* own,
                                       T* out) {
  const Sum alpha = sums[3],
            least = std::is_floating_point_v<T> ? static_cast<Sum>(kNoAlpha * static_cast<double>(count)) : 0;
  const bool seen = alpha > least && (finish.to != Finish::To::sharp || own[3] > 0);
  const Divisor<T, Sum> by(alpha);
  for (int c = 0; c < 3; ++c) out[c] = seen ? finished(finish, by, sums[c], own[c]) : own[c];
  out[3] = finish.to == Finish::To::mean ? Divisor<T, Sum>(count).rounded(alpha) : own[3];
}

}  // namespace scanlens
