// Stream compaction: keep some elements of an array, in their order.
#pragma once

#include <cstdint>
#include <span>

#include "core/array.h"
#include "core/context.h"
#include "core/view.h"

namespace scanlens {

// All functions here agree in this:
// Lengths: any from 0 to beyond 2^32; `out` (and `rejected`) must have room for all of `in`. Elements of
// `out` beyond the count are not touched.
// Types: those of SCANLENS_COMPACTED_TYPES, below.
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

// The types that the library holds compiled: X(name, T). Calls that look at no element use the unsigned type
// of its size.
#define SCANLENS_COMPACTED_TYPES(X) \
  SCANLENS_COMPACTED_BITS(X) SCANLENS_COMPACTED_FLOATS(X) X(I32, std::int32_t) X(I64, std::int64_t)
#define SCANLENS_COMPACTED_FLOATS(X) X(F32, float) X(F64, double)
#define SCANLENS_COMPACTED_BITS(X) \
  X(U8, std::uint8_t) X(U16, std::uint16_t) X(U32, std::uint32_t) X(U64, std::uint64_t)

namespace compiled {
#define SCANLENS_OR_COMPACTED(name, T) , T
template <class T>
inline constexpr bool kHoldsCompaction = kOneOf<T SCANLENS_COMPACTED_TYPES(SCANLENS_OR_COMPACTED)>;
#undef SCANLENS_OR_COMPACTED

template <class T>
void compact_flagged(Context& context, std::span<const T> in, std::span<const std::uint8_t> flags,
                     std::span<T> out, std::uint64_t* count);
template <class T>
void partition_flagged(Context& context, std::span<const T> in, std::span<const std::uint8_t> flags,
                       std::span<T> kept, std::span<T> rejected, std::uint64_t* count);
template <class T>
void unique(Context& context, std::span<const T> in, std::span<T> out, std::uint64_t* count);
}  // namespace compiled

/// True of the types that the library holds compactions compiled for.
template <class T>
concept CompactInLibrary = compiled::kHoldsCompaction<T>;

/// Keeps the elements for which the predicate holds.
template <CompactInLibrary T>
void compact_if(Context& context, std::span<const T> in, Compare<T> predicate, std::span<T> out,
                std::uint64_t* count);

/// Keeps the elements whose flag is not 0. As many flags as elements.
template <class T>
void compact_flagged(Context& context, std::span<const T> in, std::span<const std::uint8_t> flags,
                     std::span<T> out, std::uint64_t* count) {
  static_assert(CompactInLibrary<T>, "compact_flagged: not of the types that core/compact.h names");
  using Bits = UnsignedOf<sizeof(T)>;
  compiled::compact_flagged(context, elements_as<Bits>(in), flags, elements_as<Bits>(out), count);
}

/// Both sides, each in its order: the elements kept in `kept`, all others in `rejected`; `count` is the
/// number kept.
template <CompactInLibrary T>
void partition_if(Context& context, std::span<const T> in, Compare<T> predicate, std::span<T> kept,
                  std::span<T> rejected, std::uint64_t* count);
template <class T>
void partition_flagged(Context& context, std::span<const T> in, std::span<const std::uint8_t> flags,
                       std::span<T> kept, std::span<T> rejected, std::uint64_t* count) {
  static_assert(CompactInLibrary<T>, "partition_flagged: not of the types that core/compact.h names");
  using Bits = UnsignedOf<sizeof(T)>;
  compiled::partition_flagged(context, elements_as<Bits>(in), flags, elements_as<Bits>(kept),
                              elements_as<Bits>(rejected), count);
}

/// Keeps the first of each run of equal elements.
template <class T>
void unique(Context& context, std::span<const T> in, std::span<T> out, std::uint64_t* count) {
  static_assert(CompactInLibrary<T>, "unique: not of the types that core/compact.h names");
  using Compared = std::conditional_t<std::is_integral_v<T>, UnsignedOf<sizeof(T)>, T>;
  compiled::unique(context, elements_as<Compared>(in), elements_as<Compared>(out), count);
}

// The same for other arrays.
template <ContiguousArray In, ContiguousArray Out>
void compact_if(Context& context, const In& in, Compare<ElementOf<In>> predicate, Out&& out,
                std::uint64_t* count) {
  static_assert(CompactInLibrary<ElementOf<In>>,
                "compact_if: not of the types that core/compact.h names; core/compact_with.h takes others, "
                "under predicates of your own");
  compact_if<ElementOf<In>>(context, std::span<const ElementOf<In>>(in), predicate, out, count);
}
template <ContiguousArray In, ContiguousArray Out>
void compact_flagged(Context& context, const In& in, std::span<const std::uint8_t> flags, Out&& out,
                     std::uint64_t* count) {
  compact_flagged<ElementOf<In>>(context, in, flags, out, count);
}
template <ContiguousArray In, ContiguousArray Kept, ContiguousArray Rejected>
void partition_if(Context& context, const In& in, Compare<ElementOf<In>> predicate, Kept&& kept,
                  Rejected&& rejected, std::uint64_t* count) {
  static_assert(CompactInLibrary<ElementOf<In>>,
                "partition_if: not of the types that core/compact.h names; core/compact_with.h takes others, "
                "under predicates of your own");
  partition_if<ElementOf<In>>(context, std::span<const ElementOf<In>>(in), predicate, kept, rejected, count);
}
template <ContiguousArray In, ContiguousArray Kept, ContiguousArray Rejected>
void partition_flagged(Context& context, const In& in, std::span<const std::uint8_t> flags, Kept&& kept,
                       Rejected&& rejected, std::uint64_t* count) {
  partition_flagged<ElementOf<In>>(context, in, flags, kept, rejected, count);
}
template <ContiguousArray In, ContiguousArray Out>
void unique(Context& context, const In& in, Out&& out, std::uint64_t* count) {
  unique<ElementOf<In>>(context, in, out, count);
}

}  // namespace scanlens
