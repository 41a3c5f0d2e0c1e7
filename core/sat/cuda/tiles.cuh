// The summed-area table on CUDA: one launch, the image read once, the table written once.
//
// The image is cut into tiles, which persistent blocks take in turn. A tile goes through four steps, and the
// steps of a block's neighbouring tiles overlap:
//
// - load: every worker warp brings its rows of the tile to its own ring in shared memory, two tiles ahead.
// - measure: the workers sum the tile's rows and columns. The service warps publish these sums.
// - exchange: the service warps add up the row sums of the tiles to the left, which gives left(y), the sum of
//   row y before the tile, and the column sums of the tiles above, which gives up(x), the sum of column x
//   above it. The sum of left(y) over all rows above is the corner: tiles publish their own share of it,
//   once they know left(y).
// - finish: the workers, who have measured the next tile or two meanwhile, write the tile's entries:
//   table(x, y) = table(x, y - 1) + left(y) + image(x0, y) + … + image(x, y), beginning above the tile with
//   corner + up(x0) + … + up(x).
//
// Small 8-bit images are summed by tiles that stay in shared memory (core/sat/cuda/resident.cuh) instead, and
// wide ones by stripes (core/sat/cuda/stripes.cuh), where core/sat/plan.cpp says so.
//
// Looking back ends at the nearest tile that published the sum of all tiles up to itself: every 128th of a
// row, every 32nd of a column. Every wait ends, because each block measures its tiles in order and a tile
// waits only for tiles of lower numbers: either all blocks run at once (a cooperative launch), or each has
// one tile and they are numbered in the order in which they start. The order of additions is fixed.
//
// Source: Nehab et al., "GPU-Efficient Recursive Filtering and Summed-Area Tables", 2011, for the sums that
// tiles exchange; Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "core/cuda/launch.cuh"
#include "core/error.h"
#include "core/runtime/context_impl.h"
#include "core/runtime/cuda_check.cuh"
#include "core/sat/cuda/resident.h"
#include "core/sat/cuda/service.cuh"
#include "core/sat/cuda/stripes.h"
#include "core/sat/cuda/tile.cuh"
#include "core/sat/cuda/worker.cuh"
#include "core/sat/plan.h"

