// Merge sort by a comparator, on the CPU. Pieces are sorted side by side; then neighbours are merged in
// rounds, each by as many tasks as there are pieces.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/array.h"
#include "core/context.h"
#include "core/cpu/pieces.h"
#include "core/error.h"
#include "core/runtime/array_checks.h"

namespace scanlens {

/// Elements of `a` among the first `diagonal` of the merge of `a` and `b`, in which those of `a` come first.
template <class T, class Less>
std::int64_t place_on_diagonal(std::span<const T> a, std::span<const T> b, std::int64_t diagonal,
                               const Less& less) {
  std::int64_t least = std::max<std::int64_t>(0, diagonal - std::ssize(b));
  std::int64_t most = std::min(diagonal, std::ssize(a));
  while (least < most) {
    const std::int64_t i = (least + most) / 2;
    if (less(b[static_cast<std::size_t>(diagonal - 1 - i)], a[static_cast<std::size_t>(i)]))
      most = i;
    else
      least = i + 1;
  }
  return least;
}

/// Merges neighbours of `length` elements of `from` into `to`, a part of both by each task.
template <class T, class Less>
void merge_neighbours(std::span<const T> from, std::span<T> to, std::int64_t length, std::int64_t part,
                      const Less& less) {
  const std::int64_t n = std::ssize(from);
  cpu::for_each_task(cpu::pieces_of(n, part), [&](std::int64_t task) {
    const std::int64_t first = task * part, begin = first / (2 * length) * 2 * length;
    const auto piece = [&](std::int64_t at) {
      at = std::min(at, n);
      return from.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(std::min(length, n - at)));
    };
    const std::span<const T> a = piece(begin), b = piece(begin + length);
    const std::int64_t end = std::min({first + part, begin + 2 * length, n}) - begin;
    const std::int64_t a0 = place_on_diagonal(a, b, first - begin, less),
                       a1 = place_on_diagonal(a, b, end, less);
    std::merge(a.begin() + a0, a.begin() + a1, b.begin() + (first - begin - a0), b.begin() + (end - a1),
               to.begin() + first, less);
  });
}

template <class T, class Less>
void sort_held_by(Context& context, std::span<const T> in, std::span<T> out, const Less& less) {
  static_assert(std::is_trivially_copyable_v<T>, "sort_by: elements have to be trivially copyable");
  static_assert(std::is_invocable_r_v<bool, const Less&, const T&, const T&>,
                "sort_by: the comparator has to take two elements and return a bool");
  require_same_length("sort_by", {"in", in}, {"out", out});
  require_apart_or_same("sort_by", {"in", in}, {"out", out});
  if (context.on_cuda())
    throw Error(ErrorKind::usage,
                "sort_by: a comparator is asked on the CPU only; give each element a key, and sort_pairs");
  constexpr std::int64_t kLeastPiece = 1 << 12;
  const std::int64_t n = std::ssize(in), threads = cpu::thread_count();
  std::int64_t pieces = 1;
  int rounds = 0;
  for (; pieces < 2 * threads && n / (2 * pieces) >= kLeastPiece; pieces *= 2) ++rounds;
  const std::int64_t length = (n + pieces - 1) / pieces;
  Workspace workspace(context);
  const std::span<T> spare(workspace.take<T>(rounds > 0 ? n : 0), rounds > 0 ? in.size() : 0);
  // The last round ends in `out`.
  std::span<T> from = rounds % 2 == 0 ? out : spare, to = rounds % 2 == 0 ? spare : out;
  cpu::for_each_task(pieces, [&](std::int64_t piece) {
    const std::int64_t first = std::min(piece * length, n), end = std::min(first + length, n);
    if (in.data() != from.data()) std::copy(in.begin() + first, in.begin() + end, from.begin() + first);
    std::stable_sort(from.begin() + first, from.begin() + end, less);
  });
  for (std::int64_t merged = length; rounds > 0; --rounds, merged *= 2) {
    merge_neighbours(std::span<const T>(from), to, merged, length, less);
    std::swap(from, to);
  }
}

}  // namespace scanlens
