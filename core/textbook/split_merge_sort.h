// The split-and-merge sort of the text-book.
#pragma once

#include <span>

#include "core/array.h"
#include "core/context.h"
#include "core/sort.h"

namespace scanlens {

/// As sort_keys and sort_pairs (core/sort.h), of up to 2^30 elements: chunks are sorted bit by bit with one
/// scan per bit, then merged bitonically. Source: GPU Gems 3, section 39.3.3.
template <NumberInLibrary Key>
void split_merge_sort_keys(Context& context, std::span<const Key> in, std::span<Key> out,
                           const SortOptions& options = {});
template <class Key, class Value>
requires NumberInLibrary<Key> && PairSortInLibrary<Key, Value>
void split_merge_sort_pairs(Context& context, std::span<const Key> keys_in, std::span<const Value> values_in,
                            std::span<Key> keys_out, std::span<Value> values_out,
                            const SortOptions& options = {});

}  // namespace scanlens
