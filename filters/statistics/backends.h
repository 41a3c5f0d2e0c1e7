// Counts of pixels, per backend. Called by filters/statistics/statistics.cpp only.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "filters/statistics/passes.h"

namespace scanlens {

/// The planes that are counted: each channel and, if there is more than one, luma.
constexpr int count_planes(int channels) {
  return channels == 1 ? 1 : channels + 1;
}

/// The codes that samples of a type can be.
template <class T>
inline constexpr std::int64_t kCodes = std::int64_t{1} << 8 * sizeof(T);

/// Pixels for each code that a thread of the CPU counts, at least. With so many, clearing and adding up its
/// counters takes little time, and the counters are small beside the picture.
inline constexpr std::int64_t kPixelsPerCode = 16;

// Reads the picture once and counts the codes of the chosen pixels: counts[p * kCodes<T> + code] of plane p.
// Writes the notes, too. T: uint8_t, uint16_t. All views are packed.
namespace cpu {
template <class T>
void count_pixels(Context& context, const PixelSources<T>& sources, const Selection& selection,
                  const PixelNotes& notes, std::uint64_t* counts);
}  // namespace cpu
namespace gpu {
template <class T>
void count_pixels(Context& context, const PixelSources<T>& sources, const Selection& selection,
                  const PixelNotes& notes, std::uint64_t* counts);
}  // namespace gpu

}  // namespace scanlens

/// Both types that count_pixels is built for.
#define SCANLENS_INSTANTIATE_COUNT_PIXELS                                                    \
  template void count_pixels(Context&, const PixelSources<std::uint8_t>&, const Selection&,  \
                             const PixelNotes&, std::uint64_t*);                             \
  template void count_pixels(Context&, const PixelSources<std::uint16_t>&, const Selection&, \
                             const PixelNotes&, std::uint64_t*);
