// Moves the jumps of a map to the edges of its photo, on CUDA. A block of threads has a tile that holds
// jumps, and four lanes a pixel near one. Nothing waits for the device before the end: rounds read the length
// of their lists there.
#include <algorithm>
#include <limits>

#include "core/image.h"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"
#include "filters/depth/cuda/values.cuh"

namespace scanlens::gpu {
namespace {

constexpr int kTile = 16, kThreads = kTile * kTile;
constexpr int kHalo = kJumpReach, kLoaded = kTile + 2 * kHalo;  ///< pixels around it; a side with them
constexpr int kQuad = 4;                                        ///< lanes of a pixel
static_assert(kTile == 2 * kJumpBlock);

/// A pixel that a round looks at.
struct Moving {
  std::uint32_t pixel;
  float depth;   ///< its new one; then its old one
  float near;    ///< of one that is near in part: the nearer layer's; else NaN
  float middle;  ///< between the layers
};

/// Counts of a round.
struct Round {
  unsigned tiles, pixels, moved;
};

/// Memory of all rounds.
struct Moves {
  const float* range;
  View<ValueRange> blocks;   ///< of 8 x 8 pixels
  std::uint8_t* changed[2];  ///< 1 for blocks that changed in the last round, and in this one
  std::uint32_t* tiles;      ///< that a round looks at
  int tiles_across, tiles_down;
  Moving* pixels;
  Round* rounds;
  Extremes* extremes;
};

/// Finds the ranges of blocks: a thread has a column of one, and eight lanes a block.
__global__ void __launch_bounds__(kThreads) find_blocks(View<const float> map, View<ValueRange> blocks) {
  const auto x = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  const int top = static_cast<int>(blockIdx.y) * kJumpBlock;
  const auto column = static_cast<int>(within(x, map.width));  // lanes beyond it repeat the last one
  float low = map(column, top), high = low;
  for (int y = top + 1; y < min(top + kJumpBlock, static_cast<int>(map.height)); ++y) {
    const float value = map(column, y);
    low = less_of(low, value);
    high = more_of(high, value);
  }
#pragma unroll
  for (int distance = 1; distance < kJumpBlock; distance *= 2) {
    low = less_of(low, shuffle_xor(low, distance));
    high = more_of(high, shuffle_xor(high, distance));
  }
  if (x % kJumpBlock == 0 && x < map.width) blocks(x / kJumpBlock, blockIdx.y) = {low, high};
}

/// Returns true if blocks in a tile, with those around each, may hold a jump.
__device__ bool may_jump(const Moves& moves, int tile_x, int tile_y, float range) {
  for (int block_y = 2 * tile_y; block_y < min(2 * tile_y + 2, static_cast<int>(moves.blocks.height));
       ++block_y)
    for (int block_x = 2 * tile_x; block_x < min(2 * tile_x + 2, static_cast<int>(moves.blocks.width));
         ++block_x) {
      ValueRange around = moves.blocks(block_x, block_y);
      for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) {
          const ValueRange each =
              moves.blocks(within(block_x + i, moves.blocks.width), within(block_y + j, moves.blocks.height));
          around = {less_of(around.least, each.least), more_of(around.most, each.most)};
        }
      if (!has_no_jump(around.most - around.least, range)) return true;
    }
  return false;
}

/// Returns true if blocks of a tile or around it changed in the last round.
__device__ bool has_changed(const Moves& moves, int tile_x, int tile_y) {
  bool changed = false;
  for (int j = -1; j <= 2; ++j)
    for (int i = -1; i <= 2; ++i)
      changed |= moves.changed[0][within(2 * tile_y + j, moves.blocks.height) * moves.blocks.width +
                                  within(2 * tile_x + i, moves.blocks.width)] != 0;
  return changed;
}

/// Lists the tiles that a round looks at, in any order.
__global__ void __launch_bounds__(kThreads) list_tiles(Moves moves, int round) {
  const auto tile = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (tile >= moves.tiles_across * moves.tiles_down) return;
  const int x = tile % moves.tiles_across, y = tile / moves.tiles_across;
  const float range = *moves.range;
  if (!(range >= kLeastJumpRange)) return;
  if (round == 0 ? may_jump(moves, x, y, range) : has_changed(moves, x, y))
    moves.tiles[atomicAdd(&moves.rounds[round].tiles, 1u)] = static_cast<std::uint32_t>(tile);
}

/// A tile with pixels around it.
struct Tile {
  float depth[kLoaded][kLoaded + 1], low[kLoaded][kLoaded + 1], high[kLoaded][kLoaded + 1],
      rough[kLoaded][kLoaded + 1];
  uchar4 codes[kLoaded][kLoaded];
  float light[256], weights[kJumpSide * (kJumpSide + 1)];
  unsigned count, first;  ///< of the pixels that are looked at; their first place in the round's list
  std::uint16_t at[kThreads];
  float lows[kThreads], highs[kThreads];
};

/// Calls work(x, y) for all loaded pixels but for `margin` at each side.
template <class Work>
__device__ void for_loaded(int margin, const Work& work) {
  const int side = kLoaded - 2 * margin;
  for (int i = static_cast<int>(threadIdx.x); i < side * side; i += kThreads)
    work(margin + i % side, margin + i / side);
}

/// Lists the pixels of a tile that are near a jump and are looked at.
__device__ void find_candidates(const View<float>& map, const Moves& moves, int left, int top, bool first,
                                Tile& tile) {
  for_loaded(0, [&](int x, int y) {
    tile.depth[y][x] = map(within(left + x - kHalo, map.width), within(top + y - kHalo, map.height));
  });
  if (threadIdx.x == 0) tile.count = 0;
  __syncthreads();
  for_loaded(1, [&](int x, int y) {
    float low = tile.depth[y - 1][x - 1], high = low;
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i) {
        low = less_of(low, tile.depth[y + j][x + i]);
        high = more_of(high, tile.depth[y + j][x + i]);
      }
    tile.low[y][x] = low;
    tile.high[y][x] = high;
  });
  __syncthreads();
  const int own_x = static_cast<int>(threadIdx.x) % kTile, own_y = static_cast<int>(threadIdx.x) / kTile;
  const int x = own_x + kHalo, y = own_y + kHalo, column = left + own_x, row = top + own_y;
  float low = tile.low[y][x], high = tile.high[y][x], steepest = high - low;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) {
      low = less_of(low, tile.low[y + 2 * j][x + 2 * i]);
      high = more_of(high, tile.high[y + 2 * j][x + 2 * i]);
      steepest = more_of(steepest, tile.high[y + j][x + i] - tile.low[y + j][x + i]);
    }
  if (column < map.width && row < map.height && is_at_jump(low, high, steepest, *moves.range)) {
    const auto changed = [&](int i, int j) {
      return moves.changed[0][within(row + j, map.height) / kJumpBlock * moves.blocks.width +
                              within(column + i, map.width) / kJumpBlock] != 0;
    };
    if (first || changed(-kJumpReach, -kJumpReach) || changed(kJumpReach, -kJumpReach) ||
        changed(-kJumpReach, kJumpReach) || changed(kJumpReach, kJumpReach)) {
      const unsigned place = atomicAdd(&tile.count, 1u);
      tile.at[place] = static_cast<std::uint16_t>(threadIdx.x);
      tile.lows[place] = low;
      tile.highs[place] = high;
    }
  }
  __syncthreads();
}

