// CSR matrix times vector on the CPU: oneTBB over shares of the matrix, a sequential loop inside.
//
// segmented_scan: number the stored values, and after the last value of each row the row's end: the end of
// row r is item r + row_begin[r + 1]. Shares of equally many items cost equally much, however long or empty
// the rows are. A share writes the rows that end in it and leaves what it has of the row that does not; these
// carries are added to their rows at last, in order. The cuts depend on the matrix alone, hence the same bits
// on any number of threads.
//
// Source: Merrill and Garland, "Merge-based Parallel Sparse Matrix-Vector Multiplication", SC 2016.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "core/sparse/backends.h"

namespace scanlens::cpu {
namespace {

constexpr std::int64_t kShare = 1 << 15;  // items: about 10 µs, and small beside a core's cache
constexpr std::int64_t kRows = 1 << 12;   // rows per task, where rows are the measure

/// Returns values[first] x[columns[first]] + …, up to `last`. Four sums are kept side by side, because one
/// alone would wait for its own last addition at every step.
template <class T>
T product(const CsrMatrix<T>& a, const T* x, std::int64_t first, std::int64_t last) {
  const T* values = a.values.data();
  const std::uint32_t* columns = a.columns.data();
  T sums[4] = {};
  std::int64_t k = first;
  for (; k + 4 <= last; k += 4)
    for (int i = 0; i < 4; ++i) sums[i] += values[k + i] * x[columns[k + i]];
  for (; k < last; ++k) sums[0] += values[k] * x[columns[k]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// How many rows end before `item`: bisection of the ascending r + row_begin[r + 1].
template <class T>
std::int64_t rows_before(const CsrMatrix<T>& a, std::int64_t item) {
  std::int64_t least = 0, most = a.rows;
  while (least < most) {
    const std::int64_t row = least + (most - least) / 2;
    if (row + a.row_begin[row + 1] < item)
      least = row + 1;
    else
      most = row;
  }
  return least;
}

/// The part of a row that a share holds when the row ends in a later share; row == rows stands for none.
template <class T>
struct Carry {
  std::int64_t row;
  T sum;
};

template <class T>
Carry<T> multiply_share(const CsrMatrix<T>& a, const T* x, T* y, std::int64_t first_item,
                        std::int64_t last_item) {
  std::int64_t row = rows_before(a, first_item);
  const std::int64_t last_row = rows_before(a, last_item);
  std::int64_t k = first_item - row;
  for (; row < last_row; ++row) {
    const std::int64_t end = a.row_begin[row + 1];
    y[row] = product(a, x, k, end);
    k = end;
  }
  return {row, product(a, x, k, last_item - row)};
}

template <class T>
void spmv_by_shares(Context& context, const CsrMatrix<T>& a, const T* x, T* y) {
  const std::int64_t items = a.rows + std::ssize(a.values);
  const std::int64_t shares = (items + kShare - 1) / kShare;
  Workspace workspace(context);
  auto* carries = workspace.take<Carry<T>>(shares);
  tbb::parallel_for(std::int64_t{0}, shares, [&](std::int64_t share) {
    carries[share] = multiply_share(a, x, y, share * kShare, std::min(items, (share + 1) * kShare));
  });
  for (std::int64_t share = 0; share < shares; ++share)
    if (carries[share].row < a.rows) y[carries[share].row] += carries[share].sum;
}

/// The text-book versions (Nickolls, Buck, Garland and Skadron 2008): rows are shared out, whatever their
/// length.
template <class T>
void spmv_by_rows(const CsrMatrix<T>& a, const T* x, T* y) {
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, a.rows, kRows), [&](const auto& rows) {
    for (std::int64_t row = rows.begin(); row < rows.end(); ++row)
      y[row] = product(a, x, a.row_begin[row], a.row_begin[row + 1]);
  });
}

}  // namespace

template <class T>
void spmv(Context& context, const CsrMatrix<T>& a, std::span<const T> x, std::span<T> y,
          SpmvAlgorithm algorithm) {
  switch (algorithm) {
    case SpmvAlgorithm::row_per_thread:
    case SpmvAlgorithm::cached:  // every core has its cache by itself
      spmv_by_rows(a, x.data(), y.data());
      break;
    case SpmvAlgorithm::automatic:
    case SpmvAlgorithm::segmented_scan:
      spmv_by_shares(context, a, x.data(), y.data());
      break;
  }
}

template void spmv(Context&, const CsrMatrix<float>&, std::span<const float>, std::span<float>,
                   SpmvAlgorithm);
template void spmv(Context&, const CsrMatrix<double>&, std::span<const double>, std::span<double>,
                   SpmvAlgorithm);

}  // namespace scanlens::cpu
