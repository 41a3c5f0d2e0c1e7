// Stream compaction: keep some elements of an array, in their order.
#pragma once

#include <cstdint>
#include <span>

#include "core/context.h"
#include "core/view.h"

namespace scanlens {

// Of all functions here:
// Lengths: any from 0 to beyond 2^32; `out` (and `rejected`) must have room for all of `in`. Elements of
// `out` beyond the count are not touched, except where said.
// Types: uint8_t, uint32_t, int32_t, uint64_t, float.
// The count is written to `count`, one uint64_t in memory of the context's backend, in the order of the
// stream: nothing waits for it.
// Aliasing: no overlap between inputs and outputs, and none between outputs, the count among them.
// Determinism: always the same.
// Bytes moved: the input and the flags once, what is kept once.
// For a predicate of your own include core/compact_with.h.
// Source: Horn, "Stream Reduction Operations for GPGPU Applications", GPU Gems 2, 2005; GPU Gems 3, section
// 39.3.1.

/// A predicate by name: value `relation` bound. As everywhere, NaN is not_equal to all and nothing else.
template <class T>
struct Compare {
  /// A bit for each way in which two values can stand to each other, so that no element needs a branch.
  enum Relation : std::uint8_t {
    less = 1,
    equal = 2,
    greater = 4,
    unordered = 8,
    less_equal = less | equal,
    greater_equal = greater | equal,
    not_equal = less | greater | unordered,
  };
  Relation relation;
  T bound;

  SCANLENS_HOST_DEVICE bool operator()(T value) const {
    const unsigned stands = (value < bound ? unsigned{less} : 0) | (value == bound ? unsigned{equal} : 0) |
                            (value > bound ? unsigned{greater} : 0);
    return (relation & (stands != 0 ? stands : unsigned{unordered})) != 0;
  }
};

/// Keeps the elements for which the predicate holds.
template <class T>
void compact_if(Context& context, std::span<const T> in, Compare<T> predicate, std::span<T> out,
                std::uint64_t* count);

/// Keeps the elements whose flag is not 0. As many flags as elements.
template <class T>
void compact_flagged(Context& context, std::span<const T> in, std::span<const std::uint8_t> flags,
                     std::span<T> out, std::uint64_t* count);

/// Both sides, each in its order: the elements kept in `kept`, the others in `rejected`; `count` is the
/// number kept.
template <class T>
void partition_if(Context& context, std::span<const T> in, Compare<T> predicate, std::span<T> kept,
                  std::span<T> rejected, std::uint64_t* count);
template <class T>
void partition_flagged(Context& context, std::span<const T> in, std::span<const std::uint8_t> flags,
                       std::span<T> kept, std::span<T> rejected, std::uint64_t* count);

/// Keeps the first of each run of equal elements.
template <class T>
void unique(Context& context, std::span<const T> in, std::span<T> out, std::uint64_t* count);

/// compact_flagged as the seeds have it, in two steps to read: an exclusive scan of the flags gives each kept
/// element its place, and a scatter puts it there. Needs 4 bytes of workspace an element; at most 2^32 - 1
/// elements.
template <class T>
void compact_scan_scatter(Context& context, std::span<const T> in, std::span<const std::uint8_t> flags,
                          std::span<T> out, std::uint64_t* count);

}  // namespace scanlens