template <class T>
__device__ void load_colors(const JumpTask<T>& task, int left, int top, Tile& tile) {
  const View<const T>& photo = task.photo;
  for_loaded(0, [&](int x, int y) {
    const T* const pixel = photo.row(within(top + y - kHalo, photo.height)) +
                           within(left + x - kHalo, photo.width) * photo.channels;
    const auto code = [&](int c) {
      return static_cast<unsigned char>(jump_code(pixel[photo.channels < 3 ? 0 : c], task.tables.codes));
    };
    tile.codes[y][x] = {code(0), code(1), code(2), 0};
  });
  __syncthreads();
  for_loaded(1, [&](int x, int y) {
    const auto add = [&](float& sum, auto of) {
      const auto light = [&](int column, int row) { return tile.light[tile.codes[row][column].*of]; };
      sum += roughness(light(x, y), light(x, y - 1), light(x, y + 1), light(x - 1, y), light(x + 1, y));
    };
    float sum = 0;
    add(sum, &uchar4::x);
    add(sum, &uchar4::y);
    add(sum, &uchar4::z);
    tile.rough[y][x] = sum;
  });
  __syncthreads();
}

/// Sets the colour and the light of a pixel.
__device__ void look_up(const Tile& tile, uchar4 code, float (&color)[3], float (&light)[3]) {
  const int codes[3] = {code.x, code.y, code.z};
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    color[c] = static_cast<float>(codes[c]) * (1 / 255.f);
    light[c] = tile.light[codes[c]];
  }
}

