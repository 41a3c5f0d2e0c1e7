// Stable radix sort, whole, along an axis and of the first k; searches and merges; moves by places.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "core/held/sorts.h"

namespace scanlens {

struct SortOptions {
  bool descending = false;  ///< equal keys keep their order either way
  int first_bit = 0;        ///< only bits first_bit … last_bit - 1 of the key count
  int last_bit = 0;         ///< 0: all bits of the key
};

/// out = in, sorted by key; equal keys keep their order (stable).
///
/// Keys: integers of 8 to 64 bits, Half, BFloat16, float, double; values: uint32_t, uint64_t. Floats are
/// ordered by their bits as IEEE 754's totalOrder has it: -NaN, -inf, …, -0, +0, …, +inf, +NaN. A bit range
/// applies to that order's bits (the key with its sign bit flipped, and for negative floats all others too).
/// Aliasing: outputs may be their own inputs (in place). Workspace: another array of keys (and of values),
/// and counters; on CUDA two arrays of 4 bytes more for each key of 8 or 16 bits. Bytes moved: on CUDA the
/// keys once, then keys and values in and out once for every 8 bits of the key. Source: Satish, Harris,
/// Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs", 2009; Adinets and Merrill,
/// "Onesweep", 2022.
template <ContiguousArray In, ContiguousArray Out>
void sort_keys(Context& context, const In& in, Out&& out, const SortOptions& options = {}) {
  sort_held_keys(context, elements_of(in), room_of(out), options);
}
template <ContiguousArray Keys, ContiguousArray Values, ContiguousArray KeysOut, ContiguousArray ValuesOut>
void sort_pairs(Context& context, const Keys& keys_in, const Values& values_in, KeysOut&& keys_out,
                ValuesOut&& values_out, const SortOptions& options = {}) {
  sort_held_pairs(context, elements_of(keys_in), elements_of(values_in), room_of(keys_out),
                  room_of(values_out), options);
}

/// Each line along an axis sorted by itself, as above. places[i] = where out[i] stood along its line; it
/// may be empty. `out` may be `in`. On CUDA two sorts of all elements make it, of fewer
/// than 2^32 lines. Workspace: at most 48 bytes and four keys an element.
template <ContiguousArray In, ContiguousArray Out>
void sort_axis(Context& context, const In& in, Out&& out, Axis axis, bool descending = false,
               std::span<std::int64_t> places = {}) {
  static_assert(SortInLibrary<ElementOf<In>>, "sort_axis: not of the types that core/sort.h names");
  compiled::sort_lines(context, "sort_axis", elements_of(in), axis, axis.length, descending, room_of(out),
                       places);
}

/// The first k of each line as sort_axis has them: by default the greatest, the greatest first. `out`, and
/// `places` if there are any, hold outer x k x inner elements and overlap nothing. For k far below the length
/// the CPU reads each element once.
template <ContiguousArray In, ContiguousArray Out>
void top_k(Context& context, const In& in, std::int64_t k, Out&& out, std::span<std::int64_t> places,
           Axis axis, bool descending = true) {
  static_assert(SortInLibrary<ElementOf<In>>, "top_k: not of the types that core/sort.h names");
  compiled::sort_lines(context, "top_k", elements_of(in), axis, k, descending, room_of(out), places);
}
template <ContiguousArray In, ContiguousArray Out>
void top_k(Context& context, const In& in, std::int64_t k, Out&& out, std::span<std::int64_t> places = {},
           bool descending = true) {
  top_k(context, in, k, out, places, Axis{1, std::ssize(elements_of(in)), 1}, descending);
}

// Types of searches and merges: int32_t, uint32_t, int64_t, uint64_t, float, double. Their order is that of
// the numbers, with -0 equal to 0 and NaN behind all, as NumPy sorts; arrays in another order are never
// followed beyond their ends, but results have no meaning.

/// places[i] = how many elements of ascending `sorted` stand before values[i] (lower_bound), or do not stand
/// behind it (upper_bound). Bytes moved: values and places once, and about log2 n elements of `sorted` for
/// each.
template <ContiguousArray Sorted, ContiguousArray Values>
void lower_bound(Context& context, const Sorted& sorted, const Values& values,
                 std::span<std::int64_t> places) {
  static_assert(NumberInLibrary<ElementOf<Sorted>>, "lower_bound: not of the types that core/sort.h names");
  compiled::find_places(context, "lower_bound", false, elements_of(sorted), elements_of(values), places);
}
template <ContiguousArray Sorted, ContiguousArray Values>
void upper_bound(Context& context, const Sorted& sorted, const Values& values,
                 std::span<std::int64_t> places) {
  static_assert(NumberInLibrary<ElementOf<Sorted>>, "upper_bound: not of the types that core/sort.h names");
  compiled::find_places(context, "upper_bound", true, elements_of(sorted), elements_of(values), places);
}

/// out = the elements of ascending `a` and `b`, ascending; of equal ones those of `a` come first. Source:
/// Green, McColl, Bader, "GPU Merge Path", 2012.
template <ContiguousArray A, ContiguousArray B, ContiguousArray Out>
void merge_keys(Context& context, const A& a, const B& b, Out&& out) {
  static_assert(NumberInLibrary<ElementOf<A>>, "merge_keys: not of the types that core/sort.h names");
  compiled::merge_keys(context, elements_of(a), elements_of(b), room_of(out));
}

/// out[i] = in[places[i]] (gather), out[places[i]] = in[i] (scatter). Places: uint32_t or uint64_t. One
/// beyond the array moves nothing. Where places in scatter are equal, any one of their elements stays: give
/// each place once. Elements: trivially copyable, of 1, 2, 4, 8 or 16 bytes on such a
/// boundary, of 2 to 4 words of 4 bytes, 2 or 4 words of 2, or 2 to 4 bytes.
template <ContiguousArray In, ContiguousArray Places, ContiguousArray Out>
void gather(Context& context, const In& in, const Places& places, Out&& out) {
  static_assert(MovedInLibrary<ElementOf<In>>, "gather: not of the elements that core/sort.h names");
  static_assert(kOneOf<ElementOf<Places>, std::uint32_t, std::uint64_t>,
                "gather: places are uint32_t or uint64_t");
  using Unit = MovedUnit<sizeof(ElementOf<In>), alignof(ElementOf<In>)>;
  compiled::gather(context, elements_as<Unit>(elements_of(in)), elements_of(places),
                   elements_as<Unit>(room_of(out)));
}
template <ContiguousArray In, ContiguousArray Places, ContiguousArray Out>
void scatter(Context& context, const In& in, const Places& places, Out&& out) {
  static_assert(MovedInLibrary<ElementOf<In>>, "scatter: not of the elements that core/sort.h names");
  static_assert(kOneOf<ElementOf<Places>, std::uint32_t, std::uint64_t>,
                "scatter: places are uint32_t or uint64_t");
  using Unit = MovedUnit<sizeof(ElementOf<In>), alignof(ElementOf<In>)>;
  compiled::scatter(context, elements_as<Unit>(elements_of(in)), elements_of(places),
                    elements_as<Unit>(room_of(out)));
}

}  // namespace scanlens
