// Reduction of an array to one value on the CPU. The array is cut into chunks of a fixed size, which threads
// take; the chunks' partial results are merged pairwise. So the result does not depend on the number of
// threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/computed.h"
#include "core/context.h"
#include "core/reduce/extremes.h"
#include "core/reduce/folds.h"

namespace scanlens::cpu {

constexpr std::int64_t kFoldChunk = 1 << 16;  ///< elements
constexpr int kFoldBatch = 512;               ///< elements, in the first-level cache

/// body(object, i) for i = 0 … count - 1 on the threads of oneTBB.
void for_each_index(std::int64_t count, void (*body)(const void* object, std::int64_t i), const void* object);

template <class Body>
void for_each_index(std::int64_t count, const Body& body) {
  for_each_index(
      count, [](const void* object, std::int64_t i) { (*static_cast<const Body*>(object))(i); }, &body);
}

/// The elements of an array.
template <class T>
struct ArraySource {
  const T* data;

  /// N elements from the first on, in `room` if they are not in memory as they are.
  template <int N>
  const T* batch(std::int64_t first, T*) const {
    return data + first;
  }
};

/// Computed elements.
template <class At>
struct ComputedSource {
  Computed<At> in;

  template <int N, class T>
  const T* batch(std::int64_t first, T* room) const {
    for (int i = 0; i < N; ++i) room[i] = in[first + i];
    return room;
  }
};

template <class Source, class Fold>
typename Fold::Partial fold_chunk(const Source& source, std::int64_t first, std::int64_t end,
                                  const Fold& fold) {
  if constexpr (requires { fold.chunk(source.data, end, first); })
    return fold.chunk(source.data + first, end - first, first);
  typename Fold::Running running = fold.start();
  const auto absorb = [&]<int N>(std::integral_constant<int, N>) {
    typename Fold::Element room[N];
    for (; end - first >= N; first += N)
      fold.template absorb<N>(running, source.template batch<N>(first, room),
                              [first](int i) { return static_cast<std::uint64_t>(first + i); });
  };
  absorb(std::integral_constant<int, kFoldBatch>{});
  absorb(std::integral_constant<int, 32>{});
  absorb(std::integral_constant<int, 1>{});
  return fold.partial(running);
}

/// Folds the n elements of `source` into result[0].
template <class Source, class Fold>
void fold_array(Context& context, const Source& source, std::int64_t n, const Fold& fold,
                typename Fold::Result* result) {
  const std::int64_t chunks = (n + kFoldChunk - 1) / kFoldChunk;
  if (chunks <= 1) {
    const auto all = chunks > 0 ? fold_chunk(source, 0, n, fold) : fold.identity();
    *result = fold.finish(all, static_cast<std::uint64_t>(n));
    return;
  }
  Workspace workspace(context);
  auto* partials = workspace.take<typename Fold::Partial>(chunks);
  for_each_index(chunks, [&](std::int64_t c) {
    partials[c] = fold_chunk(source, c * kFoldChunk, std::min(n, (c + 1) * kFoldChunk), fold);
  });
  if constexpr (CentredFold<Fold>)
    for (const auto centre = fold.centre(partials[0]); auto& partial : std::span(partials, chunks))
      partial = fold.about(partial, centre);
  for (std::int64_t distance = 1; distance < chunks; distance *= 2)  // pairwise, for floats' sake
    for (std::int64_t c = 0; c + distance < chunks; c += 2 * distance)
      partials[c] = fold.merge(partials[c], partials[c + distance]);
  *result = fold.finish(partials[0], static_cast<std::uint64_t>(n));
}

/// The same of the elements of an array.
template <class In, class Fold>
void fold_elements(Context& context, std::span<const In> in, const Fold& fold,
                   typename Fold::Result* result) {
  fold_array(context, ArraySource<In>{in.data()}, std::ssize(in), by_vectors(fold), result);
}
template <class At, class Fold>
void fold_computed(Context& context, const Computed<At>& in, const Fold& fold,
                   typename Fold::Result* result) {
  fold_array(context, ComputedSource<At>{in}, in.count, fold, result);
}

}  // namespace scanlens::cpu
