// Rows of codes weighed by taps, on the CPU. Called by filters/blur/convolve_cpu.cpp only.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/view.h"
#include "filters/blur/codes.h"

namespace scanlens::cpu {

/// What is multiplied at once: of 16-bit codes two of them, the first in the lower half, by two weights; of
/// floats one.
template <class Code>
struct TapEntry;
template <>
struct TapEntry<std::int16_t> {
  static constexpr int kTaps = 2;
  using Entry = std::int32_t;
  using Weight = std::int32_t;
};
template <>
struct TapEntry<float> {
  static constexpr int kTaps = 1;
  using Entry = float;
  using Weight = double;
};

/// Rows have room for so many codes behind what they are long, whatever these hold.
constexpr std::int64_t kTapSlack = 64;

/// Sums over `count` rows of entries, each times its weight.
template <class Code>
struct TapSums {
  using Real = typename CodeSums<Code>::Real;

  const typename TapEntry<Code>::Entry* const* rows;
  const typename TapEntry<Code>::Weight* weights;
  int count;
  const Real* inverses;  ///< of the weights of each sample
  bool each;             ///< or one for all
  bool whole;            ///< means are rounded to whole numbers
  Code* out;
  std::int64_t length;
};

/// out[i] = the mean at entry i of the rows.
template <class Code>
void tap_means(const TapSums<Code>& sums);

/// The codes of samples first … first + count - 1 of a row of pixels.
template <class T, class Code>
void encode_row(const T* row, int channels, std::int64_t first, std::int64_t count, Code* codes);

/// entries[i] = both codes at i, for codes of 16 bits.
void pair_rows(const std::int16_t* first, const std::int16_t* second, std::int64_t length,
               std::int32_t* entries);

/// Samples of codes, `count` of them, in whole pixels. `own`: those of the picture.
template <class T, class Code>
void decode_row(const Code* codes, const T* own, int channels, std::int64_t count, T* out);

}  // namespace scanlens::cpu
