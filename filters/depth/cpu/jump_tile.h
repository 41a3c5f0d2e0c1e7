// Tiles of a map: each pixel near a jump takes the depth of the layer that it looks like. Inside
// filters/depth/cpu.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "filters/depth/cpu/rows.h"
#include "filters/depth/tasks.h"

namespace scanlens::cpu {

constexpr std::int64_t kJumpTileWidth = 64, kJumpTileHeight = 16;

/// The pixels of a tile that a round looks at, and their new depths.
struct JumpTile {
  /// A pixel that is near in part: it is one of the nearer layer if a neighbour is, by `middle`.
  struct PartlyNear {
    std::uint16_t pixel;  ///< its number in the tile
    float near, middle;
  };

  std::int64_t x, y, width, height;
  std::vector<std::uint16_t> pixels = {};  ///< numbers in the tile: rows of kJumpTileWidth
  std::vector<float> depths = {};          ///< of each
  std::vector<PartlyNear> partly = {};

  std::int64_t column(std::uint16_t pixel) const { return x + pixel % kJumpTileWidth; }
  std::int64_t row(std::uint16_t pixel) const { return y + pixel / kJumpTileWidth; }
};

/// Scratch memory of a tile, kept from tile to tile of a thread.
template <class T>
class JumpMover {
 public:
  JumpMover(const JumpTask<T>& task, float range) : task_(task), range_(range), planes_(kPlanes) {}

  static constexpr std::int64_t bytes() { return kPlanes * sizeof(Plane); }

  /// Makes depths of a tile, in which pixels that are near in part are far, and lists these. Looks only at
  /// pixels with looks(x, y).
  void run(JumpTile& tile, const std::function<bool(std::int64_t x, std::int64_t y)>& looks);

 private:
  static constexpr int kHalo = kJumpReach;
  static constexpr std::int64_t kPitch = kJumpTileWidth + 2 * kHalo;

  /// Rows of a tile and those around it, repeated beyond the picture's edges.
  struct Plane {
    float* row(std::int64_t y) { return values + (y + kHalo) * kPitch + kHalo; }
    const float* row(std::int64_t y) const { return values + (y + kHalo) * kPitch + kHalo; }

    float values[kPitch * (kJumpTileHeight + 2 * kHalo)];
  };
  enum { kDepth, kLow, kHigh, kStep, kColors, kLight = kColors + 3, kRough = kLight + 3, kScratch, kPlanes };

  /// A pixel of a tile, and the values in its window.
  struct Candidate {
    std::int64_t x, y;
    float low, high;
  };
  /// Columns and rows of a tile, with the ends behind the last ones.
  struct Box {
    std::int64_t left, top, right, bottom;
  };

  Plane& plane(int of) { return planes_[static_cast<std::size_t>(of)]; }
  const Plane& plane(int of) const { return planes_[static_cast<std::size_t>(of)]; }

  void load_depth(const JumpTile& tile);
  Box candidates_box() const;
  void load_colors(const JumpTile& tile, const Box& box);
  void find_steps(const JumpTile& tile);
  void find_candidates(const JumpTile& tile, const std::function<bool(std::int64_t, std::int64_t)>& looks);
  JumpDepth depth_of(std::int64_t x, std::int64_t y, const JumpMiddle& middle) const;

  const JumpTask<T>& task_;
  float range_;
  std::vector<Plane> planes_;
  std::vector<Candidate> candidates_;
};

}  // namespace scanlens::cpu
