// Pictures in groups of pixels, and what is noted of a group, for both backends.
#pragma once

#include "filters/statistics/evaluate.h"
#include "filters/statistics/passes.h"

namespace scanlens {

/// Writes value_at(i) to to[i], by words where all are there: planes begin on their boundaries.
template <class U, class ValueAt>
SCANLENS_HOST_DEVICE void write_group(U* to, int count, const ValueAt& value_at) {
  if (count == kPixelGroup) {
    AlignedSamples<U, kPixelGroup> samples;
    for (int i = 0; i < kPixelGroup; ++i) samples.values[i] = value_at(i);
    *reinterpret_cast<AlignedSamples<U, kPixelGroup>*>(to) = samples;
  } else {
    for (int i = 0; i < count; ++i) to[i] = value_at(i);
  }
}

/// Writes the flags of the `count` pixels from `first` on, and their depths, where they are asked for.
template <class T, int C>
SCANLENS_HOST_DEVICE void note(const PixelGroup<T, C>& group, std::int64_t first, int count, unsigned chosen,
                               const PixelNotes& notes) {
  if (notes.flags)
    write_group(notes.flags + first, count,
                [&](int i) { return static_cast<std::uint8_t>(chosen >> i & 1); });
  if (notes.depth) write_group(notes.depth + first, count, [&](int i) { return group.depth(i); });
}

/// Calls run(std::integral_constant<int, C>) for the channels of a picture: 1, 3 or 4.
template <class Run>
void for_channels(int channels, const Run& run) {
  if (channels == 1)
    run(std::integral_constant<int, 1>());
  else if (channels == 3)
    run(std::integral_constant<int, 3>());
  else
    run(std::integral_constant<int, 4>());
}

}  // namespace scanlens
