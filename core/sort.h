// Stable radix sort; searches and merges of sorted arrays; moves by places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/array.h"
#include "core/context.h"

namespace scanlens {

struct SortOptions {
  bool descending = false;  ///< equal keys keep their order either way
  int first_bit = 0;        ///< only bits first_bit … last_bit - 1 of the key count
  int last_bit = 0;         ///< 0: all bits of the key
};

/// True of the keys, and of the keys and values, that the library holds sorts compiled for.
template <class Key>
concept SortInLibrary = kOneOf<Key, std::uint32_t, std::int32_t, float, std::uint64_t, std::int64_t, double>;
template <class Key, class Value>
concept PairSortInLibrary = SortInLibrary<Key> && kOneOf<Value, std::uint32_t, std::uint64_t>;

/// 16 bytes on a boundary of 8.
struct Bytes8x2 {
  std::uint64_t words[2];
};

namespace compiled {
template <class Key>
void sort_keys(Context& context, std::span<const Key> in, std::span<Key> out, const SortOptions& options);
template <class Key, class Value>
void sort_pairs(Context& context, std::span<const Key> keys_in, std::span<const Value> values_in,
                std::span<Key> keys_out, std::span<Value> values_out, const SortOptions& options);
template <class T>
void find_places(Context& context, const char* call, bool upper, std::span<const T> sorted,
                 std::span<const T> values, std::span<std::int64_t> places);
template <class T>
void merge_keys(Context& context, std::span<const T> a, std::span<const T> b, std::span<T> out);
template <class Unit, class Index>
void gather(Context& context, std::span<const Unit> in, std::span<const Index> places, std::span<Unit> out);
template <class Unit, class Index>
void scatter(Context& context, std::span<const Unit> in, std::span<const Index> places, std::span<Unit> out);
}  // namespace compiled

/// out = in, sorted by key; equal keys keep their order (stable).
///
/// Keys: uint32_t, int32_t, float, uint64_t, int64_t, double; values: uint32_t, uint64_t. Floats are ordered
/// by their bits as IEEE 754's totalOrder has it: -NaN, -inf, …, -0, +0, …, +inf, +NaN. A bit range applies
/// to that order's bits (the key with its sign bit flipped, and for negative floats all others too). Lengths:
/// all the same, any from 0 to 2^31 and beyond. Aliasing: outputs may be their own inputs (in place); any
/// other overlap is an error. Determinism: always the same. Workspace: another array of keys (and of values),
/// and counters. Bytes moved: on CUDA the keys once, then keys and values in and out once for every 8 bits of
/// the key. Source: Satish, Harris, Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs",
/// 2009; Adinets and Merrill, "Onesweep", 2022.
template <ContiguousArray In, ContiguousArray Out>
void sort_keys(Context& context, const In& in, Out&& out, const SortOptions& options = {}) {
  static_assert(SortInLibrary<ElementOf<In>>, "sort_keys: not of the types that core/sort.h names");
  compiled::sort_keys(context, elements_of(in), room_of(out), options);
}
template <ContiguousArray Keys, ContiguousArray Values, ContiguousArray KeysOut, ContiguousArray ValuesOut>
void sort_pairs(Context& context, const Keys& keys_in, const Values& values_in, KeysOut&& keys_out,
                ValuesOut&& values_out, const SortOptions& options = {}) {
  static_assert(PairSortInLibrary<ElementOf<Keys>, ElementOf<Values>>,
                "sort_pairs: not of the types that core/sort.h names");
  compiled::sort_pairs(context, elements_of(keys_in), elements_of(values_in), room_of(keys_out),
                       room_of(values_out), options);
}

// The functions below agree in this: lengths are any from 0 to beyond 2^32. Outputs overlap no input. Results
// are always the same, and the same on both backends. Types of searches and merges: those of keys. Their
// order is that of the numbers, with -0 equal to 0 and NaN behind all, as NumPy sorts; arrays in another
// order are never followed beyond their ends, but results have no meaning.

/// places[i] = how many elements of ascending `sorted` stand before values[i] (lower_bound), or do not stand
/// behind it (upper_bound). Bytes moved: values and places once, and about log2 n elements of `sorted` for
/// each.
template <ContiguousArray Sorted, ContiguousArray Values>
void lower_bound(Context& context, const Sorted& sorted, const Values& values,
                 std::span<std::int64_t> places) {
  static_assert(SortInLibrary<ElementOf<Sorted>>, "lower_bound: not of the types that core/sort.h names");
  compiled::find_places(context, "lower_bound", false, elements_of(sorted), elements_of(values), places);
}
template <ContiguousArray Sorted, ContiguousArray Values>
void upper_bound(Context& context, const Sorted& sorted, const Values& values,
                 std::span<std::int64_t> places) {
  static_assert(SortInLibrary<ElementOf<Sorted>>, "upper_bound: not of the types that core/sort.h names");
  compiled::find_places(context, "upper_bound", true, elements_of(sorted), elements_of(values), places);
}

/// out = the elements of ascending `a` and `b`, ascending; of equal ones those of `a` come first. Source:
/// Green, McColl, Bader, "GPU Merge Path", 2012.
template <ContiguousArray A, ContiguousArray B, ContiguousArray Out>
void merge_keys(Context& context, const A& a, const B& b, Out&& out) {
  static_assert(SortInLibrary<ElementOf<A>>, "merge_keys: not of the types that core/sort.h names");
  compiled::merge_keys(context, elements_of(a), elements_of(b), room_of(out));
}

/// The type that is moved for one of the same size.
template <std::size_t kBytes>
using MovedUnit = std::conditional_t<kBytes == 16, Bytes8x2, UnsignedOf<kBytes>>;

/// out[i] = in[places[i]] (gather), out[places[i]] = in[i] (scatter). Places: uint32_t or uint64_t. One
/// beyond the array moves nothing. Where places in scatter are equal, any one of their elements stays: give
/// each place once. Elements: any trivially copyable type of 1, 2, 4, 8 or 16 bytes.
template <ContiguousArray In, ContiguousArray Places, ContiguousArray Out>
void gather(Context& context, const In& in, const Places& places, Out&& out) {
  static_assert(std::is_trivially_copyable_v<ElementOf<In>>);
  static_assert(kOneOf<ElementOf<Places>, std::uint32_t, std::uint64_t>,
                "gather: places are uint32_t or uint64_t");
  using Unit = MovedUnit<sizeof(ElementOf<In>)>;
  compiled::gather(context, elements_as<Unit>(elements_of(in)), elements_of(places),
                   elements_as<Unit>(room_of(out)));
}
template <ContiguousArray In, ContiguousArray Places, ContiguousArray Out>
void scatter(Context& context, const In& in, const Places& places, Out&& out) {
  static_assert(std::is_trivially_copyable_v<ElementOf<In>>);
  static_assert(kOneOf<ElementOf<Places>, std::uint32_t, std::uint64_t>,
                "scatter: places are uint32_t or uint64_t");
  using Unit = MovedUnit<sizeof(ElementOf<In>)>;
  compiled::scatter(context, elements_as<Unit>(elements_of(in)), elements_of(places),
                    elements_as<Unit>(room_of(out)));
}

}  // namespace scanlens
