// Compaction by predicates and types of your own. Included from a .cu file it serves both backends, from a
// .cpp file the CPU alone.
#pragma once

#include <concepts>
#include <type_traits>

#include "core/compact.h"
#include "core/compact/backends.h"
#include "core/compact/checks.h"
#include "core/compact/cpu.h"
#include "core/runtime/dispatch_own.h"
#if defined(__CUDACC__)
#include "core/compact/cuda.cuh"
#endif

namespace scanlens {
inline namespace SCANLENS_OWN_NAMESPACE {

/// Says of an element whether it stays. It may hold values of its own; it must not throw, nor depend on the
/// order in which it is asked. On CUDA the call has to be __host__ __device__ (SCANLENS_HOST_DEVICE).
template <class Predicate, class T>
concept CompactPredicate = std::is_trivially_copyable_v<T> &&
    requires(const Predicate predicate, const T value) {
  { predicate(value) } -> std::convertible_to<bool>;
};
/// A predicate that core/compact.h does not take.
template <class Predicate, class T>
concept OwnPredicate = CompactPredicate<Predicate, T> && !std::same_as<Predicate, Compare<T>>;

/// As in core/compact.h, for any predicate and any trivially copyable type.
template <class T, class Predicate>
requires CompactPredicate<Predicate, T>
void compact_if(Context& context, std::span<const T> in, Predicate predicate, std::span<T> out,
                std::uint64_t* count) {
  require_compactable("compact_if", {"in", in}, {"out", out}, count);
  SCANLENS_DISPATCH_OWN("compact_if", context, compact, in.data(), out.data(), static_cast<T*>(nullptr),
                        count, static_cast<std::int64_t>(in.size()), predicate);
}

template <class T, class Predicate>
requires CompactPredicate<Predicate, T>
void partition_if(Context& context, std::span<const T> in, Predicate predicate, std::span<T> kept,
                  std::span<T> rejected, std::uint64_t* count) {
  require_compactable("partition_if", {"in", in}, {"kept", kept}, count);
  require_compactable("partition_if", {"in", in}, {"rejected", rejected}, count);
  require_apart("partition_if", {"kept", kept}, {"rejected", rejected});
  SCANLENS_DISPATCH_OWN("partition_if", context, compact, in.data(), kept.data(), rejected.data(), count,
                        static_cast<std::int64_t>(in.size()), predicate);
}

template <ContiguousArray In, ContiguousArray Out, class Predicate>
requires OwnPredicate<Predicate, ElementOf<In>>
void compact_if(Context& context, const In& in, Predicate predicate, Out&& out, std::uint64_t* count) {
  compact_if<ElementOf<In>, Predicate>(context, in, predicate, out, count);
}
template <ContiguousArray In, ContiguousArray Kept, ContiguousArray Rejected, class Predicate>
requires OwnPredicate<Predicate, ElementOf<In>>
void partition_if(Context& context, const In& in, Predicate predicate, Kept&& kept, Rejected&& rejected,
                  std::uint64_t* count) {
  partition_if<ElementOf<In>, Predicate>(context, in, predicate, kept, rejected, count);
}

}  // namespace SCANLENS_OWN_NAMESPACE
}  // namespace scanlens
