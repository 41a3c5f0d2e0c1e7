// A CSR matrix as solvers and products see it. In solvers an operator has `rows`, and
// - diagonal(row): what divides the row's residual;
// - product(row, x, columns, c): the row times column c of x, every product and sum rounded;
// - optionally kHalo and halo(): elements before and behind x that product() may read, which are then 0; it
//   takes one column only;
// - optionally, for the CPU, multiply(first, end, x, stride, y): products of rows first .. end - 1 with all
//   columns, in rows of `stride` elements, with the same bits.
#pragma once

#include <cstdint>

#include "core/sparse.h"
#include "core/sparse/solve_order.h"

namespace scanlens {

template <class T>
struct CsrRows {
  using Element = T;

  std::int64_t rows;
  const std::uint32_t* row_begin;
  const std::uint32_t* columns;
  const T* values;

  explicit CsrRows(const CsrMatrix<T>& a)
      : rows(a.rows), row_begin(a.row_begin.data()), columns(a.columns.data()), values(a.values.data()) {}

  SCANLENS_HOST_DEVICE T diagonal(std::int64_t row) const {
    T sum = 0;
    for (std::uint32_t k = row_begin[row]; k < row_begin[row + 1]; ++k)
      if (columns[k] == row) sum += values[k];
    return sum;
  }
  SCANLENS_HOST_DEVICE T product(std::int64_t row, const T* x, int x_columns, int c) const {
    return part(row_begin[row], row_begin[row + 1], x, x_columns, c);
  }
  /// The product of some of a row's stored values.
  SCANLENS_HOST_DEVICE T part(std::uint32_t first, std::uint32_t end, const T* x, int x_columns,
                              int c) const {
    T sum = 0;
    for (std::uint32_t k = first; k < end; ++k)
      sum += rounded_product(values[k], x[static_cast<std::int64_t>(columns[k]) * x_columns + c]);
    return sum;
  }
  void multiply(std::int64_t first, std::int64_t end, const T* x, int stride, T* y) const;
};

}  // namespace scanlens
