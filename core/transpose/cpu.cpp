// Transposition on the CPU, tile by tile.
#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "core/transpose/backends.h"

namespace scanlens::cpu {
namespace {

/// Side of a tile: rows of a cache line or more, and two tiles fit the first-level cache.
template <class T>
constexpr std::int64_t kSide = sizeof(T) <= 4 ? 64 : 32;

/// A tile passes through here, so that memory is read and written along rows. If an array's pitch is a power
/// of two, all lines of a tile down its columns would compete for a few places in the cache. The odd row
/// length spreads them here.
template <class T>
class Tile {
 public:
  void read(View<const T> from) {
    for (std::int64_t y = 0; y < from.height; ++y) std::copy_n(from.row(y), from.width, elements_[y]);
  }
  void write_transposed(View<T> to) const {
    for (std::int64_t y = 0; y < to.height; ++y)
      for (std::int64_t x = 0; x < to.width; ++x) to.row(y)[x] = elements_[x][y];
  }

 private:
  T elements_[kSide<T>][kSide<T> + 1];
};

/// Tile (i, j) of a view, cut off at its edge.
template <class T>
View<T> tile_of(View<T> view, std::int64_t i, std::int64_t j) {
  const std::int64_t x = i * kSide<T>, y = j * kSide<T>;
  return view.region(x, y, std::min(kSide<T>, view.width - x), std::min(kSide<T>, view.height - y));
}

}  // namespace

template <class T>
void transpose(Context&, View<const T> in, View<T> out) {
  const bool in_place = in.data == out.data;
  const std::int64_t tiles_across = (in.width + kSide<T> - 1) / kSide<T>;
  const std::int64_t tiles_down = (in.height + kSide<T> - 1) / kSide<T>;
  const tbb::blocked_range2d<std::int64_t> all(0, tiles_down, 0, tiles_across);
  tbb::parallel_for(all, [&](const auto& range) {
    Tile<T> tile, mirrored;
    for (std::int64_t j = range.rows().begin(); j < range.rows().end(); ++j)
      for (std::int64_t i = range.cols().begin(); i < range.cols().end(); ++i) {
        if (in_place && i > j) continue;  // goes with its mirror image
        tile.read(tile_of(in, i, j));
        if (in_place && i < j) {
          mirrored.read(tile_of(in, j, i));
          mirrored.write_transposed(tile_of(out, i, j));
        }
        tile.write_transposed(tile_of(out, j, i));
      }
  });
}

SCANLENS_INSTANTIATE_TRANSPOSES

}  // namespace scanlens::cpu
