// Checks of the arrays of a scan. Free of fmt, so that CUDA sources can include it.
#pragma once

#include <string>

#include "core/error.h"
#include "core/runtime/array_checks.h"
#include "core/scan_kinds.h"

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

/// Options that a call does not support.
enum class Refused { nothing, reverse, length };

template <class T>
void require_options(const char* call, const ScanOptions<T>& options, const ArrayArgument& out,
                     Refused refused = Refused::nothing) {
  const auto refuse = [call](const char* why) {
    throw Error(ErrorKind::usage, std::string(call) + ": " + why);
  };
  if (options.initial && options.initial_at) refuse("`initial` and `initial_at` are both given; give one");
  if (options.initial_at)
    require_apart(call, ArrayArgument("initial_at", std::span<const T>(options.initial_at, 1)), out);
  if (options.length)
    require_apart(call, ArrayArgument("length", std::span<const std::uint64_t>(options.length, 1)), out);
  if (options.reverse && refused == Refused::reverse) refuse("`reverse` is not possible with segments");
  if (options.length && refused == Refused::length) refuse("`length` is possible with one array alone");
}

}  // namespace scanlens
