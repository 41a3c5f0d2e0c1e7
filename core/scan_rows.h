// Inclusive sums along the rows of a two-dimensional array.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/view.h"

namespace scanlens {

/// out(x, y) = in(0, y) + … + in(x, y), for every row, modulo 2^32 or 2^64 (T is uint32_t or uint64_t).
///
/// Shapes: both views one channel and the same size; any width and height, 0 included; any pitch.
/// Aliasing: `out` may be `in` itself; any other overlap is an error.
/// Determinism: unsigned sums do not depend on the order of the additions, so every backend gives the same
/// bits. Bytes moved on CUDA: each element is read and written once, and once more where a row is longer than
/// a tile of 2048. Source: Harris, Sengupta, Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3,
/// sections 39.2 and 39.3.2.
template <class T>
void scan_rows(Context& context, View<const T> in, View<T> out);

}  // namespace scanlens