namespace scanlens::gpu {

/// Makes a table by tiles. With kSquared it sums squares, and Tile::S is the SquareSum of a table's type.
template <class Tile, bool kLut, bool kSquared, int kBlocks>
__global__ void __launch_bounds__(Tile::kThreads, kBlocks)
    sat_kernel(const __grid_constant__ SatTask<typename Tile::T, typename Tile::S> task,
               const __grid_constant__ SatGrid grid) {
  extern __shared__ __align__(32) std::byte memory[];
  auto& shared = *reinterpret_cast<typename Tile::Shared*>(memory);
  const int thread = static_cast<int>(threadIdx.x);
  constexpr int kHeld = Tile::kLag + 1;
  if (thread == 0) {
    for (int i = 0; i < kHeld; ++i) {
      shared.measured[i].init(Tile::kWarps * kWarp);
      shared.exchanged[i].init(Tile::kServiceThreads);
    }
    for (auto& of_warp : shared.loaded)
      for (Barrier& loaded : of_warp) loaded.init(1);
    Barrier::init_done();
    shared.block = static_cast<int>(grid.started ? atomicInc(grid.started, gridDim.x - 1) : blockIdx.x);
  }
  __syncthreads();
  let_next_kernel_begin();
  await_previous_kernel();
  if (kLut && sizeof(typename Tile::T) == 1 && thread < 256)
    shared.lut[thread] = task.terms.lut ? task.terms.lut[thread] : static_cast<std::uint32_t>(thread);

  const int block = shared.block, blocks = static_cast<int>(gridDim.x);
  const int tiles = block < grid.tiles ? (grid.tiles - 1 - block) / blocks + 1 : 0;  // of this block
  if (thread < Tile::kWarps * kWarp) {
    const SatWorker<Tile, kLut, kSquared> worker(task, shared, Tile::kHeight, Tile::kRows);
    const int warp = thread / kWarp;
    __syncthreads();
    if (tiles > 0) worker.load(SatPosition(grid, 0, block), 0);
    if (tiles > 1) worker.load(SatPosition(grid, 1, block), 1);
    int slot = 0, round = 0, finished_slot = 0;
    for (int k = 0; k < tiles + Tile::kLag; ++k) {
      if (k < tiles) {
        shared.loaded[warp][slot].wait(round);
        typename Tile::Sums& sums = shared.sums[k % kHeld];
        worker.measure(SatPosition(grid, k, block), slot, &sums.rows[warp * Tile::kRows * Tile::kOut],
                       sums.columns[warp]);
        shared.measured[k % kHeld].arrive_warp();
        if (++slot == Tile::kSlots) slot = 0, ++round;
      }
      if (k < Tile::kLag) {
        if (k + 2 < tiles) worker.load(SatPosition(grid, k + 2, block), k + 2);
        continue;
      }
      const int finished = k - Tile::kLag;
      shared.exchanged[finished % kHeld].wait(finished / kHeld);
      typename Tile::Sums& sums = shared.sums[finished % kHeld];
      typename SatWorker<Tile, kLut, kSquared>::Given given{
          sums.up, sums.columns[warp], &sums.rows[warp * Tile::kRows * Tile::kOut], {}};
      for (int c = 0; c < Tile::kOut; ++c) given.corner[c] = sums.before[warp][c] + sums.corner[c];
      worker.finish(SatPosition(grid, finished, block), finished_slot, given, sums.columns[warp]);
      if (k + 2 < tiles) worker.load(SatPosition(grid, k + 2, block), finished_slot);
      if (++finished_slot == Tile::kSlots) finished_slot = 0;
    }
    await_reads();
  } else {
    // Every launch leaves all epochs one higher, however many blocks it has.
    const unsigned epoch = next_epoch(grid.epochs[block]);
    const SatService<Tile> service(grid, epoch);
    __syncthreads();
    for (int k = 0; k < tiles; ++k) {
      shared.measured[k % kHeld].wait(k / kHeld);
      service.exchange(SatPosition(grid, k, block), shared.sums[k % kHeld]);
      shared.exchanged[k % kHeld].arrive_warp();
    }
    for (int i = block + (thread - Tile::kWarps * kWarp) * blocks; i < kMostSatBlocks;
         i += Tile::kServiceThreads * blocks)
      grid.epochs[i] = epoch;
  }
}

/// The tiles of a kind of table, in three sizes. Shared memory limits the rows of a warp.
template <class T, class S, int kIn, int kOut>
struct SatTiles {
  /// Returns the tile with the most rows per warp, kRows at most, that takes up to kMost bytes of shared
  /// memory; where even 2 rows take more, with fewer warps. A lane's samples have to fill whole words.
  template <std::size_t kMost, int kPixels, int kWarps, int kServiceWarps, int kRows = 8>
  static constexpr auto fitting() {
    using Tile = SatTile<SatShape<T, S, kIn, kOut, kPixels, kRows, kWarps, 1>, kServiceWarps>;
    if constexpr (sizeof(typename Tile::Shared) <= kMost)
      return Tile();
    else if constexpr (kRows > 2)
      return fitting<kMost, kPixels, kWarps, kServiceWarps, kRows - 2>();
    else
      return fitting<kMost, kPixels, kWarps / 2, kServiceWarps, 2>();
  }
  /// Large is for one block per multiprocessor of compute capability 9.0. On an H200 it takes, at 4096 x 4096
  /// and against Any: uint16_t into uint64_t, one channel 79 us against 152, RGB 190 against 327, RGBA 310
  /// against 488; squares of bytes, RGB, 220 against 342; float into double, RGB, 265 against 624.
  static constexpr int kPixelsOfLarge =
      kOut == 4 && kIn * sizeof(T) % 2 == 0 && (sizeof(S) == 8 || sizeof(T) == 4) ? 2 : 4;
  static constexpr int kWarpsOfLarge = kOut == 1 ? 16 : kPixelsOfLarge == 2 && sizeof(T) < 4 ? 12 : 8;
  using Large = decltype(fitting<227 * 1024, kPixelsOfLarge, kWarpsOfLarge, 8>());
  /// Any fits the shared memory of every GPU of compute capability 8.0 or newer; on the larger ones two of
  /// its blocks fit a multiprocessor.
  static constexpr int kPixelsOfAny = sizeof(S) == 8 && kIn * sizeof(T) % 2 == 0 ? 2 : 4;
  using Any = decltype(fitting<99 * 1024, kPixelsOfAny, 8, 4>());
  /// Least is for compute capability 7.5.
  using Least = decltype(fitting<64 * 1024, kPixelsOfAny, 8, 4>());
  static constexpr int kBlocksOfAny = sizeof(S) == 8 ? 1 : 2;  // per multiprocessor; more spill registers
};

/// The tiles of bytes into 32 bits, and of packed bytes into 64, chosen by measurement. Large images are
/// fastest with one block of many workers per multiprocessor (RGB of 16384 x 16384 at 0.79 of the speed of a
/// copy of the same bytes, with two blocks of 8 workers at 0.75); where all tiles are in work at once, with
/// two smaller blocks (RGB of 1024 x 1024, where its tiles are not resident, in 11.6 us, with large blocks
/// in 13.7). With half as many service warps workers wait for the exchange, which costs a tenth. A lag of two
/// tiles gains 4 % for one channel, where shared memory still has room for as many workers; overlapping the
/// scans of two rows gains 2 % for packed terms.
template <int kIn, int kOut>
struct SatByteTiles;
template <>
struct SatByteTiles<1, 1> {
  using Large = SatTile<SatShape<std::uint8_t, std::uint32_t, 1, 1, 8, 8, 16, 1>, 8, 2>;
  using Small = SatTile<SatShape<std::uint8_t, std::uint32_t, 1, 1, 4, 8, 8, 2>, 4>;
};
template <>
struct SatByteTiles<3, 3> {
  using Large = SatTile<SatShape<std::uint8_t, std::uint32_t, 3, 3, 4, 8, 16, 1>, 8>;
  using Small = SatTile<SatShape<std::uint8_t, std::uint32_t, 3, 3, 4, 8, 8, 1>, 4>;
};
template <>
struct SatByteTiles<4, 4> {
  using Large = SatTile<SatShape<std::uint8_t, std::uint32_t, 4, 4, 4, 8, 12, 1>, 8>;
  using Small = SatTile<SatShape<std::uint8_t, std::uint32_t, 4, 4, 4, 4, 8, 1>, 4>;
};
template <>  // packed
struct SatByteTiles<3, 1> {
  using Large = SatTile<SatShape<std::uint8_t, std::uint64_t, 3, 1, 4, 8, 16, 2>, 8>;
  using Small = SatTile<SatShape<std::uint8_t, std::uint64_t, 3, 1, 4, 8, 8, 1>, 4>;
};

/// Returns whether each block has one tile at most, with kBlocks blocks per multiprocessor.
template <class Tile, int kBlocks, class Task>
bool all_in_work(const Context& context, const Task& task) {
  return tiles_along(task.image.width, Tile::kWidth) * tiles_along(task.height, Tile::kHeight) *
             task.images <=
         kBlocks * context.impl().traits.multiprocessors;
}

template <class Tile, bool kLut, bool kSquared, int kBlocks>
void launch_tiles(Context& context, const SatTask<typename Tile::T, typename Tile::S>& task) {
  std::size_t shared = sizeof(typename Tile::Shared);
  if (!fits<Tile>(context))
    throw Error(ErrorKind::failed, "summed_area_table: takes " + std::to_string(shared) +
                                       " bytes of shared memory a block, more than this GPU has");
  const std::int64_t across = tiles_along(task.image.width, Tile::kWidth);
  const std::int64_t down = tiles_along(task.height, Tile::kHeight);
  if (across * down > INT32_MAX / task.images)
    throw Error(ErrorKind::usage, "summed_area_table: more than 2^31 tiles");
  SatGrid grid = sat_grid<Tile>(context, across, down, task.images);
  // Times with 4 to 16 tiles per group differ by no more than 1 %.
  grid.along_row = {8, 16};
  grid.along_column = {4, 8};

  const auto kernel = sat_kernel<Tile, kLut, kSquared, kBlocks>;
  const Traits& traits = context.impl().traits;
  const std::size_t alone = shared_bytes_alone<Tile>(context);
  SCANLENS_CUDA_CHECK(
      set_kernel_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(alone)));
  int at_once = 0;
  SCANLENS_CUDA_CHECK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, kernel, Tile::kThreads, shared));
  const int blocks = std::min({at_once * traits.multiprocessors, grid.tiles, kMostSatBlocks});
  const bool one_tile_each = blocks == grid.tiles;
  if (one_tile_each) grid.started = sat_started(grid);
  if (grid.tiles <= traits.multiprocessors) shared = alone;
  launch_early(context, kernel, one_tile_each ? Blocks::independent : Blocks::all_at_once,
               dim3(static_cast<unsigned>(blocks)), Tile::kThreads, SharedBytes{shared}, task, grid);
}

