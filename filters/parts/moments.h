// Mean and variance from sums.
#pragma once

#include <cstdint>

#include "core/view.h"

namespace scanlens {

/// Mean and variance of the population (divided by what its pixels weigh).
struct LocalMoments {
  float mean = 0, variance = 0;
};

/// A whole number near the mean of whole values, and how far the mean is from it, exact but for the last
/// steps.
struct Middle {
  std::uint64_t near;
  std::int64_t rest;  ///< the sum of value - near
  float offset;       ///< rest / weight
};

/// Returns the one of sums modulo 2^64, whose mean is below 2^16.
SCANLENS_HOST_DEVICE inline Middle middle_of(std::uint64_t weight, std::uint64_t sum) {
  const float count = static_cast<float>(static_cast<std::int64_t>(weight));
  const float about = static_cast<float>(static_cast<std::int64_t>(sum)) / count;
  Middle middle;
  middle.near =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(about + 0.5f)));
  middle.rest = static_cast<std::int64_t>(sum - weight * middle.near);
  middle.offset = static_cast<float>(middle.rest) / count;
  return middle;
}

/// Moments of whole values from sums, modulo 2^64, of weights, of values and of their squares times these.
/// All is moved to a whole number near the mean first, exactly, so that nothing cancels: the mean is off by
/// 2^-23 of itself at most, the variance by 2^-21 of itself and a quarter, and equal values have variance 0.
/// The sum of squared distances from the mean has to be below 2^63.
SCANLENS_HOST_DEVICE inline LocalMoments moments_of(std::uint64_t weight, std::uint64_t sum,
                                                    std::uint64_t squares) {
  const Middle middle = middle_of(weight, sum);
  const auto spread = static_cast<std::int64_t>(  // the sum of (value - near)^2
      squares - middle.near * (sum + static_cast<std::uint64_t>(middle.rest)));
  const float count = static_cast<float>(static_cast<std::int64_t>(weight));
  const float variance = static_cast<float>(spread) / count - middle.offset * middle.offset;
  return {static_cast<float>(static_cast<std::int32_t>(middle.near)) + middle.offset,
          variance > 0 ? variance : 0.f};
}

/// The mean of `count` values, off by 2^-22 of itself at most.
template <class Sum>
SCANLENS_HOST_DEVICE float mean_of(std::uint32_t count, Sum sum) {
  return static_cast<float>(sum) / static_cast<float>(count);
}

/// Moments of floats, as exact as the sums are.
SCANLENS_HOST_DEVICE inline LocalMoments moments_of(double weight, double sum, double squares) {
  const double mean = sum / weight, variance = squares / weight - mean * mean;
  return {static_cast<float>(mean), variance > 0 ? static_cast<float>(variance) : 0.f};
}

/// Moments of guide and input, and their covariance.
struct CrossMoments {
  LocalMoments guide;
  float mean = 0;
  float covariance = 0;
};

/// Sums over a box: weights, guide, its squares, input, products.
template <class Sum>
struct CrossSums {
  Sum weight, guide, squares, input, products;
};

/// As moments_of has it.
SCANLENS_HOST_DEVICE inline CrossMoments cross_moments_of(const CrossSums<std::uint64_t>& sums) {
  const Middle guide = middle_of(sums.weight, sums.guide), input = middle_of(sums.weight, sums.input);
  const auto spread = static_cast<std::int64_t>(  // the sum of (guide - near) * (input - near)
      sums.products - guide.near * sums.input - input.near * static_cast<std::uint64_t>(guide.rest));
  const float count = static_cast<float>(static_cast<std::int64_t>(sums.weight));
  return {moments_of(sums.weight, sums.guide, sums.squares),
          static_cast<float>(static_cast<std::int32_t>(input.near)) + input.offset,
          static_cast<float>(spread) / count - guide.offset * input.offset};
}

SCANLENS_HOST_DEVICE inline CrossMoments cross_moments_of(const CrossSums<double>& sums) {
  const double guide = sums.guide / sums.weight, input = sums.input / sums.weight;
  return {moments_of(sums.weight, sums.guide, sums.squares), static_cast<float>(input),
          static_cast<float>(sums.products / sums.weight - guide * input)};
}

/// The sum of what was split into two terms.
SCANLENS_HOST_DEVICE inline std::uint64_t joined(std::uint64_t high, std::uint64_t low) {
  return (high << 16) + low;
}
SCANLENS_HOST_DEVICE inline double joined(double high, double low) {
  return high + low;
}

}  // namespace scanlens
