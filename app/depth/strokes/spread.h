// From strokes to a depth map of their photo.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/depth/depth.h"
#include "app/depth/strokes/strokes.h"
#include "filters/strokes/stroke_field.h"

namespace scanlens {

/// Pixels of the photo that strokes are spread over: for the result, and while one draws.
inline constexpr std::int64_t kStrokePixels = 2'000'000;
inline constexpr std::int64_t kStrokePreviewPixels = 100'000;

/// Returns a photo as sRGB codes of 8 bits, 3 channels, brought to at most `most_pixels` pixels by the mean
/// over their areas. Alpha is left out.
Image<std::uint8_t> stroke_photo(const PhotoRows& photo, std::int64_t most_pixels);

/// Strokes as filters/strokes takes them.
struct StrokeRaster {
  std::vector<StrokePlane> planes;
  Image<std::int16_t> numbers;       ///< of the plane of each pixel, or -1
  double farthest = 0, nearest = 1;  ///< 1/metre of nearness 0 and 1, where the strokes are metric
};

/// Draws strokes onto a picture of this size; later ones lie on top. Strokes of one depth share a plane where
/// there would be more than kMostStrokePlanes, or of nearly one depth where that is not enough. Throws Error
/// "NAME: stroke 2 …" for one that covers no pixel, and where there are too many slopes.
StrokeRaster rasterised(const Strokes& strokes, std::int64_t width, std::int64_t height,
                        const std::string& name);

/// Spreads strokes over their photo, at most kStrokePixels of it, rounded to 16 bits, on all cores: a map as
/// read_depth returns it. `name` is for messages.
Depth spread(const Strokes& strokes, const PhotoRows& photo, const std::string& name);

/// Returns the bytes that this takes at most.
std::int64_t spreading_bytes(const RowFormat& photo);

}  // namespace scanlens