template <class Tile, bool kSquared, int kBlocks>
void launch_tiles(Context& context, const SatTask<typename Tile::T, typename Tile::S>& task) {
  if constexpr (sizeof(typename Tile::T) <= 2 && Tile::kIn <= Tile::kOut) {  // not of packed terms
    // Bytes that are summed as they are cannot be weighed: those that are looked up can.
    const bool weighed_bytes =
        sizeof(typename Tile::T) == 1 && sizeof(typename Tile::S) == 4 && task.terms.weigh_by_alpha;
    if (task.terms.lut || weighed_bytes) return launch_tiles<Tile, true, kSquared, kBlocks>(context, task);
  }
  launch_tiles<Tile, false, kSquared, kBlocks>(context, task);
}

template <bool kSquared, int kIn, int kOut, class T, class S>
void launch_table(Context& context, const SatTask<T, S>& task) {
  constexpr bool kWords = std::is_same_v<S, std::uint32_t> && kIn == kOut, kPacked = kIn == 3 && kOut == 1;
  if constexpr (std::is_same_v<T, std::uint8_t> && (kWords || kPacked) && !kSquared) {
    using Large = typename SatByteTiles<kIn, kOut>::Large;
    using Small = typename SatByteTiles<kIn, kOut>::Small;
    if (!all_in_work<Small, 2>(context, task) && fits<Large>(context))
      return launch_tiles<Large, false, 1>(context, task);
    if (fits<Small>(context)) return launch_tiles<Small, false, 2>(context, task);
  }
  using Tiles = SatTiles<T, S, kIn, kOut>;
  if (!all_in_work<typename Tiles::Any, Tiles::kBlocksOfAny>(context, task) &&
      fits<typename Tiles::Large>(context))
    launch_tiles<typename Tiles::Large, kSquared, 1>(context, task);
  else if (fits<typename Tiles::Any>(context))
    launch_tiles<typename Tiles::Any, kSquared, Tiles::kBlocksOfAny>(context, task);
  else
    launch_tiles<typename Tiles::Least, kSquared, 1>(context, task);
}

