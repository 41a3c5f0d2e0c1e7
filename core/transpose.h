// Matrix transposition.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/view.h"

namespace scanlens {

/// out(y, x) = in(x, y).
///
/// Shapes: one channel; `out` is as wide as `in` is high and as high as `in` is wide; any size and pitch.
/// Elements: uint32_t and uint64_t.
/// Aliasing: the views must not overlap.
/// Bytes moved: each element is read once and written once, both coalesced, through tiles of 32 x 32.
/// Source: GPU Gems 3, section 39.3.2 (scanning columns as rows of the transpose).
template <class T>
void transpose(Context& context, View<const T> in, View<T> out);

}  // namespace scanlens
