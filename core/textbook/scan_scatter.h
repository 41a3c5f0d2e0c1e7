// Compaction in the two steps of the text-book.
#pragma once

#include <cstdint>
#include <span>

#include "core/array.h"
#include "core/context.h"
#include "core/held/compactions.h"

namespace scanlens {

namespace compiled {
template <class T>
void compact_scan_scatter(Context& context, std::span<const T> in, std::span<const std::uint8_t> flags,
                          std::span<T> out, std::uint64_t* count);
}

/// As compact_flagged (core/held/compactions.h), in two steps: an exclusive scan of the flags gives each kept
/// element its place, and a scatter puts it there. Needs 4 bytes of workspace per element; takes at most 2^32
/// - 1 elements. Source: GPU Gems 3, section 39.3.1.
template <class T>
void compact_scan_scatter(Context& context, std::span<const T> in, std::span<const std::uint8_t> flags,
                          std::span<T> out, std::uint64_t* count) {
  static_assert(CompactInLibrary<T>,
                "compact_scan_scatter: not of the types that core/held/compactions.h names");
  using Bits = UnsignedOf<sizeof(T)>;
  compiled::compact_scan_scatter(context, elements_as<Bits>(in), flags, elements_as<Bits>(out), count);
}
template <ContiguousArray In, ContiguousArray Out>
void compact_scan_scatter(Context& context, const In& in, std::span<const std::uint8_t> flags, Out&& out,
                          std::uint64_t* count) {
  compact_scan_scatter<ElementOf<In>>(context, in, flags, out, count);
}

}  // namespace scanlens
