// The summed-area table on CUDA: one launch, the image read once, the table written once.
//
// The image is cut into tiles, which persistent blocks take in turn. A tile goes through four steps, and the
// steps of a block's neighbouring tiles overlap:
//
// - load: every worker warp brings its rows of the tile to its own ring in shared memory, two tiles ahead.
// - measure: the workers sum the tile's rows and columns. The service warps publish these sums.
// - exchange: the service warps add up the row sums of the tiles to the left: left(y), the sum of row y
//   before the tile. They add up the column sums of the tiles above: up(x), the sum of column x above it. The
//   sum of left(y) over all rows above is the corner: tiles publish their own share of it, once they know
//   left(y).
// - finish: the workers, who have measured the next tile or two meanwhile, write the tile's entries:
//   table(x, y) = table(x, y - 1) + left(y) + image(x0, y) + … + image(x, y), beginning above the tile with
//   corner + up(x0) + … + up(x).
//
// core/sat/plan.cpp gives small 8-bit images to tiles that stay in shared memory
// (core/sat/cuda/resident.cuh), and wide ones to stripes (core/sat/cuda/stripes.cuh).
//
// Looking back ends at the nearest tile that published the sum of all tiles up to itself: every 128th of a
// row, every 32nd of a column. Every wait ends, because each block measures its tiles in order and a tile
// waits only for tiles of lower numbers: either all blocks run at once (a cooperative launch), or each block
// has one tile, numbered in the order in which blocks start. The order of additions is fixed.
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
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"
#include "core/sat/cuda/service.cuh"
#include "core/sat/cuda/tile.cuh"
#include "core/sat/cuda/worker.cuh"
#include "core/sat/limits.h"

