// Compactions by any predicate: the library's, or compiled where they are called.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/compact/backends.h"
#include "core/compact/checks.h"
#include "core/compact/cpu.h"
#include "core/computed.h"
#include "core/held/compactions.h"
#include "core/runtime/dispatch_own.h"
#if defined(__CUDACC__)
#include "core/compact/cuda.cuh"
#include "core/moves/computed.cuh"
#endif

#if defined(__CUDACC__)
namespace scanlens::gpu {
template <class At, class T, class Predicate>
void compact_computed(Context& context, const Computed<At>& in, T* kept, T* rejected, std::uint64_t* count,
                      Predicate predicate) {
  Workspace workspace(context);
  const T* elements = compute_elements<T>(workspace, context, in);
  compact(context, elements, kept, rejected, count, in.count, predicate);
}
}  // namespace scanlens::gpu
#endif

namespace scanlens {
inline namespace SCANLENS_OWN_NAMESPACE {

template <class Predicate, class T>
concept CompactPredicate = std::is_trivially_copyable_v<T> &&
    requires(const Predicate predicate, const T value) {
  { predicate(value) } -> std::convertible_to<bool>;
};

template <class T, class Predicate>
constexpr void check_predicate() {
  static_assert(CompactPredicate<Predicate, T>,
                "compact_if, partition_if: the predicate has to take an element, trivially copyable, and "
                "return a bool");
}

template <class T, class Predicate>
void compact_by_kind(Context& context, std::span<const T> in, Predicate predicate, std::span<T> out,
                     std::uint64_t* count) {
  if constexpr (CompactInLibrary<T> && std::same_as<Predicate, Compare<T>>) {
    compiled::compact_if(context, in, predicate, out, count);
  } else {
    check_predicate<T, Predicate>();
    require_compactable("compact_if", {"in", in}, {"out", out}, count);
    SCANLENS_DISPATCH_OWN("compact_if", context, compact, in.data(), out.data(), static_cast<T*>(nullptr),
                          count, std::ssize(in), predicate);
  }
}
template <class T, class Predicate>
void partition_by_kind(Context& context, std::span<const T> in, Predicate predicate, std::span<T> kept,
                       std::span<T> rejected, std::uint64_t* count) {
  if constexpr (CompactInLibrary<T> && std::same_as<Predicate, Compare<T>>) {
    compiled::partition_if(context, in, predicate, kept, rejected, count);
  } else {
    check_predicate<T, Predicate>();
    require_partition("partition_if", {"in", in}, {"kept", kept}, {"rejected", rejected}, count);
    SCANLENS_DISPATCH_OWN("partition_if", context, compact, in.data(), kept.data(), rejected.data(), count,
                          std::ssize(in), predicate);
  }
}

/// The same of computed elements.
template <class At, class T, class Predicate>
void compact_by_kind(Context& context, const Computed<At>& in, Predicate predicate, std::span<T> out,
                     std::uint64_t* count) {
  check_predicate<T, Predicate>();
  require_compactable("compact_if", {"in", in.count}, {"out", out}, count);
  SCANLENS_DISPATCH_OWN("compact_if", context, compact_computed, in, out.data(), static_cast<T*>(nullptr),
                        count, predicate);
}
template <class At, class T, class Predicate>
void partition_by_kind(Context& context, const Computed<At>& in, Predicate predicate, std::span<T> kept,
                       std::span<T> rejected, std::uint64_t* count) {
  check_predicate<T, Predicate>();
  require_partition("partition_if", {"in", in.count}, {"kept", kept}, {"rejected", rejected}, count);
  SCANLENS_DISPATCH_OWN("partition_if", context, compact_computed, in, kept.data(), rejected.data(), count,
                        predicate);
}

}  // namespace SCANLENS_OWN_NAMESPACE
}  // namespace scanlens
