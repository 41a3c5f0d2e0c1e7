// spmm and conjugate_gradients of core/sparse.h: arguments, the fork, and the CPU.
#include <tbb/parallel_for.h>

#include <algorithm>

#include "core/runtime/dispatch.h"
#include "core/sparse/checks.h"
#include "core/sparse/solve_backends.h"
#include "core/sparse/solve_checks.h"
#include "core/sparse/solve_cpu.h"

namespace scanlens {
namespace cpu {

void for_each_tile(std::int64_t tiles, const std::function<void(std::int64_t)>& work) {
  tbb::parallel_for(std::int64_t{0}, tiles, [&](std::int64_t tile) { work(tile); });
}

double sum_of_tiles(const double* sums, std::int64_t tiles, int stride, int c) {
  double lanes[kSolveLanes] = {};
  for (std::int64_t tile = 0; tile < tiles; ++tile) lanes[tile % kSolveLanes] += sums[tile * stride + c];
  for (int half = kSolveLanes / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

template <class T>
void spmm(Context&, const CsrMatrix<T>& a, const T* x, int columns, T* y) {
  const CsrRows<T> rows(a);
  const auto one_row = [&](std::int64_t row) {
    T sums[kMostColumns] = {};
    for (std::uint32_t first = rows.row_begin[row]; first < rows.row_begin[row + 1];) {
      const std::uint32_t end = first + std::min(kPiece, rows.row_begin[row + 1] - first);
      T piece[kMostColumns] = {};
      for (; first < end; ++first) {
        const T value = rows.values[first];
        const T* const from = x + static_cast<std::int64_t>(rows.columns[first]) * columns;
        for (int c = 0; c < columns; ++c) piece[c] += value * from[c];
      }
      for (int c = 0; c < columns; ++c) sums[c] += piece[c];
    }
    std::copy_n(sums, columns, y + row * columns);
  };
  const auto is_long = [&](std::int64_t row) {
    return rows.row_begin[row + 1] - rows.row_begin[row] > kPiece;
  };
  const bool whole_vectors = columns == stride_of(columns);
  constexpr std::int64_t kRows = 256;
  for_each_tile((a.rows + kRows - 1) / kRows, [&](std::int64_t tile) {
    const std::int64_t end = std::min(a.rows, (tile + 1) * kRows);
    for (std::int64_t row = tile * kRows; row < end;) {
      if (!whole_vectors || is_long(row)) {
        one_row(row++);
        continue;
      }
      const std::int64_t first = row;
      while (row < end && !is_long(row)) ++row;
      rows.multiply(first, row, x, columns, y);
    }
  });
}

template <class T>
void conjugate_gradients(Context& context, const CsrMatrix<T>& a, const T* b, T* x, int columns,
                         Solved* result, const SolveOptions& options) {
  solve(context, CsrRows<T>(a), b, x, columns, result, options);
}

}  // namespace cpu

void require_solvable(const char* call, std::int64_t rows, const ArrayArgument& b, const ArrayArgument& x,
                      int columns, Solved* result, const SolveOptions& options) {
  require_columns(call, columns);
  for (const ArrayArgument& array : {b, x}) require_rows(call, array, rows, columns);
  require_apart(call, b, x);
  require_apart(call, x, {"result", std::span(result, result ? 1 : 0)});
  SCANLENS_REQUIRE(options.step > 0, fmt::format("{}: `step` is {}; it must be above 0", call, options.step));
  SCANLENS_REQUIRE(options.most >= 0,
                   fmt::format("{}: `most` is {}; it must not be below 0", call, options.most));
}

void require_columns(const char* call, int columns) {
  SCANLENS_REQUIRE(columns >= 1 && columns <= kMostColumns,
                   fmt::format("{}: {} columns; at least 1 and at most {}", call, columns, kMostColumns));
}

void require_rows(const char* call, const ArrayArgument& array, std::int64_t rows, int columns) {
  SCANLENS_REQUIRE(array.count == rows * columns,
                   fmt::format("{}: `{}` has {} elements but {} rows of {} columns make {}", call, array.name,
                               array.count, rows, columns, rows * columns));
  SCANLENS_REQUIRE(array.count == 0 || array.data != nullptr,
                   fmt::format("{}: `{}` points nowhere", call, array.name));
}

namespace {
template <class T>
void require_matrix_apart(const char* call, const CsrMatrix<T>& a, const ArrayArgument& written) {
  require_sizes(call, a);
  require_apart(call, {"row_begin", a.row_begin}, written);
  require_apart(call, {"columns", a.columns}, written);
  require_apart(call, {"values", a.values}, written);
}
}  // namespace

template <SparseInLibrary T>
void spmm(Context& context, const CsrMatrix<T>& a, std::span<const std::type_identity_t<T>> x, int columns,
          std::span<std::type_identity_t<T>> y) {
  require_matrix_apart("spmm", a, {"y", y});
  require_columns("spmm", columns);
  require_rows("spmm", {"x", x}, a.width, columns);
  require_rows("spmm", {"y", y}, a.rows, columns);
  require_apart("spmm", {"x", x}, {"y", y});
  if (a.rows > 0) SCANLENS_DISPATCH(context, spmm, a, x.data(), columns, y.data());
}

template <SparseInLibrary T>
void conjugate_gradients(Context& context, const CsrMatrix<T>& a, std::span<const std::type_identity_t<T>> b,
                         std::span<std::type_identity_t<T>> x, int columns, Solved* result,
                         const SolveOptions& options) {
  constexpr const char* kCall = "conjugate_gradients";
  require_matrix_apart(kCall, a, {"x", x});
  SCANLENS_REQUIRE(a.rows == a.width,
                   fmt::format("{}: a matrix of {} x {} is not square", kCall, a.rows, a.width));
  require_solvable(kCall, a.rows, {"b", b}, {"x", x}, columns, result, options);
  SCANLENS_DISPATCH(context, conjugate_gradients, a, b.data(), x.data(), columns, result, options);
}

#define SCANLENS_INSTANTIATE(T)                                                                           \
  template void spmm(Context&, const CsrMatrix<T>&, std::span<const T>, int, std::span<T>);               \
  template void conjugate_gradients(Context&, const CsrMatrix<T>&, std::span<const T>, std::span<T>, int, \
                                    Solved*, const SolveOptions&);
SCANLENS_INSTANTIATE(float)
SCANLENS_INSTANTIATE(double)

}  // namespace scanlens