namespace scanlens::gpu {

/// The GPUs that a kernel is for. Code for other architectures has no body for it and fails when it is
/// launched.
enum class Gpus {
  all,
  hopper,  ///< compute capability 9.0 and newer
  turing,  ///< 7.5
};

/// True if code for the architecture that is being compiled runs on such GPUs.
template <Gpus kGpus>
SCANLENS_HOST_DEVICE constexpr bool runs_on() {
#ifdef __CUDA_ARCH__
  return kGpus == Gpus::all || (kGpus == Gpus::hopper ? __CUDA_ARCH__ >= 900 : __CUDA_ARCH__ < 800);
#else
  return false;
#endif
}

/// Does the work of a block of sat_kernel.
template <class Tile, bool kLut, bool kSquared>
__device__ __forceinline__ void make_tiles(const SatTask<typename Tile::T, typename Tile::S>& task,
                                           const SatGrid& grid) {
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
      for (Barrier& loaded : of_warp) loaded.init(Barrier::kCopyArrivals);
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

/// Makes a table by tiles. With kSquared it sums squares, and Tile::S is the SquareSum of a table's type.
template <class Tile, bool kLut, bool kSquared, int kBlocks, Gpus kGpus>
__global__ void __launch_bounds__(Tile::kThreads, kBlocks)
    sat_kernel(const __grid_constant__ SatTask<typename Tile::T, typename Tile::S> task,
               const __grid_constant__ SatGrid grid) {
  if constexpr (runs_on<kGpus>())
    make_tiles<Tile, kLut, kSquared>(task, grid);
  else
    __trap();
}

/// Bytes of shared memory that a block can have: on the smallest GPUs from compute capability 8.0 on
/// (8.6, 8.9, 12.0), and on 7.5.
constexpr std::size_t kSharedOfAll = 99 * 1024, kSharedOfTuring = 64 * 1024;

/// The tiles of a kind of table, in several sizes. Shared memory limits the rows of a warp.
template <class T, class S, int kIn, int kOut>
struct SatFittingTiles {
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
  /// Any fits the shared memory of every GPU of compute capability 8.0 or newer, unless Medium takes its
  /// place on the smaller ones; on 8.0 and 9.0 two of its blocks fit a multiprocessor.
  static constexpr int kPixelsOfAny = sizeof(S) == 8 && kIn * sizeof(T) % 2 == 0 ? 2 : 4;
  using Any = decltype(fitting<kSharedOfAll, kPixelsOfAny, 8, 4>());
  /// Least is for compute capability 7.5, where Any does not fit.
  using Least = decltype(fitting<kSharedOfTuring, kPixelsOfAny, 8, 4>());
  static constexpr int kBlocksOfAny = sizeof(S) == 8 ? 1 : 2;  // per multiprocessor; more spill registers
};

/// The tiles of bytes into 32 bits, and of packed bytes into 64, chosen by measurement. Large images are
/// fastest with one block of many workers per multiprocessor (RGB of 16384 x 16384 at 0.79 of the speed of a
/// copy of the same bytes, with two blocks of 8 workers at 0.75); where all tiles are in work at once, with
/// two smaller blocks (RGB of 1024 x 1024, where its tiles are not resident, in 11.6 us, with large blocks
/// in 13.7). With half as many service warps workers wait for the exchange, which costs a tenth. A lag of two
/// tiles gains 4 % for one channel, where shared memory still has room for as many workers; overlapping the
/// scans of two rows gains 2 % for packed terms.
template <class T, class S, int kIn, int kOut>
struct SatTiles : SatFittingTiles<T, S, kIn, kOut> {};
template <>
struct SatTiles<std::uint8_t, std::uint32_t, 1, 1> : SatFittingTiles<std::uint8_t, std::uint32_t, 1, 1> {
  using Large = SatTile<SatShape<std::uint8_t, std::uint32_t, 1, 1, 8, 8, 16, 1>, 8, 2>;
  using Any = SatTile<SatShape<std::uint8_t, std::uint32_t, 1, 1, 4, 8, 8, 2>, 4>;
  static constexpr int kBlocksOfAny = 2;
};
template <>
struct SatTiles<std::uint8_t, std::uint32_t, 3, 3> : SatFittingTiles<std::uint8_t, std::uint32_t, 3, 3> {
  using Large = SatTile<SatShape<std::uint8_t, std::uint32_t, 3, 3, 4, 8, 16, 1>, 8>;
  using Any = SatTile<SatShape<std::uint8_t, std::uint32_t, 3, 3, 4, 8, 8, 1>, 4>;
  using Medium = SatTile<SatShape<std::uint8_t, std::uint32_t, 3, 3, 4, 4, 12, 1>, 4>;
  static constexpr int kBlocksOfAny = 2;
};
template <>
struct SatTiles<std::uint8_t, std::uint32_t, 4, 4> : SatFittingTiles<std::uint8_t, std::uint32_t, 4, 4> {
  using Large = SatTile<SatShape<std::uint8_t, std::uint32_t, 4, 4, 4, 8, 12, 1>, 8>;
  using Any = SatTile<SatShape<std::uint8_t, std::uint32_t, 4, 4, 4, 4, 8, 1>, 4>;
  static constexpr int kBlocksOfAny = 2;
};
template <>  // packed
struct SatTiles<std::uint8_t, std::uint64_t, 3, 1> : SatFittingTiles<std::uint8_t, std::uint64_t, 3, 1> {
  using Large = SatTile<SatShape<std::uint8_t, std::uint64_t, 3, 1, 4, 8, 16, 2>, 8>;
  using Any = SatTile<SatShape<std::uint8_t, std::uint64_t, 3, 1, 4, 8, 8, 1>, 4>;
  static constexpr int kBlocksOfAny = 2;
};

/// Returns true if each block has one tile at most, with kBlocks blocks per multiprocessor.
template <class Tile, int kBlocks, class Task>
bool all_in_work(const Context& context, const Task& task) {
  return tiles_along(task.image.width, Tile::kWidth) * tiles_along(task.height, Tile::kHeight) *
             task.images <=
         kBlocks * traits_of(context).multiprocessors;
}

template <class Tile, bool kLut, bool kSquared, int kBlocks, Gpus kGpus>
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

  const auto kernel = sat_kernel<Tile, kLut, kSquared, kBlocks, kGpus>;
  const Traits& traits = traits_of(context);
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

/// Makes a table, of squares if kSquared, of an image of kIn channels. kLut: samples are looked up.
template <bool kSquared, bool kLut, int kIn, int kOut, class T, class S>
void launch_table(Context& context, const SatTask<T, S>& task) {
  using Tiles = SatTiles<T, S, kIn, kOut>;
  using Any = typename Tiles::Any;
  using Large = typename Tiles::Large;
  if (!all_in_work<Any, Tiles::kBlocksOfAny>(context, task) && fits<Large>(context)) {
    // A newer GPU may run code for older ones, which has no body for this kernel.
    const auto kernel = sat_kernel<Large, kLut, kSquared, 1, Gpus::hopper>;
    if (has_hopper_code(context, reinterpret_cast<const void*>(kernel)))
      return launch_tiles<Large, kLut, kSquared, 1, Gpus::hopper>(context, task);
  }
  if constexpr (sizeof(typename Any::Shared) > kSharedOfAll) {
    using Medium = typename Tiles::Medium;
    if (!fits<Any>(context) && fits<Medium>(context))
      return launch_tiles<Medium, kLut, kSquared, 1, Gpus::all>(context, task);
  }
  if constexpr (sizeof(typename Any::Shared) > kSharedOfTuring)
    if (!fits<Any>(context))
      return launch_tiles<typename Tiles::Least, kLut, kSquared, 1, Gpus::turing>(context, task);
  launch_tiles<Any, kLut, kSquared, Tiles::kBlocksOfAny, Gpus::all>(context, task);
}

}  // namespace scanlens::gpu
