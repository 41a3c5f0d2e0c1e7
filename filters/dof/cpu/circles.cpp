#include "filters/dof/cpu/circles.h"

#include <algorithm>
#include <cstdint>

#include "core/cpu/pieces.h"

namespace scanlens::cpu {
namespace {

/// Makes one row after the other of the circles.
class CircleRows {
 public:
  CircleRows(View<const float> disparity, const LayeredLens& lens)
      : disparity_(disparity), lens_(lens), width_(disparity.width), rows_(5 * width_) {}

  /// Writes row y. Calls ask for one row after the other, beginning anywhere.
  void write(std::int64_t y, float* out) {
    if (y != next_) {
      make(y - 1);
      make(y);
    }
    make(y + 1);
    next_ = y + 1;
    const float *above = row(y - 1), *middle = row(y), *below = row(y + 1);
    float *const low = rows_.data() + 3 * width_, *const high = low + width_;
    for (std::int64_t x = 0; x < width_; ++x) {
      low[x] = std::min(std::min(above[x], below[x]), middle[x]);
      high[x] = std::max(std::max(above[x], below[x]), middle[x]);
    }
    for (std::int64_t x = 0; x < width_; ++x) {
      const std::int64_t left = std::max<std::int64_t>(0, x - 1), right = std::min(width_ - 1, x + 1);
      const float range = std::max(std::max(high[left], high[right]), high[x]) -
                          std::min(std::min(low[left], low[right]), low[x]);
      out[x] = middle[x];
      if (range <= kLeastMixed) continue;
      out[x] = unmixed_circle([&](int dx, int dy) {
        const float* const in = dy < 0 ? above : dy > 0 ? below : middle;
        return in[dx < 0 ? left : dx > 0 ? right : x];
      });
    }
  }

 private:
  std::int64_t inside(std::int64_t y) const { return std::clamp<std::int64_t>(y, 0, disparity_.height - 1); }
  float* row(std::int64_t y) { return rows_.data() + inside(y) % 3 * width_; }
  void make(std::int64_t y) {
    if (y != inside(y)) return;
    const float* const in = disparity_.row(y);
    float* const out = row(y);
    for (std::int64_t x = 0; x < width_; ++x) out[x] = signed_circle(in[x], lens_);
  }

  View<const float> disparity_;
  LayeredLens lens_;
  std::int64_t width_, next_ = -1;
  std::vector<float> rows_;  ///< three of circles; the least and the greatest of each column of them
};

}  // namespace

Circles circles_of(View<const float> disparity, const LayeredLens& lens, Workspace& workspace) {
  Circles circles;
  const std::int64_t width = disparity.width, height = disparity.height;
  circles.of_pixel = View<float>(workspace.take<float>(width * height), width, height);
  circles.tiles = near_levels(width, height, widest_circle(lens));
  const NearTiles tiles = circles.tiles.fine;
  circles.nearest.assign(static_cast<std::size_t>(circles.tiles.count()), -widest_circle(lens));
  std::vector<float> least(tiles.down, circles.least);
  for_each_task(tiles.down, [&](std::int64_t row) {
    float* nearest = circles.nearest.data() + row * tiles.across;
    CircleRows rows(disparity, lens);
    const std::int64_t end = std::min<std::int64_t>(height, (row + 1) * tiles.side);
    // Written once: tiles of neighbouring tasks share lines of the cache.
    float least_of_row = circles.least;
    std::vector<float> nearest_of_row(nearest, nearest + tiles.across);
    for (std::int64_t y = row * tiles.side; y < end; ++y) {
      float* const of_row = circles.of_pixel.row(y);
      rows.write(y, of_row);
      for (int tile = 0; tile < tiles.across; ++tile) {
        const std::int64_t last = std::min<std::int64_t>(width, (tile + std::int64_t{1}) * tiles.side);
        float low = least_of_row, high = nearest_of_row[tile];
        for (std::int64_t x = std::int64_t{tile} * tiles.side; x < last; ++x) {
          low = std::min(low, of_row[x]);
          high = std::max(high, of_row[x]);
        }
        least_of_row = low;
        nearest_of_row[tile] = high;
      }
    }
    least[row] = least_of_row;
    std::copy(nearest_of_row.begin(), nearest_of_row.end(), nearest);
  });
  const NearTiles coarse = circles.tiles.coarse;
  for (int j = 0; j < tiles.down; ++j)
    for (int i = 0; i < tiles.across; ++i) {
      float& greatest = circles.nearest[tiles.count() + j / 2 * coarse.across + i / 2];
      greatest = std::max(greatest, circles.nearest[j * tiles.across + i]);
    }
  circles.least = *std::min_element(least.begin(), least.end());
  circles.most = *std::max_element(circles.nearest.begin(), circles.nearest.end());
  return circles;
}

}  // namespace scanlens::cpu
