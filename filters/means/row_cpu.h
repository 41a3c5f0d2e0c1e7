// Rows of sums over boxes and what becomes of them, by vectors. Called by filters/means/cpu.cpp only.
#pragma once

#include <cstdint>

#include "filters/means/finish.h"

namespace scanlens::cpu {

/// Boxes around pixels side by side. The sum over box i is upto[i] - before[i].
template <class T, class Sum>
struct BoxRow {
  const Sum* before;
  const Sum* upto;
  std::int64_t rows = 0;              ///< of a box
  std::int64_t columns = 0;           ///< of the widest
  const Sum* columns_each = nullptr;  ///< of each sample's box; null where all are as wide
  Finish finish;
  int channels = 1;
  const T* own = nullptr;  ///< the picture's samples, elsewhere than `out`
  T* out = nullptr;
  std::int64_t length = 0;  ///< samples
};

/// out[i] = the result for sample i, as filters/means/finish.h has it. Integers' sums of 32 bits are below
/// 2^32 with half of their box's pixels added, or, of four channels, with half of its alpha.
template <class T, class Sum>
void finish_row(const BoxRow<T, Sum>& row);

/// terms[i] = the terms of one row less those of another, integers modulo 2^32 or 2^64. Terms are samples; of
/// four channels they are colours times alpha, and alpha.
template <class T, class Sum>
void change_row(const T* enters, const T* leaves, int channels, std::int64_t length, Sum* terms);

/// The samples and sums for which there is one.
#define SCANLENS_FOR_EACH_BOX_ROW(X)      \
  X(U8U32, std::uint8_t, std::uint32_t)   \
  X(U8U64, std::uint8_t, std::uint64_t)   \
  X(U16U32, std::uint16_t, std::uint32_t) \
  X(U16U64, std::uint16_t, std::uint64_t) \
  X(F32, float, double)

}  // namespace scanlens::cpu
