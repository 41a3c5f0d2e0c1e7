#include "core/spread/cpu.h"

#include <utility>
#include <vector>

#include "core/spread.h"
#include "core/spread/backends.h"

namespace scanlens::cpu {
namespace {

SpreadReach farthest_reach(const SpreadTask& task) {
  SpreadReach reach;
  for (std::int64_t y = 0; y < task.boxes.height; ++y)
    for (std::int64_t x = 0; x < task.boxes.width; ++x)
      if (task.boxes(x, y, 0) >= 0 && task.boxes(x, y, 0) < task.layers)
        reach.include({task.boxes(x, y, 1), task.boxes(x, y, 2)});
  return reach;
}

template <int kChannels>
class Spreading {
 public:
  using Tile = SpreadTile<kChannels>;

  Spreading(const SpreadTask& task, SpreadReach reach) : task_(task), reach_(reach) {}

  void run(Tile& fields, const SpreadBox& tile) const {
    const std::int64_t height = task_.values.height;
    fields.start(tile);
    std::int64_t y = std::max(0, tile.top - reach_.down);
    for (int finished = tile.top; finished < tile.bottom; ++finished) {
      for (; y < height && y <= std::int64_t{finished} + reach_.down; ++y)
        deposit_row(fields, static_cast<int>(y));
      fields.finish(finished);
      write(fields, finished);
    }
  }

 private:
  void deposit_row(Tile& fields, int y) const {
    const auto width = static_cast<int>(task_.values.width);
    const int end = std::min(width, fields.tile().right + reach_.across);
    for (int x = std::max(0, fields.tile().left - reach_.across); x < end; ++x) {
      const std::int32_t* box = task_.boxes.row(y) + std::int64_t{x} * 3;
      if (box[0] < 0 || box[0] >= task_.layers) continue;
      typename Tile::Values values = {};
      for (int c = 0; c < kChannels; ++c) values.of[c] = task_.values(x, y, c);
      fields.deposit(box[0], {x - box[1], x + box[1] + 1, y - box[2], y + box[2] + 1}, values);
    }
  }

  void write(const Tile& fields, int y) const {
    const SpreadBox& tile = fields.tile();
    for (int l = 0; l < task_.layers; ++l) {
      const auto* field = fields.field(l);
      for (int c = 0; c < kChannels; ++c) {
        std::uint32_t* out = task_.fields.row((std::int64_t{l} * kChannels + c) * task_.values.height + y);
        for (int x = tile.left; x < tile.right; ++x) out[x] = field ? field[x - tile.left].of[c] : 0;
      }
    }
  }

  const SpreadTask& task_;
  SpreadReach reach_;
};

template <int kChannels>
void spread(Context& context, const SpreadTask& task) {
  const SpreadReach reach = farthest_reach(task);
  const SpreadTiles tiles(task.values.width, task.values.height, reach.most());
  Workspace workspace(context);
  std::vector<SpreadTile<kChannels>> fields;
  for (int i = 0; i < tiles.workers(); ++i)
    fields.emplace_back(workspace, task.values.width, task.values.height, tiles, task.layers, reach.down, 1);
  const Spreading<kChannels> spreading(task, reach);
  for_each_spread_tile(
      tiles, [](const SpreadBox&) { return 0.; },
      [&](int worker, const SpreadBox& tile) { spreading.run(fields[worker], tile); });
}

template <int... kChannels>
void spread_of(Context& context, const SpreadTask& task, std::integer_sequence<int, kChannels...>) {
  ((task.values.channels == kChannels + 1 ? spread<kChannels + 1>(context, task) : void()), ...);
}

}  // namespace

void spread_boxes(Context& context, const SpreadTask& task) {
  spread_of(context, task, std::make_integer_sequence<int, kMostSpreadChannels>());
}

}  // namespace scanlens::cpu
