// Pictures in groups of pixels, and what is noted of a group, for both backends.
#pragma once

#include "filters/statistics/evaluate.h"
#include "filters/statistics/passes.h"

namespace scanlens {

/// Writes value_at(i) to to[i] of N pixels, by words where all are there: planes begin on their boundaries.
template <int N, class U, class ValueAt>
SCANLENS_HOST_DEVICE void write_group(U* to, int count, const ValueAt& value_at) {
  if (count == N) {
    Samples<U, N> samples;
    for (int i = 0; i < N; ++i) samples.set(i, value_at(i));
    *reinterpret_cast<Samples<U, N>*>(to) = samples;
  } else {
    for (int i = 0; i < count; ++i) to[i] = value_at(i);
  }
}

/// Writes the flags of the `count` pixels from `first` on, and their depths, where they are asked for.
template <class T, int C>
SCANLENS_HOST_DEVICE void note(const PixelGroup<T, C>& group, std::int64_t first, int count, unsigned chosen,
                               const PixelNotes& notes) {
  constexpr int kPixels = PixelGroup<T, C>::kPixels;
  if (notes.flags)
    write_group<kPixels>(notes.flags + first, count,
                         [&](int i) { return static_cast<std::uint8_t>(chosen >> i & 1); });
  if (notes.depth) write_group<kPixels>(notes.depth + first, count, [&](int i) { return group.depth(i); });
}

/// The groups of a picture.
template <class T>
std::int64_t groups_of(const View<const T>& image) {
  return (image.width * image.height + kPixelGroup<T> - 1) / kPixelGroup<T>;
}

}  // namespace scanlens
