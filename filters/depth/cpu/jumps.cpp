// Moves the jumps of a map to the edges of its photo, on the CPU. Only tiles that hold jumps are read; later
// rounds read those around pixels that changed.
#include <tbb/combinable.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "filters/depth/cpu/jump_tile.h"
#include "filters/depth/cpu/range.h"

namespace scanlens::cpu {
namespace {

constexpr std::int64_t blocks_along(std::int64_t side) {
  return (side + kJumpBlock - 1) / kJumpBlock;
}

/// Blocks of 8 x 8 pixels: the range of each, and if one of its pixels changed in the last round.
class Blocks {
 public:
  explicit Blocks(View<const float> map)
      : map_(map),
        across_(blocks_along(map.width)),
        down_(blocks_along(map.height)),
        ranges_(static_cast<std::size_t>(across_ * down_)),
        changed_(ranges_.size()) {
    for_each_of(down_, [&](std::int64_t row) { find_ranges(row, 0, across_); });
  }

  /// Finds the ranges of the blocks of a row, from block `first` to `end`.
  void find_ranges(std::int64_t row, std::int64_t first, std::int64_t end) {
    const std::int64_t left = kJumpBlock * first, right = std::min(kJumpBlock * end, map_.width);
    const std::int64_t top = kJumpBlock * row, bottom = std::min(top + kJumpBlock, map_.height);
    std::vector<float> low(map_.row(top) + left, map_.row(top) + right), high = low;
    for (std::int64_t y = top + 1; y < bottom; ++y) {
      const float* const from = map_.row(y) + left;
      for (std::int64_t x = 0; x < right - left; ++x) {
        low[static_cast<std::size_t>(x)] = less_of(low[static_cast<std::size_t>(x)], from[x]);
        high[static_cast<std::size_t>(x)] = more_of(high[static_cast<std::size_t>(x)], from[x]);
      }
    }
    for (std::int64_t x = 0; x < right - left; x += kJumpBlock) {
      const auto count = std::min<std::int64_t>(kJumpBlock, right - left - x);
      ranges_[at(first + x / kJumpBlock, row)] = {
          *std::min_element(low.begin() + x, low.begin() + x + count),
          *std::max_element(high.begin() + x, high.begin() + x + count)};
    }
  }

  void start_round() { std::fill(changed_.begin(), changed_.end(), std::uint8_t{0}); }
  void change(std::int64_t x, std::int64_t y) { changed_[at(x / kJumpBlock, y / kJumpBlock)] = 1; }

  /// Returns true if a pixel changed that the window of (x, y) holds, or whose neighbour it holds.
  bool changed_around(std::int64_t x, std::int64_t y) const {
    const auto column = [&](std::int64_t i) { return within(i, map_.width) / kJumpBlock; };
    const auto row = [&](std::int64_t i) { return within(i, map_.height) / kJumpBlock; };
    const std::int64_t left = column(x - kJumpReach), right = column(x + kJumpReach),
                       top = row(y - kJumpReach), bottom = row(y + kJumpReach);
    return changed_[at(left, top)] || changed_[at(right, top)] || changed_[at(left, bottom)] ||
           changed_[at(right, bottom)];
  }

  /// Returns true if pixels of a tile may lie near a jump.
  bool may_jump(const JumpTile& tile, float range) const {
    return any_block(tile, [&](std::int64_t column, std::int64_t row) {
      ValueRange around = ranges_[at(column, row)];
      for_around(column, row, column, row, [&](std::size_t block) {
        around = {less_of(around.least, ranges_[block].least), more_of(around.most, ranges_[block].most)};
        return false;
      });
      return !has_no_jump(around.most - around.least, range);
    });
  }

  /// Returns true if blocks of a tile or around it have changed.
  bool changed_around(const JumpTile& tile) const {
    return for_around(tile.x / kJumpBlock, tile.y / kJumpBlock, (tile.x + tile.width - 1) / kJumpBlock,
                      (tile.y + tile.height - 1) / kJumpBlock,
                      [&](std::size_t block) { return changed_[block] != 0; });
  }

