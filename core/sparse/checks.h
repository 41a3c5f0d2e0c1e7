// Checks of the arguments of sparse products.
#pragma once

#include <limits>

#include "core/runtime/array_checks.h"
#include "core/runtime/checks.h"
#include "core/sparse.h"

namespace scanlens {

/// Rows, columns or stored values.
constexpr std::int64_t kMostSparse = std::numeric_limits<std::uint32_t>::max();

/// The sizes fit each other. Looks at no element: they may lie on the device.
template <class T>
void require_sizes(const char* call, const CsrMatrix<T>& a) {
  SCANLENS_REQUIRE(a.rows >= 0 && a.width >= 0 && a.rows <= kMostSparse && a.width <= kMostSparse,
                   fmt::format("{}: a matrix of {} x {} is impossible; at most 2^32 - 1 rows and columns",
                               call, a.rows, a.width));
  SCANLENS_REQUIRE(
      std::ssize(a.row_begin) == a.rows + 1,
      fmt::format("{}: `row_begin` has {} elements for {} rows; it needs one more than there are rows", call,
                  a.row_begin.size(), a.rows));
  SCANLENS_REQUIRE(a.row_begin.data() != nullptr, fmt::format("{}: `row_begin` points nowhere", call));
  require_same_length(call, {"columns", a.columns}, {"values", a.values});
  SCANLENS_REQUIRE(std::ssize(a.values) <= kMostSparse,
                   fmt::format("{}: `values` has {} elements, more than 2^32 - 1", call, a.values.size()));
}

template <class T>
void require_product(const char* call, const CsrMatrix<T>& a, std::span<const T> x, std::span<T> y) {
  require_sizes(call, a);
  const auto require_count = [call](const char* name, std::span<const T> vector, std::int64_t count) {
    SCANLENS_REQUIRE(
        std::ssize(vector) == count,
        fmt::format("{}: `{}` has {} elements but the matrix needs {}", call, name, vector.size(), count));
    SCANLENS_REQUIRE(count == 0 || vector.data() != nullptr,
                     fmt::format("{}: `{}` points nowhere", call, name));
  };
  require_count("x", x, a.width);
  require_count("y", y, a.rows);
  require_apart(call, {"x", x}, {"y", y});
  require_apart(call, {"row_begin", a.row_begin}, {"y", y});
  require_apart(call, {"columns", a.columns}, {"y", y});
  require_apart(call, {"values", a.values}, {"y", y});
}

}  // namespace scanlens
