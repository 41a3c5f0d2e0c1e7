// Scans and sums of segments that equal keys, or offsets, make: jagged rows, groups, runs.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "core/held/segments.h"
#include "core/sort.h"

namespace scanlens {

// Types and operators: those of SCANLENS_SEGMENTED_SCANS (core/scan_kinds.h). Keys: uint32_t, int32_t,
// uint64_t, int64_t. A run is a longest range of neighbours with equal keys; keys need not be sorted. Offsets
// ascend from 0 to the length, one more than there are segments. Segment s has elements offsets[s] to before
// offsets[s + 1]; there may be none. Other offsets are never followed beyond the arrays, but what they make
// has no meaning: check_offsets looks at them. The bound of float sums in each segment: as in core/scan.h.
// Aliasing: `out` may be `in` itself in scans. Bytes moved: the keys or offsets once, a byte for each element
// written and read, and what the segmented scan moves; reductions write and read the scan once more. Source:
// as of the segmented scans in core/scan.h.

/// Scans that begin afresh at every run of keys. Options: all but `reverse`; an initial value begins every
/// run.
template <ContiguousArray Keys, ContiguousArray In, ContiguousArray Out, class Op = Sum>
void inclusive_scan_by_key(Context& context, const Keys& keys, const In& in, Out&& out, Op op = {},
                           const ScanOptions<ElementOf<Out>>& options = {}) {
  scan_held_by_key(context, "inclusive_scan_by_key", true, elements_of(keys), elements_of(in), room_of(out),
                   op, options);
}
template <ContiguousArray Keys, ContiguousArray In, ContiguousArray Out, class Op = Sum>
void exclusive_scan_by_key(Context& context, const Keys& keys, const In& in, Out&& out, Op op = {},
                           const ScanOptions<ElementOf<Out>>& options = {}) {
  scan_held_by_key(context, "exclusive_scan_by_key", false, elements_of(keys), elements_of(in), room_of(out),
                   op, options);
}

/// Scans of segments by offsets. Options: `initial` and `initial_at`, which begin every segment.
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void inclusive_scan_segments(Context& context, const In& in, std::span<const std::int64_t> offsets, Out&& out,
                             Op op = {}, const ScanOptions<ElementOf<Out>>& options = {}) {
  scan_held_segments(context, "inclusive_scan_segments", true, elements_of(in), offsets, room_of(out), op,
                     options);
}
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void exclusive_scan_segments(Context& context, const In& in, std::span<const std::int64_t> offsets, Out&& out,
                             Op op = {}, const ScanOptions<ElementOf<Out>>& options = {}) {
  scan_held_segments(context, "exclusive_scan_segments", false, elements_of(in), offsets, room_of(out), op,
                     options);
}

/// Throws Error (usage) unless the offsets, in host memory, are those of segments of an array so long.
void check_offsets(std::span<const std::int64_t> offsets, std::int64_t length);

/// out[s] = all elements of segment s combined; the identity for an empty one. As many results as segments.
template <ContiguousArray In, ContiguousArray Out, class Op = Sum>
void reduce_segments(Context& context, const In& in, std::span<const std::int64_t> offsets, Out&& out,
                     Op op = {}) {
  static_assert(SegmentedScanInLibrary<ElementOf<In>, Op>,
                "reduce_segments: not of the types and operators that core/segments.h names");
  using As = SameBits<ElementOf<In>, Op>;
  compiled::reduce_segments(context, elements_as<As>(elements_of(in)), offsets, elements_as<As>(room_of(out)),
                            op);
}

/// The key of each run, what its elements come to, and the number of runs. keys_out and out have room for as
/// many elements as there are keys; nothing beyond the count is touched.
template <ContiguousArray Keys, ContiguousArray In, ContiguousArray KeysOut, ContiguousArray Out,
          class Op = Sum>
void reduce_by_key(Context& context, const Keys& keys, const In& in, KeysOut&& keys_out, Out&& out,
                   std::uint64_t* count, Op op = {}) {
  static_assert(ByKeyInLibrary<ElementOf<Keys>, ElementOf<In>, Op>,
                "reduce_by_key: not of the types and operators that core/segments.h names");
  using As = SameBits<ElementOf<In>, Op>;
  compiled::reduce_by_key(context, bits_of_array(keys), elements_as<As>(elements_of(in)),
                          bits_of_room(keys_out), elements_as<As>(room_of(out)), count, op);
}

/// The value of each run of equal elements and the run's length (run-length encoding), or the place at which
/// it begins. Outputs and count as above. Types: those of keys.
template <ContiguousArray In, ContiguousArray Values>
void run_lengths(Context& context, const In& in, Values&& values_out, std::span<std::int64_t> lengths_out,
                 std::uint64_t* count) {
  static_assert(KeyInLibrary<ElementOf<In>>, "run_lengths: not of the types that core/segments.h names");
  compiled::run_lengths(context, bits_of_array(in), bits_of_room(values_out), lengths_out, count);
}
template <ContiguousArray In>
void run_starts(Context& context, const In& in, std::span<std::uint64_t> starts_out, std::uint64_t* count) {
  static_assert(KeyInLibrary<ElementOf<In>>, "run_starts: not of the types that core/segments.h names");
  compiled::run_starts(context, bits_of_array(in), starts_out, count);
}

/// The key of each run and the first of its elements. Elements: any trivially copyable type of 1, 2, 4 or 8
/// bytes. Outputs and count as above.
template <ContiguousArray Keys, ContiguousArray In, ContiguousArray KeysOut, ContiguousArray Out>
void unique_by_key(Context& context, const Keys& keys, const In& in, KeysOut&& keys_out, Out&& out,
                   std::uint64_t* count) {
  static_assert(KeyInLibrary<ElementOf<Keys>>, "unique_by_key: not of the keys that core/segments.h names");
  static_assert(std::is_trivially_copyable_v<ElementOf<In>>);
  compiled::unique_by_key(context, bits_of_array(keys), bits_of_array(in), bits_of_room(keys_out),
                          bits_of_room(out), count);
}

/// Each segment sorted by itself, as core/sort.h sorts; `out` may be `in`. Types: int32_t, uint32_t, int64_t,
/// uint64_t, float, double. Two sorts of all elements make it, so that segments may have any lengths; of
/// fewer than 2^32 segments. Workspace: three arrays of keys and two of 4 bytes an element.
template <ContiguousArray In, ContiguousArray Out>
void sort_segments(Context& context, const In& in, std::span<const std::int64_t> offsets, Out&& out,
                   bool descending = false) {
  static_assert(NumberInLibrary<ElementOf<In>>, "sort_segments: not of the types that core/segments.h names");
  compiled::sort_segments(context, elements_of(in), offsets, room_of(out), descending);
}

/// out[i] = in[i] - in[i - 1], and out[0] = in[0]: what an inclusive scan undoes. Types: as of sort_segments.
template <ContiguousArray In, ContiguousArray Out>
void adjacent_difference(Context& context, const In& in, Out&& out) {
  static_assert(NumberInLibrary<ElementOf<In>>,
                "adjacent_difference: not of the types that core/segments.h names");
  using As = SameBits<ElementOf<In>, Sum>;
  compiled::adjacent_difference(context, elements_as<As>(elements_of(in)), elements_as<As>(room_of(out)));
}

}  // namespace scanlens
