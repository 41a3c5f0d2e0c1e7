// The passes over pixels that statistics take. Called by filters/statistics only.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "filters/statistics.h"

namespace scanlens {

/// Notes about each pixel on the way, packed.
struct PixelNotes {
  std::uint8_t* flags = nullptr;  ///< not 0 for chosen pixels; null where nobody asks
  float* depth = nullptr;         ///< null if absent
};

/// Planes begin on boundaries of 8 bytes.
inline constexpr std::int64_t kPlaneStep = 64;

/// Reads the picture once, and writes the channels of floats and, where there is more than one, luma:
/// `planes` of `plane` elements each, a multiple of kPlaneStep. All views are packed.
void evaluate_pixels(Context& context, const PixelSources<float>& sources, const Selection& selection,
                     float* planes, std::int64_t plane, const PixelNotes& notes);

/// Luma as 16-bit codes of the tone as it is seen: codes as they are, the square root of linear light.
template <class T>
void luma16(Context& context, View<const T> image, View<std::uint16_t> luma);

/// The variance of luma over the pixels at most `radius` columns and rows away, rounded to float.
void local_variance(Context& context, View<const std::uint32_t> sums, View<const std::uint64_t> squares,
                    int radius, View<float> variance);

/// Flags the pixels whose variance is at least `bound`, and packs the disparity.
void mark_sharp(Context& context, View<const float> variance, float bound, View<const float> disparity,
                std::uint8_t* flags, float* packed_disparity);

}  // namespace scanlens
