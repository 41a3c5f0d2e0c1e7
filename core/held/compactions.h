// Compactions as the library holds them compiled.
#pragma once

#include <cstdint>
#include <span>

#include "core/array.h"
#include "core/context.h"
#include "core/operators.h"

namespace scanlens {

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
void compact_if(Context& context, std::span<const T> in, Compare<T> predicate, std::span<T> out,
                std::uint64_t* count);
template <class T>
void partition_if(Context& context, std::span<const T> in, Compare<T> predicate, std::span<T> kept,
                  std::span<T> rejected, std::uint64_t* count);
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

}  // namespace scanlens
