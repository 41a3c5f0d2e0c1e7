// Calls of core/sort.h as the library holds them compiled, and the sort by a comparator.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/array.h"
#include "core/context.h"
#include "core/half.h"

namespace scanlens {

struct SortOptions;

/// True of the keys, and of the keys and values, that the library holds sorts compiled for.
template <class Key>
concept NarrowKey = kOneOf<Key, std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, Half, BFloat16>;
template <class Key>
concept SortInLibrary = NumberInLibrary<Key> || NarrowKey<Key>;
template <class Key, class Value>
concept PairSortInLibrary = SortInLibrary<Key> && kOneOf<Value, std::uint32_t, std::uint64_t>;

/// `kCount` words that move together, on a boundary of one.
template <class Word, int kCount>
struct Words {
  Word words[kCount];
};

/// The type that is moved for one of kBytes bytes on a boundary of kAlignment.
template <std::size_t kBytes, std::size_t kAlignment>
using MovedUnit = std::conditional_t<kBytes == kAlignment && kBytes <= 8, UnsignedOf<kBytes>,
                                     Words<UnsignedOf<std::min<std::size_t>(kAlignment, 8)>,
                                           static_cast<int>(kBytes / std::min<std::size_t>(kAlignment, 8))>>;

// The units that the library holds moves compiled for.
#define SCANLENS_MOVED_UNITS(X) SCANLENS_MOVED_WORDS(X) SCANLENS_MOVED_BYTES(X) SCANLENS_MOVED_STRUCTS(X)
#define SCANLENS_MOVED_WORDS(X) X(std::uint8_t) X(std::uint16_t) X(std::uint32_t) X(std::uint64_t)
#define SCANLENS_MOVED_BYTES(X) X(Words<std::uint8_t, 2>) X(Words<std::uint8_t, 3>) X(Words<std::uint8_t, 4>)
#define SCANLENS_MOVED_STRUCTS(X) \
  X(Words<std::uint16_t, 2>)      \
  X(Words<std::uint16_t, 4>)      \
  X(Words<std::uint32_t, 2>) X(Words<std::uint32_t, 3>) X(Words<std::uint32_t, 4>) X(Words<std::uint64_t, 2>)

#define SCANLENS_OR_MOVED(...) , __VA_ARGS__
template <class T>
concept MovedInLibrary = std::is_trivially_copyable_v<T> && kOneOf <
                         MovedUnit<sizeof(T), alignof(T)> SCANLENS_MOVED_UNITS(SCANLENS_OR_MOVED)
> ;
#undef SCANLENS_OR_MOVED

namespace compiled {
template <class Key>
void sort_keys(Context& context, std::span<const Key> in, std::span<Key> out, const SortOptions& options);
template <class Key, class Value>
void sort_pairs(Context& context, std::span<const Key> keys_in, std::span<const Value> values_in,
                std::span<Key> keys_out, std::span<Value> values_out, const SortOptions& options);
template <class Key>
void sort_narrow_keys(Context& context, std::span<const Key> in, std::span<Key> out,
                      const SortOptions& options);
template <class Key, class Value>
void sort_narrow_pairs(Context& context, std::span<const Key> keys_in, std::span<const Value> values_in,
                       std::span<Key> keys_out, std::span<Value> values_out, const SortOptions& options);
template <class Key>
void sort_lines(Context& context, const char* call, std::span<const Key> in, const Axis& axis, std::int64_t k,
                bool descending, std::span<Key> out, std::span<std::int64_t> places);
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

template <class Key>
void sort_held_keys(Context& context, std::span<const Key> in, std::span<Key> out,
                    const SortOptions& options) {
  static_assert(SortInLibrary<Key>, "sort_keys: not of the types that core/sort.h names");
  if constexpr (NarrowKey<Key>)
    compiled::sort_narrow_keys(context, in, out, options);
  else
    compiled::sort_keys(context, in, out, options);
}
template <class Key, class Value>
void sort_held_pairs(Context& context, std::span<const Key> keys_in, std::span<const Value> values_in,
                     std::span<Key> keys_out, std::span<Value> values_out, const SortOptions& options) {
  static_assert(PairSortInLibrary<Key, Value>, "sort_pairs: not of the types that core/sort.h names");
  if constexpr (NarrowKey<Key>)
    compiled::sort_narrow_pairs(context, keys_in, values_in, keys_out, values_out, options);
  else
    compiled::sort_pairs(context, keys_in, values_in, keys_out, values_out, options);
}

}  // namespace scanlens
