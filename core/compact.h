// Stream compaction: keep some elements of an array, in their order.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/compact/backends.h"
#include "core/compact/checks.h"
#include "core/compact/cpu.h"
#include "core/compact_kinds.h"
#include "core/runtime/dispatch_own.h"
#if defined(__CUDACC__)
#include "core/compact/cuda.cuh"
#endif

namespace scanlens {
inline namespace SCANLENS_OWN_NAMESPACE {

// All functions here agree in this:
// Lengths: any from 0 to beyond 2^32; `out` (and `rejected`) must have room for all of `in`. Elements of
// `out` beyond the count are not touched.
// Types: those of SCANLENS_COMPACTED_TYPES; with predicates of your own any trivially copyable ones, compiled
// here: in a .cu file for both backends, elsewhere for the CPU alone.
// The count is written to `count`, one uint64_t in memory of the context's backend, in the order of the
// stream: nothing waits for it.
// Aliasing: no overlap between inputs and outputs, and none between outputs, the count among them.
// Determinism: always the same.
// Bytes moved: the input and the flags once, what is kept once.
// Source: Horn, "Stream Reduction Operations for GPGPU Applications", GPU Gems 2, 2005; GPU Gems 3, section
// 39.3.1.

/// Says of an element whether it stays. It may hold values of its own; it must not throw, nor depend on the
/// order in which it is asked. On CUDA the call has to be __host__ __device__ (SCANLENS_HOST_DEVICE).
template <class Predicate, class T>
concept CompactPredicate = std::is_trivially_copyable_v<T> &&
    requires(const Predicate predicate, const T value) {
  { predicate(value) } -> std::convertible_to<bool>;
};

/// Keeps the elements for which the predicate holds: a Compare, `{Compare<float>::less, 3}`, or one of your
/// own.
template <ContiguousArray In, ContiguousArray Out, class Predicate = Compare<ElementOf<In>>>
void compact_if(Context& context, const In& in, Predicate predicate, Out&& out, std::uint64_t* count) {
  using T = ElementOf<In>;
  const std::span<const T> from(in);
  const std::span<T> kept(out);
  if constexpr (CompactInLibrary<T> && std::same_as<Predicate, Compare<T>>) {
    compiled::compact_if(context, from, predicate, kept, count);
  } else {
    static_assert(CompactPredicate<Predicate, T>,
                  "compact_if: the predicate has to take an element, trivially copyable, and return a bool");
    require_compactable("compact_if", {"in", from}, {"out", kept}, count);
    SCANLENS_DISPATCH_OWN("compact_if", context, compact, from.data(), kept.data(), static_cast<T*>(nullptr),
                          count, std::ssize(from), predicate);
  }
}

/// Both sides, each in its order: the elements kept in `kept`, all others in `rejected`; `count` is the
/// number kept.
template <ContiguousArray In, ContiguousArray Kept, ContiguousArray Rejected,
          class Predicate = Compare<ElementOf<In>>>
void partition_if(Context& context, const In& in, Predicate predicate, Kept&& kept, Rejected&& rejected,
                  std::uint64_t* count) {
  using T = ElementOf<In>;
  const std::span<const T> from(in);
  const std::span<T> stay(kept), go(rejected);
  if constexpr (CompactInLibrary<T> && std::same_as<Predicate, Compare<T>>) {
    compiled::partition_if(context, from, predicate, stay, go, count);
  } else {
    static_assert(
        CompactPredicate<Predicate, T>,
        "partition_if: the predicate has to take an element, trivially copyable, and return a bool");
    require_partition("partition_if", {"in", from}, {"kept", stay}, {"rejected", go}, count);
    SCANLENS_DISPATCH_OWN("partition_if", context, compact, from.data(), stay.data(), go.data(), count,
                          std::ssize(from), predicate);
  }
}

/// Keeps the elements whose flag is not 0. As many flags as elements.
template <ContiguousArray In, ContiguousArray Out>
void compact_flagged(Context& context, const In& in, std::span<const std::uint8_t> flags, Out&& out,
                     std::uint64_t* count) {
  static_assert(CompactInLibrary<ElementOf<In>>,
                "compact_flagged: not of the types that core/compact.h names");
  using Bits = UnsignedOf<sizeof(ElementOf<In>)>;
  compiled::compact_flagged(context, elements_as<Bits>(elements_of(in)), flags,
                            elements_as<Bits>(room_of(out)), count);
}
template <ContiguousArray In, ContiguousArray Kept, ContiguousArray Rejected>
void partition_flagged(Context& context, const In& in, std::span<const std::uint8_t> flags, Kept&& kept,
                       Rejected&& rejected, std::uint64_t* count) {
  static_assert(CompactInLibrary<ElementOf<In>>,
                "partition_flagged: not of the types that core/compact.h names");
  using Bits = UnsignedOf<sizeof(ElementOf<In>)>;
  compiled::partition_flagged(context, elements_as<Bits>(elements_of(in)), flags,
                              elements_as<Bits>(room_of(kept)), elements_as<Bits>(room_of(rejected)), count);
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
