// Depth from a few strokes: spreads the planes that a person's strokes are pieces of over a photo.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/context.h"
#include "core/sparse.h"
#include "core/view.h"

namespace scanlens {

/// A plane of nearness (relative inverse depth: 0 infinitely far, 1 nearest), affine in the pixel.
struct StrokePlane {
  float at_origin = 0;   ///< at pixel (0, 0)
  float per_column = 0;  ///< from one column to the next
  float per_row = 0;

  SCANLENS_HOST_DEVICE bool is_level() const { return per_column == 0 && per_row == 0; }
  /// Clipped to 0 .. 1.
  SCANLENS_HOST_DEVICE float at(int x, int y) const {
    const float n = at_origin + per_column * static_cast<float>(x) + per_row * static_cast<float>(y);
    return n > 0 ? (n < 1 ? n : 1.f) : 0.f;
  }
};

/// The most planes of one call.
inline constexpr int kMostStrokePlanes = kMostColumns;

/// The work of the last call of StrokeField::spread.
struct StrokeWork {
  std::int64_t vertices = 0, values = 0;  ///< of the photo's grids, and of their matrices
  Solved shares, edges;                   ///< of the grid that took longest, and of the photo's edges
};

/// A photo over which strokes are spread. What depends on the photo alone is made once, so that a stroke
/// costs the two systems: make a field of about 100,000 pixels for previews and one of at most 2 million for
/// the result (README.md has times).
///
/// Determinism: the same bits every run, on any number of threads, on the CPU and on CUDA.
/// Source: Barron and Poole, "The Fast Bilateral Solver", ECCV 2016 (the grid); He, Sun and Tang, "Guided
/// Image Filtering", ECCV 2010, and Zhang, Shen, Xu, Jia, "Rolling Guidance Filter", ECCV 2014 (the photo
/// without texture); Levin, Lischinski, Weiss, "Colorization using Optimization", SIGGRAPH 2004 (strokes).
class StrokeField {
 public:
  /// Takes 3 channels of sRGB codes, in memory of the context, which must outlive the field. The photo is not
  /// needed afterwards. Waits for the device. Throws Error (usage) for an empty photo, one of other channels,
  /// or one of more than kMostStrokePixels.
  StrokeField(Context& context, View<const std::uint8_t> photo);
  StrokeField(StrokeField&&) noexcept;
  StrokeField& operator=(StrokeField&&) noexcept;
  ~StrokeField();

  /// Makes nearness, 0 .. 1, of the strokes' planes. `numbers` holds for every pixel the plane of the stroke
  /// that covers it, or a negative number. Both views are of the photo's size, in memory of the context, and
  /// do not overlap; any pitch. There are 1 to kMostStrokePlanes planes.
  ///
  /// `warm` begins with the last call's shares, which takes half of the time: for previews in which planes
  /// were changed, or appended. Strokes keep their planes; between them the result differs from a cold one by
  /// some hundredths on average. A cold result depends on the arguments alone. Nothing waits for the device.
  void spread(std::span<const StrokePlane> planes, View<const std::int16_t> numbers, View<float> nearness,
              bool warm = false);

  /// Corrects a map of nearness in place: around strokes it takes their planes, up to the photo's edges. All
  /// else as spread().
  void repair(std::span<const StrokePlane> planes, View<const std::int16_t> numbers, View<float> nearness);

  /// Waits for the device.
  StrokeWork work();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Pixels of a field, at most.
inline constexpr std::int64_t kMostStrokePixels = std::int64_t{1} << 26;

/// Bytes of a field of `pixels` pixels, with those of its calls for `planes` planes, at most.
std::int64_t stroke_field_bytes(std::int64_t pixels, int planes);

}  // namespace scanlens
