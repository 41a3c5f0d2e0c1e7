// Scans and sums of segments that equal keys, or offsets, make: jagged rows, groups, runs.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "core/array.h"
#include "core/context.h"
#include "core/operators.h"
#include "core/scan_kinds.h"
#include "core/sort.h"

namespace scanlens {

// All functions here agree in this:
// Lengths: any from 0 to beyond 2^32. Types and operators: those of SCANLENS_SEGMENTED_SCANS (core/scan.h).
// Keys: uint32_t, int32_t, uint64_t, int64_t. A run is a longest range of neighbours with equal keys; keys
// need not be sorted. Offsets ascend from 0 to the length, one more than there are segments. Segment s has
// elements offsets[s] to before offsets[s + 1]; there may be none. Other offsets are never followed beyond
// the arrays, but what they make has no meaning: check_offsets looks at them. Determinism, and the bound of
// float sums in each segment: as in core/scan.h. Aliasing: `out` may be `in` itself in scans; any other
// overlap of an output with another array is an error. Bytes moved: the keys or offsets once, a byte for each
// element written and read, and what the segmented scan moves; reductions write and read the scan once more.
// Source: as of the segmented scans in core/scan.h.

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

/// Scans that begin afresh at every run of keys. Options: all but `reverse`; an initial value begins every
/// run.
template <ContiguousArray Keys, ContiguousArray In, ContiguousArray Out, class Op = Sum>
void inclusive_scan_by_key(Context& context, const Keys& keys, const In& in, Out&& out, Op op = {},
                           const ScanOptions<ElementOf<Out>>& options = {}) {
  using Key = ElementOf<Keys>;
  using T = ElementOf<In>;
  static_assert(ByKeyInLibrary<Key, T, Op>,
                "inclusive_scan_by_key: not of the types and operators that core/segments.h names");
  using As = SameBits<T, Op>;
  compiled::scan_by_key(
      context, "inclusive_scan_by_key", true, elements_as<UnsignedOf<sizeof(Key)>>(elements_of(keys)),
      elements_as<As>(elements_of(in)), elements_as<As>(room_of(out)), op, options_as<As>(options));
}
template <ContiguousArray Keys, ContiguousArray In, ContiguousArray Out, class Op = Sum>
void exclusive_scan_by_key(Context& context, const Keys& keys, const In& in, Out&& out, Op op = {},
                           const ScanOptions<ElementOf<Out>>& options = {}) {
  using Key = ElementOf<Keys>;
  using T = ElementOf<In>;
  static_assert(ByKeyInLibrary<Key, T, Op>,
                "exclusive_scan_by_key: not of the types and operators that core/segments.h names");
  using As = SameBits<T, Op>;
  compiled::scan_by_key(
      context, "exclusive_scan_by_key", false, elements_as<UnsignedOf<sizeof(Key)>>(elements_of(keys)),
      elements_as<As>(elements_of(in)), elements_as<As>(room_of(out)), op, options_as<As>(options));
}

/// Scans of segments by offsets. Options: `initial` and `initial_at`, which begin every segment.
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void inclusive_scan_segments(Context& context, const In& in, std::span<const std::int64_t> offsets, Out&& out,
                             Op op = {}, const ScanOptions<ElementOf<Out>>& options = {}) {
  using T = ElementOf<In>;
  static_assert(SegmentedScanInLibrary<T, Op>,
                "inclusive_scan_segments: not of the types and operators that core/segments.h names");
  using As = SameBits<T, Op>;
  compiled::scan_segments(context, "inclusive_scan_segments", true, elements_as<As>(elements_of(in)), offsets,
                          elements_as<As>(room_of(out)), op, options_as<As>(options));
}
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void exclusive_scan_segments(Context& context, const In& in, std::span<const std::int64_t> offsets, Out&& out,
                             Op op = {}, const ScanOptions<ElementOf<Out>>& options = {}) {
  using T = ElementOf<In>;
  static_assert(SegmentedScanInLibrary<T, Op>,
                "exclusive_scan_segments: not of the types and operators that core/segments.h names");
  using As = SameBits<T, Op>;
  compiled::scan_segments(context, "exclusive_scan_segments", false, elements_as<As>(elements_of(in)),
                          offsets, elements_as<As>(room_of(out)), op, options_as<As>(options));
}

/// Throws Error (usage) unless the offsets, in host memory, are those of segments of an array so long.
void check_offsets(std::span<const std::int64_t> offsets, std::int64_t length);

/// out[s] = all elements of segment s combined; the identity for an empty one. As many results as segments.
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void reduce_segments(Context& context, const In& in, std::span<const std::int64_t> offsets, Out&& out,
                     Op op = {}) {
  using T = ElementOf<In>;
  static_assert(SegmentedScanInLibrary<T, Op>,
                "reduce_segments: not of the types and operators that core/segments.h names");
  using As = SameBits<T, Op>;
  compiled::reduce_segments(context, elements_as<As>(elements_of(in)), offsets, elements_as<As>(room_of(out)),
                            op);
}

/// The key of each run, what its elements come to, and the number of runs. keys_out and out have room for as
/// many elements as there are keys; nothing beyond the count is touched. `count` is in memory of the
/// context's backend, written in the order of the stream.
template <ContiguousArray Keys, ContiguousArray In, ContiguousArray KeysOut, ContiguousArray Out,
          class Op = Sum>
void reduce_by_key(Context& context, const Keys& keys, const In& in, KeysOut&& keys_out, Out&& out,
                   std::uint64_t* count, Op op = {}) {
  using Key = ElementOf<Keys>;
  using T = ElementOf<In>;
  static_assert(ByKeyInLibrary<Key, T, Op>,
                "reduce_by_key: not of the types and operators that core/segments.h names");
  using Bits = UnsignedOf<sizeof(Key)>;
  using As = SameBits<T, Op>;
  compiled::reduce_by_key(context, elements_as<Bits>(elements_of(keys)), elements_as<As>(elements_of(in)),
                          elements_as<Bits>(room_of(keys_out)), elements_as<As>(room_of(out)), count, op);
}

/// The value of each run of equal elements and the run's length (run-length encoding). Outputs and count as
/// above. Types: those of keys.
template <ContiguousArray In, ContiguousArray Values>
void run_lengths(Context& context, const In& in, Values&& values_out, std::span<std::int64_t> lengths_out,
                 std::uint64_t* count) {
  using Key = ElementOf<In>;
  static_assert(KeyInLibrary<Key>, "run_lengths: not of the types that core/segments.h names");
  using Bits = UnsignedOf<sizeof(Key)>;
  compiled::run_lengths(context, elements_as<Bits>(elements_of(in)), elements_as<Bits>(room_of(values_out)),
                        lengths_out, count);
}

/// The place at which each run of equal elements begins. Outputs and count as above. Types: those of keys.
template <ContiguousArray In>
void run_starts(Context& context, const In& in, std::span<std::uint64_t> starts_out, std::uint64_t* count) {
  using Key = ElementOf<In>;
  static_assert(KeyInLibrary<Key>, "run_starts: not of the types that core/segments.h names");
  compiled::run_starts(context, elements_as<UnsignedOf<sizeof(Key)>>(elements_of(in)), starts_out, count);
}

/// The key of each run and the first of its elements. Elements: any trivially copyable type of 1, 2, 4 or 8
/// bytes. Outputs and count as above.
template <ContiguousArray Keys, ContiguousArray In, ContiguousArray KeysOut, ContiguousArray Out>
void unique_by_key(Context& context, const Keys& keys, const In& in, KeysOut&& keys_out, Out&& out,
                   std::uint64_t* count) {
  using Key = ElementOf<Keys>;
  using T = ElementOf<In>;
  static_assert(KeyInLibrary<Key>, "unique_by_key: not of the keys that core/segments.h names");
  static_assert(std::is_trivially_copyable_v<T>);
  using KeyBits = UnsignedOf<sizeof(Key)>;
  using Bits = UnsignedOf<sizeof(T)>;
  compiled::unique_by_key(context, elements_as<KeyBits>(elements_of(keys)),
                          elements_as<Bits>(elements_of(in)), elements_as<KeyBits>(room_of(keys_out)),
                          elements_as<Bits>(room_of(out)), count);
}

/// Each segment sorted by itself, as core/sort.h sorts; `out` may be `in`. Keys: those of sorts. Two sorts of
/// all elements make it, so that segments may have any lengths; of fewer than 2^32 segments. Workspace: three
/// arrays of keys and two of 4 bytes an element.
template <ContiguousArray In, ContiguousArray Out>
void sort_segments(Context& context, const In& in, std::span<const std::int64_t> offsets, Out&& out,
                   bool descending = false) {
  static_assert(SortInLibrary<ElementOf<In>>, "sort_segments: not of the types that core/sort.h names");
  compiled::sort_segments(context, elements_of(in), offsets, room_of(out), descending);
}

/// out[i] = in[i] - in[i - 1], and out[0] = in[0]: what an inclusive scan undoes. Types: int32_t, uint32_t,
/// int64_t, uint64_t, float, double; integers wrap around. `out` and `in` do not overlap.
template <ContiguousArray In, ContiguousArray Out>
void adjacent_difference(Context& context, const In& in, Out&& out) {
  static_assert(SortInLibrary<ElementOf<In>>,
                "adjacent_difference: not of the types that core/segments.h names");
  using As = SameBits<ElementOf<In>, Sum>;
  compiled::adjacent_difference(context, elements_as<As>(elements_of(in)), elements_as<As>(room_of(out)));
}

}  // namespace scanlens
