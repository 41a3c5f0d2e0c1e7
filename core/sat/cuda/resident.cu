// Summed-area tables of small 8-bit images on CUDA, by tiles that stay in shared memory: the launch.
#include <algorithm>

#include "core/cuda/launch.cuh"
#include "core/sat/cuda/resident.cuh"
#include "core/sat/cuda/resident.h"
#include "core/sat/limits.h"

namespace scanlens::gpu {
namespace {

using Task = SatTask<std::uint8_t, std::uint32_t>;

/// The shape of resident tiles. On an H200 RGBA of 1920 x 1080 takes 16.4 us by 132 tiles of 5 pixels per
/// lane, 17.4 us by 120 of 4. Overlapping the scans of three rows gains a fifth for one channel, nothing for
/// more.
template <int kChannels>
using Shape = SatShape<std::uint8_t, std::uint32_t, kChannels, kChannels, kChannels == 4 ? 5 : 4, 16, 16,
                       kChannels == 1 ? 3 : 1>;

template <int kChannels, bool kLut>
void launch(Context& context, const Task& task, std::int64_t height) {
  namespace limits = resident_tiles;
  using Tile = ResidentTile<Shape<kChannels>, kLut>;
  static_assert(limits::kMost <= kMostSatBlocks && Tile::kWords <= limits::most_words(kChannels));
  static_assert(Tile::kColumnWords == limits::words_down(kChannels, kLut) &&
                Tile::kRowWords == limits::words_right(Tile::kHeight, kChannels, kLut) &&
                Tile::kTotalWords == limits::words_of_total(kChannels));
  static_assert(Tile::kWidth == limits::width(kChannels) && Tile::kHeight == limits::kMostHeight &&
                Tile::kWarps >= limits::kLeastHeight);
  static_assert(sizeof(typename Tile::Shared) <= limits::shared_bytes(kChannels));
  SatGrid grid = sat_grid<Tile>(context, tiles_along(task.image.width, Tile::kWidth),
                                tiles_along(task.height, height), task.images);
  grid.started = sat_started(grid);
  const std::size_t shared = shared_bytes_alone<Tile>(context);
  launch_early(context, sat_resident_kernel<Tile>, Blocks::independent,
               dim3(static_cast<unsigned>(grid.tiles)), Tile::kThreads, SharedBytes{shared, shared}, task,
               grid, static_cast<int>(height), static_cast<int>((height + Tile::kWarps - 1) / Tile::kWarps));
}

template <int kChannels>
void launch(Context& context, const Task& task, std::int64_t height) {
  if (task.terms.lut)
    launch<kChannels, true>(context, task, height);
  else
    launch<kChannels, false>(context, task, height);
}

}  // namespace

void table_by_resident_tiles(Context& context, const Task& task, std::int64_t height) {
  switch (task.image.channels) {
    case 1:
      return launch<1>(context, task, height);
    case 3:
      return launch<3>(context, task, height);
    default:
      return launch<4>(context, task, height);
  }
}

}  // namespace scanlens::gpu
