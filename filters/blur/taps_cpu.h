// Rows of codes weighed by taps, on the CPU. Called by this room's schedule of taps (tap_rows_cpu.h) only.
//
// Codes of 16 bits are weighed in pairs, by two weights at once, the first in the lower half of 32 bits:
// those of two rows down columns, and two neighbours along a row.
#pragma once

#include <cstdint>

#include "core/view.h"
#include "filters/blur/codes.h"

namespace scanlens::cpu {

/// Rows have room for this many codes behind their end, with any values.
constexpr std::int64_t kTapSlack = 64;

/// The codes of samples first … first + count - 1 of a row of pixels.
template <class T, class Code>
void encode_row(const T* row, int channels, std::int64_t first, std::int64_t count, Code* codes);

/// Samples of codes, `count` of them, in whole pixels. `own`: those of the picture.
template <class T, class Code>
void decode_row(const Code* codes, const T* own, int channels, std::int64_t count, T* out);

/// The pairs of two rows, in the order that means_down reads.
void pair_rows(const std::int16_t* upper, const std::int16_t* lower, std::int64_t length,
               std::int32_t* pairs);

/// Weights of pairs.
struct PairTaps {
  const std::int32_t* weights;
  int count;
};

/// out[i] = `inverse` times the sum over the pairs at i of the rows.
void means_down(const PairTaps& taps, const std::int32_t* const* rows, float inverse, std::int64_t length,
                std::int16_t* out);

/// out[i] = the inverse of i times the sum over the pairs of codes[i + 2 * k * step] and the one `step`
/// behind it. `inverses`: in the order of arrange().
void means_along(const PairTaps& taps, const std::int16_t* codes, std::int64_t step, const float* inverses,
                 std::int64_t length, std::int16_t* out);

/// Values in the order in which means_along reads them. Both have the slack of rows.
void arrange(const float* values, std::int64_t length, float* arranged);

/// Sums of floats over `count` rows, each times its weight.
struct FloatTaps {
  const float* const* rows;
  const double* weights;
  int count;
  const double* inverses;  ///< of the weights of each sample
  bool each;               ///< or one for all
  bool whole;              ///< means are rounded to whole numbers
  float* out;
  std::int64_t length;
};

/// out[i] = the mean at code i of the rows.
void float_means(const FloatTaps& taps);

}  // namespace scanlens::cpu
