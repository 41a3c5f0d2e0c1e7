// Stable radix sort.
#pragma once

#include <cstdint>
#include <span>

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
template <SortInLibrary Key>
void sort_keys(Context& context, std::span<const Key> in, std::span<Key> out,
               const SortOptions& options = {});
template <class Key, class Value>
requires PairSortInLibrary<Key, Value>
void sort_pairs(Context& context, std::span<const Key> keys_in, std::span<const Value> values_in,
                std::span<Key> keys_out, std::span<Value> values_out, const SortOptions& options = {});

// The same for other arrays.
template <ContiguousArray In, ContiguousArray Out>
void sort_keys(Context& context, const In& in, Out&& out, const SortOptions& options = {}) {
  static_assert(SortInLibrary<ElementOf<In>>, "sort_keys: not of the types that core/sort.h names");
  sort_keys<ElementOf<In>>(context, in, out, options);
}
template <ContiguousArray Keys, ContiguousArray Values, ContiguousArray KeysOut, ContiguousArray ValuesOut>
void sort_pairs(Context& context, const Keys& keys_in, const Values& values_in, KeysOut&& keys_out,
                ValuesOut&& values_out, const SortOptions& options = {}) {
  static_assert(PairSortInLibrary<ElementOf<Keys>, ElementOf<Values>>,
                "sort_pairs: not of the types that core/sort.h names");
  sort_pairs<ElementOf<Keys>, ElementOf<Values>>(context, keys_in, values_in, keys_out, values_out, options);
}

}  // namespace scanlens