/// Returns the new depth of a pixel. Each of four lanes has every fourth column of its window.
__device__ JumpDepth depth_of(const Tile& tile, unsigned candidate, JumpMiddle& middle) {
  const int x = tile.at[candidate] % kTile + kHalo, y = tile.at[candidate] / kTile + kHalo;
  const int lane = static_cast<int>(threadIdx.x) % kQuad;
  middle = {tile.depth[y][x], tile.lows[candidate], tile.highs[candidate], {}, {}};
  look_up(tile, tile.codes[y][x], middle.color, middle.light);
  JumpSums<float> sums;
  for (int j = 0; j < kJumpSide; ++j)
    for (int i = lane; i < kJumpSide; i += kQuad) {
      const int column = x - kJumpWindow + i, row = y - kJumpWindow + j;
      float colors[3], lights[3];
      look_up(tile, tile.codes[row][column], colors, lights);
      sums.add(middle, tile.weights[(kJumpSide + 1) * j + i], tile.depth[row][column], tile.low[row][column],
               tile.high[row][column], colors, lights, tile.rough[row][column]);
    }
  return jump_depth(sums.summed([](float value) {
    value += shuffle_xor(value, 1);
    return value + shuffle_xor(value, 2);
  }),
                    middle);
}

/// Finds the new depths of the pixels of listed tiles.
template <class T>
__global__ void __launch_bounds__(kThreads)
    find_depths(const __grid_constant__ JumpTask<T> task, const __grid_constant__ Moves moves, int round) {
  __shared__ Tile tile;
  const unsigned count = moves.rounds[round].tiles;
  if (blockIdx.x >= count) return;
  const auto thread = threadIdx.x;
  tile.light[thread] = task.tables.light[thread];
  if (thread < kJumpSide * (kJumpSide + 1)) tile.weights[thread] = task.tables.weights[thread];
  for (unsigned i = blockIdx.x; i < count; i += gridDim.x) {
    const auto number = static_cast<int>(moves.tiles[i]);
    const int left = number % moves.tiles_across * kTile, top = number / moves.tiles_across * kTile;
    __syncthreads();  // the last tile has been read
    find_candidates(task.map, moves, left, top, round == 0, tile);
    if (tile.count == 0) continue;
    if (thread == 0) tile.first = atomicAdd(&moves.rounds[round].pixels, tile.count);
    load_colors(task, left, top, tile);
    for (unsigned base = 0; base < tile.count; base += kThreads / kQuad) {
      const unsigned candidate = base + thread / kQuad;
      JumpMiddle middle;
      const JumpDepth found = depth_of(tile, min(candidate, tile.count - 1), middle);
      if (candidate >= tile.count || thread % kQuad != 0) continue;
      const int x = left + tile.at[candidate] % kTile, y = top + tile.at[candidate] / kTile;
      moves.pixels[tile.first + candidate] = {
          static_cast<std::uint32_t>(y * task.map.width + x), found.depth,
          found.partly ? found.near : std::numeric_limits<float>::quiet_NaN(), middle.between()};
    }
  }
}

/// Calls work(pixel) for the pixels that a round looks at.
template <class Work>
__device__ void for_moving(const Moves& moves, int round, const Work& work) {
  const unsigned count = moves.rounds[round].pixels;
  for (unsigned i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads)
    work(moves.pixels[i]);
}

__device__ float& depth_at(const View<float>& map, std::uint32_t pixel) {
  return map(pixel % map.width, pixel / map.width);
}

/// Puts new depths into the map, and keeps the old ones.
__global__ void __launch_bounds__(kThreads) exchange(View<float> map, Moves moves, int round) {
  for_moving(moves, round, [&](Moving& pixel) {
    float& depth = depth_at(map, pixel.pixel);
    const float before = depth;
    depth = pixel.depth;
    pixel.depth = before;
  });
}

/// Forgets pixels that are near in part where no neighbour is one of the nearer layer.
__global__ void __launch_bounds__(kThreads) look_around(View<const float> map, Moves moves, int round) {
  for_moving(moves, round, [&](Moving& pixel) {
    if (isnan(pixel.near)) return;
    const auto column = static_cast<std::int64_t>(pixel.pixel) % map.width,
               row = static_cast<std::int64_t>(pixel.pixel) / map.width;
    bool near = false;
    for (int j = -1; j <= 1; ++j)
      for (int i = -1; i <= 1; ++i)
        near |= map(within(column + i, map.width), within(row + j, map.height)) > pixel.middle;
    if (!near) pixel.near = std::numeric_limits<float>::quiet_NaN();
  });
}

/// Gives the other ones to the nearer layer, and notes the pixels that changed.
__global__ void __launch_bounds__(kThreads) finish_round(View<float> map, Moves moves, int round) {
  const float range = *moves.range;
  unsigned moved = 0;
  for_moving(moves, round, [&](Moving& pixel) {
    float& depth = depth_at(map, pixel.pixel);
    if (!isnan(pixel.near)) depth = pixel.near;
    if (!has_moved(pixel.depth, depth, range)) return;
    ++moved;
    moves.changed[1][pixel.pixel / map.width / kJumpBlock * moves.blocks.width +
                     pixel.pixel % map.width / kJumpBlock] = 1;
  });
  moved = warp_total(moved);
  if (threadIdx.x % kWarp == 0 && moved > 0) atomicAdd(&moves.rounds[round].moved, moved);
}

