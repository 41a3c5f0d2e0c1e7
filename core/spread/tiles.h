// Tiles that a picture is cut into on the CPU, so that threads can spread its pixels side by side. The pixels
// around a tile that reach it are visited with it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include "core/cpu/pieces.h"
#include "core/spread/fold_formula.h"

namespace scanlens::cpu {

/// The most columns and rows that boxes reach beyond the pixels that spread them.
struct SpreadReach {
  int across = 0, down = 0;

  int most() const { return std::max(across, down); }
  void include(const SpreadReach& other) {
    across = std::max(across, other.across);
    down = std::max(down, other.down);
  }
};

/// Reaches are rounded up to 16, 24, 32, 48, 64 and so on before tiles are chosen: a bound of the memory
/// tries them all.
inline int rounded_reach(int reach) {
  int rounded = 16;
  while (rounded < reach) rounded += rounded % 3 == 0 ? rounded / 3 : rounded / 2;
  return rounded;
}

/// A picture in tiles of about the same size.
class SpreadTiles {
 public:
  /// The tiles for which `threads` threads are expected to take the least time, where no box reaches more
  /// than `reach` pixels.
  SpreadTiles(std::int64_t width, std::int64_t height, int reach, int threads = thread_count());

  int count() const { return static_cast<int>(across_ * down_); }
  SpreadBox operator[](int i) const {
    const std::int64_t x = i % across_, y = i / across_;
    return {static_cast<int>(width_ * x / across_), static_cast<int>(width_ * (x + 1) / across_),
            static_cast<int>(height_ * y / down_), static_cast<int>(height_ * (y + 1) / down_)};
  }
  std::int64_t most_width() const { return (width_ + across_ - 1) / across_; }
  std::int64_t most_height() const { return (height_ + down_ - 1) / down_; }
  int workers() const { return std::min(threads_, count()); }
  bool operator==(const SpreadTiles&) const = default;

 private:
  std::int64_t width_, height_;
  std::int64_t across_ = 1, down_ = 1;
  int threads_;
};

/// Calls work(worker, tile) for each tile, those of the greatest cost(tile) first; workers are below
/// tiles.workers(), and no two calls at once share one.
void for_each_spread_tile(const SpreadTiles& tiles, const std::function<double(const SpreadBox&)>& cost,
                          const std::function<void(int, const SpreadBox&)>& work);

}  // namespace scanlens::cpu
