// What scans ask of their arrays. Free of fmt, so that CUDA sources can include it.
#pragma once

#include "core/runtime/array_checks.h"

namespace scanlens {

inline void require_scannable(const char* call, const ArrayArgument& in, const ArrayArgument& out) {
  require_same_length(call, in, out);
  require_apart_or_same(call, in, out);
}

inline void require_scannable(const char* call, const ArrayArgument& in, const ArrayArgument& heads,
                              const ArrayArgument& out) {
  require_scannable(call, in, out);
  require_same_length(call, in, heads);
  require_apart(call, heads, out);
}

}  // namespace scanlens
