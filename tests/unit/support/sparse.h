// Sparse matrices for the tests: on the host as vectors, and where a context can read them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/image.h"
#include "core/sparse.h"
#include "tests/unit/support/arrays.h"

namespace scanlens::test {

/// Random numbers from -1 to 1.
template <class T>
std::vector<T> fractions(std::int64_t count) {
  std::vector<T> x(static_cast<std::size_t>(count));
  for (T& value : x) value = std::uniform_real_distribution<T>(-1, 1)(generator());
  return x;
}

template <class T>
struct HostCsr {
  std::int64_t rows = 0, width = 0;
  std::vector<std::uint32_t> row_begin = {0};
  std::vector<std::uint32_t> columns;
  std::vector<T> values;

  void add(std::int64_t column, T value) {
    columns.push_back(static_cast<std::uint32_t>(column));
    values.push_back(value);
  }
  void end_row() {
    row_begin.push_back(static_cast<std::uint32_t>(values.size()));
    ++rows;
  }
  CsrMatrix<T> matrix() const { return {rows, width, row_begin, columns, values}; }
};

template <class T>
struct DeviceCsr {
  DeviceCsr(Context& context, const HostCsr<T>& host, std::int64_t offset = 0)
      : rows(host.rows),
        width(host.width),
        row_begin(context, host.row_begin, offset),
        columns(context, host.columns, offset),
        values(context, host.values, offset) {}
  CsrMatrix<T> matrix() const { return {rows, width, row_begin.span(), columns.span(), values.span()}; }

  std::int64_t rows, width;
  GuardedArray<std::uint32_t> row_begin, columns;
  GuardedArray<T> values;
};

/// Rows of the lengths given with random columns. Values are whole numbers from -4 to 4, so that sums of up
/// to 2^17 products with such numbers are exact in float, in whatever order.
template <class T>
HostCsr<T> random_csr(const std::vector<std::int64_t>& lengths, std::int64_t width) {
  HostCsr<T> a;
  a.width = width;
  for (const std::int64_t length : lengths) {
    for (std::int64_t i = 0; i < length; ++i)
      a.add(static_cast<std::int64_t>(generator()() % static_cast<std::uint64_t>(width)),
            static_cast<T>(static_cast<int>(generator()() % 9) - 4));
    a.end_row();
  }
  return a;
}

/// Minus the Laplacian on side x side points with zero around: 4 u(x, y) minus its four neighbours.
template <class T>
HostCsr<T> poisson(std::int64_t side) {
  HostCsr<T> a;
  a.width = side * side;
  for (std::int64_t y = 0; y < side; ++y)
    for (std::int64_t x = 0; x < side; ++x) {
      const std::int64_t i = y * side + x;
      if (y > 0) a.add(i - side, -1);
      if (x > 0) a.add(i - 1, -1);
      a.add(i, 4);
      if (x + 1 < side) a.add(i + 1, -1);
      if (y + 1 < side) a.add(i + side, -1);
      a.end_row();
    }
  return a;
}

}  // namespace scanlens::test