template <bool kSquared, class T, class S>
void launch_table(Context& context, const SatTask<T, S>& task) {
  if constexpr (std::is_same_v<T, std::uint8_t> && std::is_same_v<S, std::uint32_t> && !kSquared) {
    const SatPlan plan = sat_plan(features_of(task), context.impl().traits);
    if (plan.schedule == TablePlan::resident) return table_by_resident_tiles(context, task, plan.tile_height);
    if (plan.schedule == TablePlan::stripes) return table_by_stripes(context, task, plan);
  }
  if constexpr (std::is_same_v<T, std::uint8_t> && std::is_same_v<S, std::uint64_t> && !kSquared)
    if (task.terms.packed) return launch_table<kSquared, 3, 1>(context, task);
  if (task.image.channels == 1)
    launch_table<kSquared, 1, 1>(context, task);
  else if (task.image.channels == 4)
    launch_table<kSquared, 4, 4>(context, task);
  else if (task.channels == 3)
    launch_table<kSquared, 3, 3>(context, task);
  else
    launch_table<kSquared, 3, 4>(context, task);
}

/// Makes the table of squares, which is `task.table`. core/sat/cuda/squares.cu defines it.
template <class T, class S>
void table_of_squares(Context& context, const SatTask<T, S>& task);

/// Makes the table and, if asked for, that of squares, for which it reads the image again: on an H200 RGB of
/// bytes into 32 bits takes 299 us at 4096 x 4096, and with a kernel that sums both at once, in tiles of six
/// channels of 64 bits, 345 us (1920 x 1080: 48 and 54 us).
template <class T, class S>
void summed_area_table(Context& context, const SatTask<T, S>& task) {
  launch_table<false>(context, task);
  if (!task.squares.origin) return;
  SatTask<T, SquareSum<S>> squares;
  squares.image = task.image;
  squares.images = task.images;
  squares.height = task.height;
  squares.channels = task.channels;
  squares.zeros_left = task.zeros_left;
  squares.above = task.above;
  squares.table = task.squares;
  squares.terms = task.terms;
  table_of_squares(context, squares);
}

}  // namespace scanlens::gpu
