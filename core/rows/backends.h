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