  ValueRange range() const {
    ValueRange all = ranges_.front();
    for (const ValueRange& each : ranges_)
      all = {less_of(all.least, each.least), more_of(all.most, each.most)};
    return all;
  }

 private:
  std::size_t at(std::int64_t column, std::int64_t row) const {
    return static_cast<std::size_t>(row * across_ + column);
  }
  /// Returns true once `is_it` does, of blocks of a rectangle and of those around it.
  template <class IsIt>
  bool for_around(std::int64_t left, std::int64_t top, std::int64_t right, std::int64_t bottom,
                  const IsIt& is_it) const {
    for (std::int64_t row = std::max<std::int64_t>(top - 1, 0); row <= std::min(bottom + 1, down_ - 1); ++row)
      for (std::int64_t column = std::max<std::int64_t>(left - 1, 0);
           column <= std::min(right + 1, across_ - 1); ++column)
        if (is_it(at(column, row))) return true;
    return false;
  }
  template <class IsIt>
  bool any_block(const JumpTile& tile, const IsIt& is_it) const {
    for (std::int64_t row = tile.y / kJumpBlock; kJumpBlock * row < tile.y + tile.height; ++row)
      for (std::int64_t column = tile.x / kJumpBlock; kJumpBlock * column < tile.x + tile.width; ++column)
        if (is_it(column, row)) return true;
    return false;
  }

  View<const float> map_;
  std::int64_t across_, down_;
  std::vector<ValueRange> ranges_;
  std::vector<std::uint8_t> changed_;  // tiles hold whole blocks, so that no two threads share one
};
static_assert(kJumpTileWidth % kJumpBlock == 0 && kJumpTileHeight % kJumpBlock == 0);

/// Returns true if a pixel or one around it is nearer than `middle`.
bool is_near_around(View<const float> map, std::int64_t column, std::int64_t row, float middle) {
  for (std::int64_t y = row - 1; y <= row + 1; ++y)
    for (std::int64_t x = column - 1; x <= column + 1; ++x)
      if (map(within(x, map.width), within(y, map.height)) > middle) return true;
  return false;
}

/// Returns the tiles of a map for which `is_hot` returns true.
template <class IsHot>
std::vector<JumpTile> tiles_of(View<const float> map, const IsHot& is_hot) {
  const std::int64_t across = (map.width + kJumpTileWidth - 1) / kJumpTileWidth,
                     down = (map.height + kJumpTileHeight - 1) / kJumpTileHeight;
  std::vector<std::uint8_t> hot(static_cast<std::size_t>(across * down));
  const auto tile_at = [&](std::int64_t i) {
    const std::int64_t x = i % across * kJumpTileWidth, y = i / across * kJumpTileHeight;
    return JumpTile{x, y, std::min(kJumpTileWidth, map.width - x), std::min(kJumpTileHeight, map.height - y)};
  };
  for_each_of(across * down, [&](std::int64_t i) { hot[static_cast<std::size_t>(i)] = is_hot(tile_at(i)); });
  std::vector<JumpTile> tiles;
  for (std::int64_t i = 0; i < across * down; ++i)
    if (hot[static_cast<std::size_t>(i)]) tiles.push_back(tile_at(i));
  return tiles;
}

/// Puts what was made of a tile into the map, and keeps there what was before.
void exchange(View<float> map, JumpTile& tile) {
  for (std::size_t i = 0; i < tile.pixels.size(); ++i)
    std::swap(map(tile.column(tile.pixels[i]), tile.row(tile.pixels[i])), tile.depths[i]);
}

/// Notes the blocks that changed, and returns how many pixels did.
std::int64_t compare(View<const float> map, const JumpTile& tile, float range, Blocks& blocks) {
  std::int64_t moved = 0;
  for (std::size_t i = 0; i < tile.pixels.size(); ++i) {
    const std::int64_t x = tile.column(tile.pixels[i]), y = tile.row(tile.pixels[i]);
    if (!has_moved(tile.depths[i], map(x, y), range)) continue;
    blocks.change(x, y);
    ++moved;
  }
  for (std::int64_t y = 0; y < tile.height; y += kJumpBlock)
    blocks.find_ranges((tile.y + y) / kJumpBlock, tile.x / kJumpBlock, blocks_along(tile.x + tile.width));
  return moved;
}

/// Moves the jumps in tiles once, and returns how many pixels changed.
template <class T>
std::int64_t move_once(const JumpTask<T>& task, float range, std::vector<JumpTile> tiles, bool first,
                       Blocks& blocks) {
  const View<float>& map = task.map;
  tbb::combinable<JumpMover<T>> movers([&] { return JumpMover<T>(task, range); });
  const auto for_each_tile = [&](const auto& work) {
    for_each_of(static_cast<std::int64_t>(tiles.size()),
                [&](std::int64_t i) { work(tiles[static_cast<std::size_t>(i)]); });
  };
  for_each_tile([&](JumpTile& tile) {
    movers.local().run(tile,
                       [&](std::int64_t x, std::int64_t y) { return first || blocks.changed_around(x, y); });
  });
  std::erase_if(tiles, [](const JumpTile& tile) { return tile.pixels.empty(); });
  blocks.start_round();
  for_each_tile([&](JumpTile& tile) { exchange(map, tile); });
  // Pixels that are near in part go to the nearer layer where a neighbour is one of it, before any has gone.
  for_each_tile([&](JumpTile& tile) {
    std::erase_if(tile.partly, [&](const JumpTile::PartlyNear& at) {
      return !is_near_around(map, tile.column(at.pixel), tile.row(at.pixel), at.middle);
    });
  });
  for_each_tile([&](JumpTile& tile) {
    for (const JumpTile::PartlyNear& at : tile.partly)
      map(tile.column(at.pixel), tile.row(at.pixel)) = at.near;
  });
  std::vector<std::int64_t> moved(tiles.size());
  for_each_of(static_cast<std::int64_t>(tiles.size()), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    moved[at] = compare(map, tiles[at], range, blocks);
  });
  std::int64_t all = 0;
  for (const std::int64_t each : moved) all += each;
  return all;
}

}  // namespace

