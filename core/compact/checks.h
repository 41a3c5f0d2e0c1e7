// Checks of the arrays of a compaction. Free of fmt, so that CUDA sources can include it.
#pragma once

#include <cstdint>

#include "core/runtime/array_checks.h"

namespace scanlens {

/// `out` can take all of `in`, the count can be written, and no two of them share a byte.
inline void require_compactable(const char* call, const ArrayArgument& in, const ArrayArgument& out,
                                std::uint64_t* count) {
  const ArrayArgument counted("count", std::span<std::uint64_t>(count, 1));
  require_room(call, counted, counted);
  require_room(call, in, out);
  require_apart(call, in, out);
  require_apart(call, in, counted);
  require_apart(call, out, counted);
}

/// The same of both sides of a partition, which lie apart.
inline void require_partition(const char* call, const ArrayArgument& in, const ArrayArgument& kept,
                              const ArrayArgument& rejected, std::uint64_t* count) {
  require_compactable(call, in, kept, count);
  require_compactable(call, in, rejected, count);
  require_apart(call, kept, rejected);
}

/// As many flags as elements, and apart from what is written.
inline void require_flags(const char* call, const ArrayArgument& in, const ArrayArgument& flags,
                          const ArrayArgument& out, std::uint64_t* count) {
  require_same_length(call, in, flags);
  require_apart(call, flags, out);
  require_apart(call, flags, {"count", std::span<std::uint64_t>(count, 1)});
}

}  // namespace scanlens
