// The CPU's steps on some rows of a solver's vectors, by vectors of the processor.
#pragma once

#include <cstdint>

#include "core/sparse/csr_rows.h"

namespace scanlens::cpu {

/// Columns as the CPU stores them: one, or a multiple of 8, so that rows are whole vectors.
constexpr int stride_of(int columns) {
  return columns == 1 ? 1 : (columns + 7) / 8 * 8;
}

/// Rows first .. end - 1 of the vectors, which have `stride` columns each. `inverse` has one.
template <class T>
struct SolveRows {
  T* x;
  T* r;
  T* p;
  T* q;
  const T* inverse;
  int stride;
  std::int64_t first, end;  ///< at most a tile
};

/// dots[c] = the tile's sum of p q.
template <class T>
void dot_rows(const SolveRows<T>& rows, double* dots);
/// x += alpha p, r -= alpha q where alpha is not 0; dots[c] = the sum of r z, with z = r / diagonal, and
/// steps[c] the largest |z|.
template <class T>
void step_rows(const SolveRows<T>& rows, const T* alpha, double* dots, T* steps);
/// p = z + beta p.
template <class T>
void turn_rows(const SolveRows<T>& rows, const T* beta);

}  // namespace scanlens::cpu
