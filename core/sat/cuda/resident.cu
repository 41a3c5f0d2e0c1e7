// Summed-area tables of small 8-bit images on CUDA, by tiles that stay in shared memory: which images, and
// the launch.
#include <algorithm>

#include "core/cuda/launch.cuh"
#include "core/sat/cuda/resident.cuh"
#include "core/sat/cuda/resident.h"

namespace scanlens::gpu {
namespace {

using Task = SatTask<std::uint8_t, std::uint32_t>;

/// Measured on an H200: RGBA of 1920 x 1080 by 132 tiles of 5 pixels a lane 16.4 us, by 120 of 4 17.4 us.
/// Three rows of one channel whose scans overlap gain a fifth, of more channels nothing.
template <int kChannels>
using Shape = SatShape<std::uint8_t, std::uint32_t, kChannels, kChannels, kChannels == 4 ? 5 : 4, 16, 16,
                       kChannels == 1 ? 3 : 1>;

template <int kChannels, bool kLut>
bool launch(Context& context, const Task& task, std::int64_t most_words) {
  using Tile = ResidentTile<Shape<kChannels>, kLut>;
  static_assert(kMostResidentTiles <= kMostSatBlocks && Tile::kWords <= resident_words(kChannels));
  static_assert(Tile::kWidth == resident_width(kChannels) && Tile::kHeight <= kMostResidentHeight &&
                Tile::kWarps >= kLeastResidentHeight);
  const std::int64_t blocks = std::min(context.impl().traits.multiprocessors, kMostResidentTiles);
  const std::int64_t across = tiles_along(task.image.width, Tile::kWidth);
  const std::int64_t most_down = across > blocks ? 0 : blocks / across / task.images;
  if (!fits<Tile>(context) || most_down == 0) return false;
  // One row for each warp at least: more tiles would wait longer for each other.
  const std::int64_t height = std::max<std::int64_t>((task.height + most_down - 1) / most_down, Tile::kWarps);
  if (height > Tile::kHeight) return false;
  const std::int64_t down = tiles_along(task.height, height);
  const std::int64_t words =
      (down - 1) * Tile::kColumnWords +
      (across - 1) * words_holding(static_cast<int>(height) * Tile::kOut, Tile::kPerWord) +
      (down - 1) * (across - 1) * Tile::kTotalWords;
  if (words > most_words) return false;

  SatGrid grid = sat_grid<Tile>(context, across, down, task.images);
  grid.started = sat_started(grid);
  const std::size_t shared = shared_bytes_alone<Tile>(context);
  launch_early(context, sat_resident_kernel<Tile>, Blocks::independent,
               dim3(static_cast<unsigned>(grid.tiles)), Tile::kThreads, SharedBytes{shared, shared}, task,
               grid, static_cast<int>(height), static_cast<int>((height + Tile::kWarps - 1) / Tile::kWarps));
  return true;
}

template <int kChannels>
bool launch(Context& context, const Task& task, std::int64_t most_words) {
  return task.terms.lut ? launch<kChannels, true>(context, task, most_words)
                        : launch<kChannels, false>(context, task, most_words);
}

}  // namespace

bool table_by_resident_tiles(Context& context, const Task& task, std::int64_t most_words) {
  if (!context.impl().traits.hopper || task.channels != task.image.channels) return false;
  switch (task.image.channels) {
    case 1:
      return launch<1>(context, task, most_words);
    case 3:
      return launch<3>(context, task, most_words);
    default:
      return launch<4>(context, task, most_words);
  }
}

}  // namespace scanlens::gpu
