// From strokes to a depth map of their photo.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/depth/depth.h"
#include "app/depth/strokes/strokes.h"
#include "core/context.h"
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

/// A photo over which strokes are spread, on all cores. Everything that depends on the photo alone is made
/// once.
class StrokeSpreading {
 public:
  /// Works on at most `most_pixels` pixels. `map` has the photo's size and is what strokes correct, null for
  /// none; it must outlive this.
  StrokeSpreading(PhotoRows photo, std::int64_t most_pixels, const Depth* map = nullptr);

  /// Returns the map as read_depth does, rounded to 16 bits: of the size that is worked on, or, where a map
  /// is corrected, of the photo's. `name` is for messages. `warm` begins with the last call's answer, for
  /// previews: it takes half of the time, and differs by some hundredths where no stroke reaches. Where a map
  /// is corrected it changes nothing.
  ///
  /// A stroke corrects a map around it, up to the photo's edges and at most 16 of its radii far; all else
  /// stays as it is, to the bit. Throws Error where the map's unit is not the strokes'.
  Depth spread(const Strokes& strokes, const std::string& name, bool warm = false);

  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }

 private:
  Image<float> nearness(const Strokes& strokes, const StrokeRaster& raster, bool warm);
  Image<float> reach(const Strokes& strokes, const StrokeRaster& raster, const std::string& name);
  Depth corrected(Strokes strokes, const std::string& name);
  void doubt_shape(const Strokes& strokes, Depth& depth) const;
  void doubt_places(const Strokes& strokes, Depth& depth) const;

  PhotoRows photo_;
  const Depth* map_;
  std::int64_t width_ = 0, height_ = 0;
  bool is_preview_;
  Image<float> small_map_;  ///< at the size that is worked on
  std::unique_ptr<Context> context_;
  std::unique_ptr<StrokeField> field_;
  std::size_t last_planes_ = 0;
};

/// Spreads strokes over their photo, at most kStrokePixels of it.
Depth spread(const Strokes& strokes, const PhotoRows& photo, const std::string& name);

/// Does so for strokes that correct a map of the photo's size.
Depth spread(const Strokes& strokes, const PhotoRows& photo, const Depth& map, const std::string& name);

/// Returns the bytes that spreading this number of strokes takes at most.
std::int64_t spreading_bytes(const RowFormat& photo, std::size_t strokes);

}  // namespace scanlens
