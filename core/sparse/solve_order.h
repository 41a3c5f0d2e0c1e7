// The order in which solvers add up, and how they round: stated once, so that the CPU and CUDA have the same
// bits.
//
// A group of rows is 1024 rows of one column, or 32 rows of several. A lane adds up rows l, l + 32, and so on
// of one column; then the lanes are added pairwise. A column of several adds its rows in order. A tile is a
// run of groups, added in order; its length leaves at most kMostTiles tiles. The sums of tiles are added in
// kSolveLanes strides, and these pairwise.
//
// A product adds up a row's stored values one after the other. Rows of more than kPiece values are cut by
// spmm into pieces of that many, from the row's begin; it adds the sums of pieces in order.
#pragma once

#include <cstdint>

#include "core/view.h"

namespace scanlens {

inline constexpr int kSolveLanes = 32;
/// About one for each multiprocessor of a large GPU, whose blocks read the sums of all tiles each.
inline constexpr std::int64_t kMostTiles = 128;

inline constexpr std::uint32_t kPiece = 256;

SCANLENS_HOST_DEVICE constexpr std::int64_t rows_of_group(int columns) {
  return columns == 1 ? 32 * kSolveLanes : 32;
}
SCANLENS_HOST_DEVICE constexpr std::int64_t rows_of_tile(std::int64_t rows, int columns) {
  const std::int64_t most = kMostTiles * rows_of_group(columns);
  return rows <= most ? rows_of_group(columns) : (rows + most - 1) / most * rows_of_group(columns);
}
SCANLENS_HOST_DEVICE constexpr std::int64_t tiles_of(std::int64_t rows, int columns) {
  return (rows + rows_of_tile(rows, columns) - 1) / rows_of_tile(rows, columns);
}

// On the device nvcc would fuse a product with the sum that it goes into. The host's files are compiled
// without that.
template <class T>
SCANLENS_HOST_DEVICE T rounded_product(T a, T b) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(T) == 4)
    return __fmul_rn(a, b);
  else
    return __dmul_rn(a, b);
#else
  return a * b;
#endif
}

/// The reciprocal of a diagonal value; 0 for one that leaves its row out.
template <class T>
SCANLENS_HOST_DEVICE T inverse_of(T diagonal) {
  const T inverse = T(1) / diagonal;
  return diagonal > 0 && inverse > 0 && inverse < T(1e38) ? inverse : T(0);
}

/// The state of one column. A column that is given up has a negative rz.
template <class T>
struct Way {
  double rz;
  T factor;  ///< alpha, or beta

  SCANLENS_HOST_DEVICE bool given_up() const { return rz < 0; }
  /// Takes r z of the start.
  SCANLENS_HOST_DEVICE void begin(double dot) { rz = dot >= 0 && dot < 1e300 ? dot : -1; }
  /// Sets alpha from p A p.
  SCANLENS_HOST_DEVICE void step(double pq) {
    factor = 0;
    if (!(rz > 0)) return;
    factor = static_cast<T>(rz / pq);
    if (pq > 0 && factor < T(1e38)) return;
    factor = 0;
    rz = -1;
  }
  /// Sets beta from the new r z.
  SCANLENS_HOST_DEVICE void turn(double dot) {
    factor = 0;
    if (given_up()) return;
    if (rz > 0) factor = static_cast<T>(dot / rz);
    begin(dot);
    if (given_up()) factor = 0;
  }
};

}  // namespace scanlens
