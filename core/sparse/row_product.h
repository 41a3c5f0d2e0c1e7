// The product of a part of a row on the CPU.
#pragma once

#include <cstdint>

#include "core/sparse.h"

namespace scanlens::cpu {

/// Returns values[first] x[columns[first]] + …, up to `last`. Four sums are kept side by side, because one
/// alone would wait for its own last addition at every step.
template <class T>
T row_product(const CsrMatrix<T>& a, const T* x, std::int64_t first, std::int64_t last) {
  const T* values = a.values.data();
  const std::uint32_t* columns = a.columns.data();
  T sums[4] = {};
  std::int64_t k = first;
  for (; k + 4 <= last; k += 4)
    for (int i = 0; i < 4; ++i) sums[i] += values[k + i] * x[columns[k + i]];
  for (; k < last; ++k) sums[0] += values[k] * x[columns[k]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace scanlens::cpu
