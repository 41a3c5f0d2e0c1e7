// Stream compaction: keep some elements of an array, in their order.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "core/held/own_compactions.h"

namespace scanlens {
inline namespace SCANLENS_OWN_NAMESPACE {

// `out` (and `rejected`) must have room for all of `in`; elements beyond the count are not touched. Types:
// uint8_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float, double; with predicates of your own any
// trivially copyable ones, compiled here.
// Bytes moved: the input and the flags once, what is kept once. Source: Horn, "Stream Reduction Operations
// for GPGPU Applications", GPU Gems 2, 2005; GPU Gems 3, section 39.3.1.

/// Keeps the elements for which the predicate holds: a Compare, `{Compare<float>::less, 3}`, or one of your
/// own, which must not throw, nor depend on the order in which it is asked; on CUDA its call is
/// SCANLENS_HOST_DEVICE. `in` may be computed (core/computed.h).
template <Readable In, ContiguousArray Out, class Predicate = Compare<ValueOf<In>>>
void compact_if(Context& context, const In& in, Predicate predicate, Out&& out, std::uint64_t* count) {
  compact_by_kind(context, elements_of(in), predicate, room_of(out), count);
}

/// Both sides, each in its order: the elements kept in `kept`, all others in `rejected`; `count` is the
/// number kept.
template <Readable In, ContiguousArray Kept, ContiguousArray Rejected, class Predicate = Compare<ValueOf<In>>>
void partition_if(Context& context, const In& in, Predicate predicate, Kept&& kept, Rejected&& rejected,
                  std::uint64_t* count) {
  partition_by_kind(context, elements_of(in), predicate, room_of(kept), room_of(rejected), count);
}

/// Keeps the elements whose flag is not 0. As many flags as elements.
template <ContiguousArray In, ContiguousArray Out>
void compact_flagged(Context& context, const In& in, std::span<const std::uint8_t> flags, Out&& out,
                     std::uint64_t* count) {
  static_assert(CompactInLibrary<ElementOf<In>>,
                "compact_flagged: not of the types that core/compact.h names");
  compiled::compact_flagged(context, bits_of_array(in), flags, bits_of_room(out), count);
}
template <ContiguousArray In, ContiguousArray Kept, ContiguousArray Rejected>
void partition_flagged(Context& context, const In& in, std::span<const std::uint8_t> flags, Kept&& kept,
                       Rejected&& rejected, std::uint64_t* count) {
  static_assert(CompactInLibrary<ElementOf<In>>,
                "partition_flagged: not of the types that core/compact.h names");
  compiled::partition_flagged(context, bits_of_array(in), flags, bits_of_room(kept), bits_of_room(rejected),
                              count);
}

/// Keeps the first of each run of equal elements.
template <ContiguousArray In, ContiguousArray Out>
void unique(Context& context, const In& in, Out&& out, std::uint64_t* count) {
  using T = ElementOf<In>;
  static_assert(CompactInLibrary<T>, "unique: not of the types that core/compact.h names");
  using Compared = std::conditional_t<std::is_integral_v<T>, UnsignedOf<sizeof(T)>, T>;
  compiled::unique(context, elements_as<Compared>(elements_of(in)), elements_as<Compared>(room_of(out)),
                   count);
}

}  // namespace SCANLENS_OWN_NAMESPACE
}  // namespace scanlens
