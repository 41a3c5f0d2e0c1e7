// Finds the code whose light is nearest, among all codes of a curve.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace scanlens {

/// Codes of type T, uint8_t or uint16_t.
template <class T>
class NearestCode {
 public:
  static constexpr int kMost = std::numeric_limits<T>::max();
  /// Distance of these codes among codes of 16 bits.
  static constexpr int kStep = 65535 / kMost;

  /// Takes the light of all codes of 16 bits. Where it falls, as BT.709's does at its joint, the code found
  /// is a near one.
  explicit NearestCode(const std::vector<float>& light_of_16_bits) {
    for (int code = 0; code <= kMost; ++code)
      lights_.push_back(light_of_16_bits[static_cast<std::size_t>(code * kStep)]);
    first_.reserve(kBuckets + 1);
    for (std::uint32_t bucket = 0; bucket < kBuckets; ++bucket)
      first_.push_back(bucket == 0 ? 0
                                   : static_cast<T>(below(
                                         std::bit_cast<float>((bucket + kDarkest) << kDropped), 0, kMost)));
    first_.push_back(kMost - 1);
  }

  T operator()(float light) const {
    const std::size_t bucket = bucket_of(light);
    const int low = below(light, first_[bucket], std::min(first_[bucket + 1] + 1, kMost));
    return static_cast<T>(light - light_at(low) < light_at(low + 1) - light ? low : low + 1);
  }

 private:
  // Buckets are floats that share their first bits: up to 1, and from where darker ones share a bucket.
  static constexpr int kMantissa = 23, kKept = sizeof(T) == 1 ? 8 : 10, kDropped = kMantissa - kKept;
  static constexpr std::uint32_t kDarkest = std::bit_cast<std::uint32_t>(0x1p-20f) >> kDropped;
  static constexpr std::uint32_t kBuckets = (std::bit_cast<std::uint32_t>(1.f) >> kDropped) - kDarkest + 1;

  static std::size_t bucket_of(float light) {
    const float inside = light > 0x1p-20f ? std::min(light, 1.f) : 0x1p-20f;  // of NaN, too
    return (std::bit_cast<std::uint32_t>(inside) >> kDropped) - kDarkest;
  }

  float light_at(int code) const { return lights_[static_cast<std::size_t>(code)]; }

  /// Returns the last code whose light is not above this one, or `low`. Light of `high` is above, or it is
  /// the last code.
  int below(float light, int low, int high) const {
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (light_at(middle) <= light ? low : high) = middle;
    }
    return low;
  }

  std::vector<float> lights_;
  std::vector<T> first_;  ///< what below() returns for the least light of each bucket
};

}  // namespace scanlens
