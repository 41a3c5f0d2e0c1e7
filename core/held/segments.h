// Calls of core/segments.h as the library holds them compiled.
#pragma once

#include <cstdint>
#include <span>

#include "core/array.h"
#include "core/context.h"
#include "core/held/scans.h"

namespace scanlens {
namespace compiled {
template <class Key, class T, class Op>
void scan_by_key(Context& context, const char* call, bool inclusive, std::span<const Key> keys,
                 std::span<const T> in, std::span<T> out, Op op, const ScanOptions<T>& options);
template <class T, class Op>
void scan_segments(Context& context, const char* call, bool inclusive, std::span<const T> in,
                   std::span<const std::int64_t> offsets, std::span<T> out, Op op,
                   const ScanOptions<T>& options);
template <class T, class Op>
void reduce_segments(Context& context, std::span<const T> in, std::span<const std::int64_t> offsets,
                     std::span<T> out, Op op);
template <class Key, class T, class Op>
void reduce_by_key(Context& context, std::span<const Key> keys, std::span<const T> in,
                   std::span<Key> keys_out, std::span<T> out, std::uint64_t* count, Op op);
template <class Key>
void run_lengths(Context& context, std::span<const Key> in, std::span<Key> values_out,
                 std::span<std::int64_t> lengths_out, std::uint64_t* count);
template <class Key>
void run_starts(Context& context, std::span<const Key> in, std::span<std::uint64_t> starts_out,
                std::uint64_t* count);
template <class Key, class T>
void unique_by_key(Context& context, std::span<const Key> keys, std::span<const T> in,
                   std::span<Key> keys_out, std::span<T> out, std::uint64_t* count);
template <class Key>
void sort_segments(Context& context, std::span<const Key> in, std::span<const std::int64_t> offsets,
                   std::span<Key> out, bool descending);
template <class T>
void adjacent_difference(Context& context, std::span<const T> in, std::span<T> out);
}  // namespace compiled

/// True of the keys, and of the keys and values, that the library holds all of this compiled for.
template <class Key>
concept KeyInLibrary = kOneOf<Key, std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>;
template <class Key, class T, class Op>
concept ByKeyInLibrary = KeyInLibrary<Key> && SegmentedScanInLibrary<T, Op>;

template <class Key, class T, class Op>
void scan_held_by_key(Context& context, const char* call, bool inclusive, std::span<const Key> keys,
                      std::span<const T> in, std::span<T> out, Op op, const ScanOptions<T>& options) {
  static_assert(ByKeyInLibrary<Key, T, Op>,
                "scan_by_key: not of the types and operators that core/segments.h names");
  using As = SameBits<T, Op>;
  compiled::scan_by_key(context, call, inclusive, bits_of_array(keys), elements_as<As>(in),
                        elements_as<As>(out), op, options_as<As>(options));
}
template <class T, class Op>
void scan_held_segments(Context& context, const char* call, bool inclusive, std::span<const T> in,
                        std::span<const std::int64_t> offsets, std::span<T> out, Op op,
                        const ScanOptions<T>& options) {
  static_assert(SegmentedScanInLibrary<T, Op>,
                "scan_segments: not of the types and operators that core/segments.h names");
  using As = SameBits<T, Op>;
  compiled::scan_segments(context, call, inclusive, elements_as<As>(in), offsets, elements_as<As>(out), op,
                          options_as<As>(options));
}

}  // namespace scanlens
