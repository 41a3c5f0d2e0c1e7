// Bands of a depth map's rows: each pixel near a jump takes the depth of the layer that it looks like. Inside
// scanlens_files.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/view.h"

namespace scanlens {

/// Pixels up to this far away show that a pixel lies near a jump.
inline constexpr int kJumpReach = 4;

/// The least share of the map's range that a jump is.
inline constexpr float kLeastJump = 0.03f;

/// Rows of a band, at most.
inline constexpr std::int64_t kJumpBand = 16;

/// A pixel that is near in part: it is one of the nearer layer if a neighbour is, by `middle`.
struct PartlyNear {
  std::int32_t x, y;
  float near, middle;
};

/// Scratch memory of a band, kept from band to band of a thread.
class JumpBand {
 public:
  /// Takes a map whose values span `range`, and the photo at its size, as sRGB's codes of 8 bits.
  JumpBand(View<const float> map, View<const std::uint8_t> codes, float range);

  /// Returns the bytes of a band of a map of this width.
  static std::int64_t bytes(std::int64_t width);

  /// Makes rows `first` to `end` of the result, in which pixels that are near in part are far; adds these to
  /// `partly`. Only pixels with looks(x, y) are looked at.
  void run(std::int64_t first, std::int64_t end, View<float> out,
           const std::function<bool(std::int64_t x, std::int64_t y)>& looks, std::vector<PartlyNear>& partly);

 private:
  /// Rows of one plane, repeated beyond the picture's edges.
  class Plane {
   public:
    explicit Plane(std::int64_t width);
    /// Floats that it takes.
    static std::int64_t size(std::int64_t width) { return pitch(width) * (kJumpBand + 2 * kJumpReach); }
    /// Row y of the band, from -kJumpReach on; column 0 is the picture's first.
    float* row(std::int64_t y) { return values_.data() + (y + kJumpReach) * pitch_ + kJumpReach; }
    const float* row(std::int64_t y) const { return values_.data() + (y + kJumpReach) * pitch_ + kJumpReach; }

   private:
    static std::int64_t pitch(std::int64_t width);

    std::int64_t pitch_;
    std::vector<float> values_;
  };
  static constexpr int kRows = 3;
  enum { kDepth, kLow, kHigh, kStep, kColors, kLight = kColors + 3, kRough = kLight + 3, kScratch, kPlanes };

  Plane& plane(int of) { return planes_[static_cast<std::size_t>(of)]; }
  const Plane& plane(int of) const { return planes_[static_cast<std::size_t>(of)]; }
  std::vector<float>& least() { return rows_[0]; }
  std::vector<float>& most() { return rows_[1]; }
  std::vector<float>& steepest() { return rows_[2]; }

  void repeat_edges(float* row) const;
  bool load_depth(std::int64_t rows);
  void load_colors(std::int64_t rows);
  void find_roughness(std::int64_t y);
  void find_windows(std::int64_t rows);
  void find_extremes(std::int64_t y);
  float depth_of(std::int64_t x, std::int64_t y, float low, float high,
                 std::vector<PartlyNear>& partly) const;

  View<const float> map_;
  View<const std::uint8_t> codes_;
  float range_;
  std::int64_t first_ = 0;
  std::vector<Plane> planes_;
  std::vector<std::vector<float>> rows_;
};

}  // namespace scanlens
