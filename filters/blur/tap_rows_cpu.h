// The rows of codes that taps reach, on the CPU, and means of them. Included by filters/blur/convolve_cpu.cpp
// only.
//
// Rows are taken one after the other: the caller fills row(y) and calls took(y). It gets the means around y
// from go_down once all rows from first_row(y) to last_row(y) have been taken. They stay until rows after the
// next ones are taken. A row of means goes to go_along, which weighs it once more.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <vector>

#include "filters/blur/codes.h"
#include "filters/blur/taps.h"
#include "filters/blur/taps_cpu.h"

namespace scanlens::cpu {

/// Memory whose vectors lie within lines of the cache.
template <class T>
struct AlignedAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, kAlignment); }
  bool operator==(const AlignedAllocator&) const = default;
};
template <class T>
using AlignedRows = std::vector<T, AlignedAllocator<T>>;

/// `room`: codes that a row has room for. `length`, everywhere: those that it has. kWhole: means are rounded
/// to whole numbers.
template <class Code, bool kWhole>
class TapRows;

/// Codes of 16 bits are kept as pairs of rows 2 n and 2 n + 1.
template <>
class TapRows<std::int16_t, true> {
 public:
  TapRows(const Taps& taps, int channels, std::int64_t room)
      : radius_(taps.radius),
        channels_(channels),
        room_(room),
        from_first_(weights_of(taps, 0)),
        from_second_(weights_of(taps, -1)),
        pairs_(static_cast<std::size_t>(room * (taps.radius + 1))),
        codes_(static_cast<std::size_t>(room * 2)),
        inverses_(static_cast<std::size_t>(room)) {}

  std::int64_t first_row(std::int64_t y) const { return 2 * first_pair(y); }
  std::int64_t last_row(std::int64_t y) const { return first_row(y) + 2 * radius_ + 1; }
  std::int16_t* row(std::int64_t y) { return codes_.data() + (y & 1) * room_; }
  void took(std::int64_t y, std::int64_t length) {
    if (y & 1) pair_rows(row(0), row(1), length, pairs(y >> 1));
  }

  void go_down(std::int64_t y, float inverse, std::int64_t length, std::int16_t* means) {
    std::array<const std::int32_t*, Taps::kMostRadius + 1> rows;
    for (int k = 0; k <= radius_; ++k) rows[static_cast<std::size_t>(k)] = pairs(first_pair(y) + k);
    means_down(taps((y - radius_) & 1), rows.data(), inverse, length, means);
  }

  /// The inverses of the weights along, of every sample.
  void set_inverses(const AlignedRows<float>& inverses, std::int64_t length) {
    arrange(inverses.data(), length, inverses_.data());
  }
  void go_along(const std::int16_t* codes, std::int64_t length, std::int16_t* means) const {
    means_along(taps(false), codes - std::int64_t{radius_} * channels_, channels_, inverses_.data(), length,
                means);
  }

 private:
  using Weights = std::vector<std::int32_t>;

  /// Weights of pairs; the first pair begins `shift` after the first tap. They are one more than taps, whose
  /// number is odd.
  static Weights weights_of(const Taps& taps, int shift) {
    Weights weights;
    const auto at = [&](int k) { return std::abs(k) > taps.radius ? 0 : taps.weights[std::abs(k)]; };
    for (int k = shift - taps.radius; k <= taps.radius; k += 2) weights.push_back(at(k) | at(k + 1) << 16);
    return weights;
  }

  PairTaps taps(bool second) const { return {(second ? from_second_ : from_first_).data(), radius_ + 1}; }
  std::int64_t first_pair(std::int64_t y) const { return (y - radius_) >> 1; }
  std::int32_t* pairs(std::int64_t pair) {
    const int ring = radius_ + 1;
    return pairs_.data() + static_cast<std::uint32_t>(pair + ring) % static_cast<std::uint32_t>(ring) * room_;
  }

  const int radius_, channels_;
  const std::int64_t room_;
  const Weights from_first_, from_second_;  ///< for a first tap in the first row of a pair, or in the second
  AlignedRows<std::int32_t> pairs_;         ///< a ring of rows
  AlignedRows<std::int16_t> codes_;         ///< two rows, which make a pair
  AlignedRows<float> inverses_;
};

/// Floats are kept as they are, and summed in double.
template <bool kWhole>
class TapRows<float, kWhole> {
 public:
  TapRows(const Taps& taps, int channels, std::int64_t room)
      : radius_(taps.radius),
        channels_(channels),
        room_(room),
        codes_(static_cast<std::size_t>(room * (2 * taps.radius + 1))) {
    for (int k = -radius_; k <= radius_; ++k) weights_.push_back(taps.weights[std::abs(k)]);
  }

  std::int64_t first_row(std::int64_t y) const { return y - radius_; }
  std::int64_t last_row(std::int64_t y) const { return y + radius_; }
  float* row(std::int64_t y) {
    const auto ring = static_cast<std::uint32_t>(2 * radius_ + 1);
    return codes_.data() + static_cast<std::uint32_t>(y + ring) % ring * room_;
  }
  void took(std::int64_t, std::int64_t) {}

  void go_down(std::int64_t y, double inverse, std::int64_t length, float* means) {
    weigh([&](int k) { return row(y + k); }, &inverse, false, length, means);
  }

  void set_inverses(const AlignedRows<double>& inverses, std::int64_t) { inverses_ = inverses; }
  void go_along(const float* codes, std::int64_t length, float* means) const {
    weigh([&](int k) { return codes + std::int64_t{k} * channels_; }, inverses_.data(), true, length, means);
  }

 private:
  template <class Row>
  void weigh(const Row& row, const double* inverses, bool each, std::int64_t length, float* means) const {
    std::array<const float*, 2 * Taps::kMostRadius + 1> rows;
    for (int k = -radius_; k <= radius_; ++k) rows[static_cast<std::size_t>(k + radius_)] = row(k);
    float_means(
        FloatTaps{rows.data(), weights_.data(), 2 * radius_ + 1, inverses, each, kWhole, means, length});
  }

  const int radius_, channels_;
  const std::int64_t room_;
  std::vector<double> weights_;
  AlignedRows<float> codes_;  ///< a ring of rows
  AlignedRows<double> inverses_;
};

}  // namespace scanlens::cpu
