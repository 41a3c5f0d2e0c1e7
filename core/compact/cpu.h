// Stream compaction on the CPU, for any predicate. Plain numbers under predicates by name go faster:
// core/compact/cpu_vectors.h.
#pragma once

#include <cstring>
#include <type_traits>

#include "core/compact/backends.h"
#include "core/computed.h"
#include "core/cpu/copy.h"
#include "core/cpu/pieces.h"

namespace scanlens::cpu {

/// Elements in a piece: 64 KiB, so that what is read and what is set apart fit the second-level cache of any
/// core.
template <class T>
constexpr std::int64_t kCompactPiece = std::max<std::int64_t>(1, 64 * 1024 / sizeof(T));

/// Number of elements kept in the pieces so far.
struct KeptCount {
  std::int64_t value = 0;
  void append(const KeptCount& later) { value += later.value; }
};

/// Compacts by split(first, count, kept, rejected), which separates the elements of a piece and returns how
/// many it kept. Scratch memory has room for all of them on either side. They are copied from there once the
/// number kept by the pieces before is known. So each element is looked at once.
template <class T, class Split>
void compact_by(Context& context, T* kept, T* rejected, std::uint64_t* count, std::int64_t n,
                const Split& split) {
  constexpr std::int64_t kPiece = kCompactPiece<T>;
  const std::int64_t scratch = workers_for(n, kPiece) * kPiece;
  Workspace workspace(context);
  T* const kept_scratch = workspace.take<T>(scratch);
  T* const rejected_scratch = rejected ? workspace.take<T>(scratch) : nullptr;

  const auto measure = [=, &split](const Piece& piece) {
    const std::int64_t mine = piece.worker * kPiece;
    return KeptCount{
        split(piece.first, piece.count, kept_scratch + mine, rejected ? rejected_scratch + mine : nullptr)};
  };
  const bool past_cache = outgrows_cache<T>(n);
  const auto copy = [=](const T* from, std::int64_t elements, T* to) {
    const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(T);
    if (past_cache)
      copy_past_cache(from, to, bytes);
    else
      std::memcpy(to, from, bytes);
  };
  const auto write = [=](const Piece& piece, const KeptCount& before, const KeptCount& own) {
    const std::int64_t mine = piece.worker * kPiece;
    copy(kept_scratch + mine, own.value, kept + before.value);
    if (rejected)
      copy(rejected_scratch + mine, piece.count - own.value, rejected + (piece.first - before.value));
    if (past_cache) fence_copies();
  };
  *count = static_cast<std::uint64_t>(for_each_piece(n, kPiece, KeptCount{}, measure, write).value);
}

/// Sets apart the elements from `first` on, `count` of them, by keep(element, i). Without a branch to
/// mispredict: each is written to where it would go, and counted if it stays.
template <class T, class In, class Keep>
std::int64_t split_elements(In in, std::int64_t first, std::int64_t count, T* kept, T* rejected,
                            const Keep& keep) {
  std::int64_t k = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const T element = static_cast<T>(in[first + i]);
    const bool stays = keep(element, first + i);
    kept[k] = element;
    if (rejected) rejected[i - k] = element;
    k += stays;
  }
  return k;
}

template <class T, class In, class Keep>
void compact_elements(Context& context, In in, T* kept, T* rejected, std::uint64_t* count, std::int64_t n,
                      const Keep& keep) {
  compact_by(context, kept, rejected, count, n,
             [=](std::int64_t first, std::int64_t length, T* piece_kept, T* piece_rejected) {
               return split_elements(in, first, length, piece_kept, piece_rejected, keep);
             });
}

template <class T, class Predicate>
void compact(Context& context, const T* in, T* kept, T* rejected, std::uint64_t* count, std::int64_t n,
             Predicate predicate) {
  compact_elements(context, in, kept, rejected, count, n,
                   [=](const T& element, std::int64_t) { return static_cast<bool>(predicate(element)); });
}

template <class At, class T, class Predicate>
void compact_computed(Context& context, const Computed<At>& in, T* kept, T* rejected, std::uint64_t* count,
                      Predicate predicate) {
  compact_elements(context, in, kept, rejected, count, in.count,
                   [=](const T& element, std::int64_t) { return static_cast<bool>(predicate(element)); });
}

// The library's types have versions of their own, by vectors.
#define SCANLENS_DECLARE_VECTOR_COMPACTION(name, T)                                                       \
  template <>                                                                                             \
  void compact(Context& context, const T* in, T* kept, T* rejected, std::uint64_t* count, std::int64_t n, \
               Compare<T> predicate);
SCANLENS_COMPACTED_TYPES(SCANLENS_DECLARE_VECTOR_COMPACTION)
#undef SCANLENS_DECLARE_VECTOR_COMPACTION

}  // namespace scanlens::cpu
