#include "core/sparse.h"

#include <limits>

#include "core/runtime/array_checks.h"
#include "core/runtime/checks.h"
#include "core/runtime/dispatch.h"
#include "core/sparse/backends.h"

namespace scanlens {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();  // rows, columns or stored values

/// The sizes fit each other. Looks at no element: they may lie on the device.
template <class T>
void require_sizes(const char* call, const CsrMatrix<T>& a) {
  SCANLENS_REQUIRE(a.rows >= 0 && a.width >= 0 && a.rows <= kMost && a.width <= kMost,
                   fmt::format("{}: a matrix of {} x {} is impossible; at most 2^32 - 1 rows and columns",
                               call, a.rows, a.width));
  SCANLENS_REQUIRE(std::ssize(a.row_begin) == a.rows + 1,
                   fmt::format("{}: `row_begin` has {} elements for {} rows; it takes one more "
                               "than there are rows",
                               call, a.row_begin.size(), a.rows));
  SCANLENS_REQUIRE(a.row_begin.data() != nullptr, fmt::format("{}: `row_begin` points nowhere", call));
  require_same_length(call, {"columns", a.columns}, {"values", a.values});
  SCANLENS_REQUIRE(std::ssize(a.values) <= kMost,
                   fmt::format("{}: `values` has {} elements, more than 2^32 - 1", call, a.values.size()));
}

}  // namespace

template <class T>
void compiled::spmv(Context& context, const CsrMatrix<T>& a, std::span<const T> x, std::span<T> y,
                    SpmvAlgorithm algorithm) {
  require_sizes("spmv", a);
  const auto require_count = [](const char* name, std::span<const T> vector, std::int64_t count) {
    SCANLENS_REQUIRE(
        std::ssize(vector) == count,
        fmt::format("spmv: `{}` has {} elements but the matrix wants {}", name, vector.size(), count));
    SCANLENS_REQUIRE(count == 0 || vector.data() != nullptr, fmt::format("spmv: `{}` points nowhere", name));
  };
  require_count("x", x, a.width);
  require_count("y", y, a.rows);
  require_apart("spmv", {"x", x}, {"y", y});
  require_apart("spmv", {"row_begin", a.row_begin}, {"y", y});
  require_apart("spmv", {"columns", a.columns}, {"y", y});
  require_apart("spmv", {"values", a.values}, {"y", y});
  if (a.rows == 0) return;
  SCANLENS_DISPATCH(context, spmv, a, x, y, algorithm);
}

template <class T>
void compiled::check_csr(const CsrMatrix<T>& a) {
  require_sizes("check_csr", a);
  SCANLENS_REQUIRE(a.row_begin[0] == 0,
                   fmt::format("check_csr: row 0 begins at value {} instead of 0", a.row_begin[0]));
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const std::uint32_t begin = a.row_begin[row], end = a.row_begin[row + 1];
    SCANLENS_REQUIRE(
        begin <= end,
        fmt::format("check_csr: row {} begins at value {} and ends before it, at {}", row, begin, end));
    SCANLENS_REQUIRE(end <= a.values.size(),
                     fmt::format("check_csr: row {} ends at value {} of {}", row, end, a.values.size()));
    for (std::uint32_t k = begin; k < end; ++k)
      SCANLENS_REQUIRE(a.columns[k] < a.width, fmt::format("check_csr: row {} has a value in column {} of {}",
                                                           row, a.columns[k], a.width));
  }
  SCANLENS_REQUIRE(
      a.row_begin[a.rows] == a.values.size(),
      fmt::format("check_csr: the last row ends at value {} of {}", a.row_begin[a.rows], a.values.size()));
}

#define SCANLENS_INSTANTIATE(T)                                                                 \
  template void compiled::spmv(Context&, const CsrMatrix<T>&, std::span<const T>, std::span<T>, \
                               SpmvAlgorithm);                                                  \
  template void compiled::check_csr(const CsrMatrix<T>&);
SCANLENS_INSTANTIATE(float)
SCANLENS_INSTANTIATE(double)

}  // namespace scanlens