template <class T>
void move_map_jumps(Context&, const JumpTask<T>& task, MovedJumps& moved) {
  const float range = range_of(task.map);
  Blocks blocks(task.map);
  if (range >= kLeastJumpRange)
    for (int round = 0; round < kJumpRounds; ++round) {
      std::vector<JumpTile> tiles = tiles_of(task.map, [&](const JumpTile& tile) {
        return round == 0 ? blocks.may_jump(tile, range) : blocks.changed_around(tile);
      });
      const std::int64_t pixels = move_once(task, range, std::move(tiles), round == 0, blocks);
      if (pixels == 0) break;
      moved.pixels += pixels;
    }
  moved.values = blocks.range();
}

std::int64_t moving_bytes(std::int64_t width, std::int64_t height) {
  // Depths of each pixel; of one in sixteen that it is partly near; of each block its range and if
  // it changed; of each thread a tile.
  const std::int64_t across = (width + kJumpTileWidth - 1) / kJumpTileWidth,
                     down = (height + kJumpTileHeight - 1) / kJumpTileHeight;
  constexpr std::int64_t kPixels = kJumpTileWidth * kJumpTileHeight;
  constexpr std::int64_t kTile = sizeof(JumpTile) + kPixels * (sizeof(float) + sizeof(std::uint16_t)) +
                                 kPixels / 16 * sizeof(JumpTile::PartlyNear) +
                                 kPixels / (kJumpBlock * kJumpBlock) * (sizeof(ValueRange) + 1);
  const std::int64_t threads = std::min<std::int64_t>(tbb::this_task_arena::max_concurrency(), across * down);
  return across * down * kTile + threads * JumpMover<float>::bytes();
}

SCANLENS_INSTANTIATE_JUMPS

}  // namespace scanlens::cpu