__global__ void __launch_bounds__(kThreads) find_extremes(View<const float> map, Extremes* extremes) {
  Extremes own = kNoExtremes;
  for (std::int64_t y = blockIdx.x; y < map.height; y += gridDim.x)
    for (std::int64_t x = threadIdx.x; x < map.width; x += kThreads) own.add(map(x, y));
  collect(own, extremes);
}

/// Takes the memory of all rounds.
Moves take_memory(Workspace& workspace, View<const float> map) {
  Moves moves{};
  const std::int64_t across = (map.width + kJumpBlock - 1) / kJumpBlock,
                     down = (map.height + kJumpBlock - 1) / kJumpBlock;
  moves.blocks = View(workspace.take<ValueRange>(across * down), across, down);
  for (std::uint8_t*& changed : moves.changed) changed = workspace.take<std::uint8_t>(across * down);
  moves.tiles_across = static_cast<int>((map.width + kTile - 1) / kTile);
  moves.tiles_down = static_cast<int>((map.height + kTile - 1) / kTile);
  moves.tiles = workspace.take<std::uint32_t>(std::int64_t{moves.tiles_across} * moves.tiles_down);
  moves.pixels = workspace.take<Moving>(map.width * map.height);
  moves.rounds = workspace.take<Round>(kJumpRounds);
  moves.extremes = workspace.take<Extremes>(1);
  return moves;
}

}  // namespace

template <class T>
void move_map_jumps(Context& context, const JumpTask<T>& task, MovedJumps& moved) {
  Workspace workspace(context);
  const cudaStream_t stream = stream_of(context);
  const View<float>& map = task.map;
  Moves moves = take_memory(workspace, map);
  moves.range = find_range(context, workspace, map);
  SCANLENS_CUDA_CHECK(cudaMemsetAsync(moves.rounds, 0, kJumpRounds * sizeof(Round), stream));
  SCANLENS_CUDA_CHECK(cudaMemsetAsync(moves.extremes, 0x80, sizeof(Extremes), stream));
  SCANLENS_CUDA_CHECK(launch_kernel(
      find_blocks, dim3(blocks_for(map.width, kThreads), static_cast<unsigned>(moves.blocks.height)),
      dim3(kThreads), 0, stream, map, moves.blocks));
  const std::int64_t tiles = std::int64_t{moves.tiles_across} * moves.tiles_down;
  constexpr std::int64_t kBlocksEach = 8;  // of a multiprocessor
  const auto most = kBlocksEach * traits_of(context).multiprocessors;
  const dim3 threads(kThreads), of_tiles(static_cast<unsigned>(std::min(tiles, most))),
      of_pixels(static_cast<unsigned>(std::min(tiles, most)));
  for (int round = 0; round < kJumpRounds; ++round) {
    SCANLENS_CUDA_CHECK(
        launch_kernel(list_tiles, dim3(blocks_for(tiles, kThreads)), threads, 0, stream, moves, round));
    SCANLENS_CUDA_CHECK(launch_kernel(find_depths<T>, of_tiles, threads, 0, stream, task, moves, round));
    SCANLENS_CUDA_CHECK(launch_kernel(exchange, of_pixels, threads, 0, stream, map, moves, round));
    SCANLENS_CUDA_CHECK(launch_kernel(look_around, of_pixels, threads, 0, stream, map, moves, round));
    SCANLENS_CUDA_CHECK(cudaMemsetAsync(
        moves.changed[1], 0, static_cast<std::size_t>(moves.blocks.width * moves.blocks.height), stream));
    SCANLENS_CUDA_CHECK(launch_kernel(finish_round, of_pixels, threads, 0, stream, map, moves, round));
    std::swap(moves.changed[0], moves.changed[1]);
  }
  SCANLENS_CUDA_CHECK(launch_kernel(find_extremes, of_tiles, threads, 0, stream, map, moves.extremes));
  Round rounds[kJumpRounds];
  Extremes extremes;
  copy_bytes(context, moves.rounds, 0, rounds, 0, sizeof(rounds), 1);
  copy_bytes(context, moves.extremes, 0, &extremes, 0, sizeof(extremes), 1);
  context.synchronize();
  moved.pixels = 0;
  for (const Round& each : rounds) moved.pixels += each.moved;
  moved.values = range_of(extremes);
}

SCANLENS_INSTANTIATE_JUMPS

}  // namespace scanlens::gpu
