// Row and column scans per backend. Only the checked public functions call them, with views that are not
// empty.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/operators.h"
#include "core/view.h"

namespace scanlens::cpu {
template <class T, class Op>
void scan_rows(Context& context, View<const T> in, View<T> out, Op op);
template <class T, class Op>
void scan_columns(Context& context, View<const T> in, View<T> out, std::int64_t images, Op op);
}  // namespace scanlens::cpu
namespace scanlens::gpu {
template <class T, class Op>
void scan_rows(Context& context, View<const T> in, View<T> out, Op op);
template <class T, class Op>
void scan_columns(Context& context, View<const T> in, View<T> out, std::int64_t images, Op op);
}  // namespace scanlens::gpu

/// The row and column scans that the library holds ready compiled, for both backends: X(T, Op) for each.
/// Tables need the rows of unsigned sums, which are in scanlens_core for that; the others are in
/// scanlens_primitives.
#define SCANLENS_FOR_EACH_ROW_SCAN(X) SCANLENS_FOR_EACH_TABLE_ROW_SCAN(X) SCANLENS_FOR_EACH_OTHER_ROW_SCAN(X)
#define SCANLENS_FOR_EACH_TABLE_ROW_SCAN(X) \
  X(std::uint32_t, ::scanlens::Sum)         \
  X(std::uint64_t, ::scanlens::Sum)
#define SCANLENS_FOR_EACH_OTHER_ROW_SCAN(X) \
  X(std::int32_t, ::scanlens::Sum)          \
  X(float, ::scanlens::Sum)                 \
  X(double, ::scanlens::Sum)                \
  X(float, ::scanlens::Max)
