// CSR matrix times vector on the CPU: oneTBB over shares of the matrix, a sequential loop inside.
//
// Number the stored values, and after the last value of each row the row's end: the end of
// row r is item r + row_begin[r + 1]. Shares of equally many items cost equally much, however long or empty
// the rows are. A share writes the rows that end in it and leaves what it has of the row that does not; these
// carries are added to their rows at last, in order. The cuts depend on the matrix alone, hence the same bits
// on any number of threads.
//
// Source: Merrill and Garland, "Merge-based Parallel Sparse Matrix-Vector Multiplication", SC 2016.
#include <tbb/parallel_for.h>

#include <algorithm>

#include "core/sparse/backends.h"
#include "core/sparse/row_product.h"

namespace scanlens::cpu {
namespace {

constexpr std::int64_t kShare = 1 << 15;  // items: about 10 µs, and small beside a core's cache

/// Number of rows that end before `item`: bisection of the ascending r + row_begin[r + 1].
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
    y[row] = row_product(a, x, k, end);
    k = end;
  }
  return {row, row_product(a, x, k, last_item - row)};
}

}  // namespace

template <class T>
void spmv(Context& context, const CsrMatrix<T>& a, std::span<const T> x, std::span<T> y) {
  const std::int64_t items = a.rows + std::ssize(a.values);
  const std::int64_t shares = (items + kShare - 1) / kShare;
  Workspace workspace(context);
  auto* carries = workspace.take<Carry<T>>(shares);
  tbb::parallel_for(std::int64_t{0}, shares, [&](std::int64_t share) {
    carries[share] =
        multiply_share(a, x.data(), y.data(), share * kShare, std::min(items, (share + 1) * kShare));
  });
  for (std::int64_t share = 0; share < shares; ++share)
    if (carries[share].row < a.rows) y[carries[share].row] += carries[share].sum;
}

template void spmv(Context&, const CsrMatrix<float>&, std::span<const float>, std::span<float>);
template void spmv(Context&, const CsrMatrix<double>&, std::span<const double>, std::span<double>);

}  // namespace scanlens::cpu
