// Circles of confusion on CUDA, and what follows from them.
#include <algorithm>
#include <cstdint>

#include "core/cuda/warp.cuh"
#include "core/cuda/warp_extremes.cuh"
#include "core/runtime/cuda_check.cuh"
#include "filters/dof/circles_cuda.cuh"

namespace scanlens::gpu {
namespace {

constexpr int kBlockWidth = 32;
constexpr int kBlockHeight = 8;

constexpr int kCirclesPerThread = 4;  ///< rows one beneath the other, which lie in one tile

__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    find_circles_kernel(View<const float> disparity, LayeredLens lens, Circles circles) {
  __shared__ int extremes[2];
  if (threadIdx.x + threadIdx.y == 0) extremes[0] = extremes[1] = INT32_MIN;
  __syncthreads();
  const auto width = static_cast<int>(disparity.width), height = static_cast<int>(disparity.height);
  const int x = static_cast<int>(blockIdx.x * kBlockWidth + threadIdx.x);
  const int first = static_cast<int>(blockIdx.y * kBlockHeight + threadIdx.y) * kCirclesPerThread;

  // The circles of three columns: a lane reads its own column, and lanes beside it have the other two. Lanes
  // from 0 on, one row each, and from 16 on read the columns beside the warp.
  constexpr int kRows = kCirclesPerThread + 2, kHalf = kBlockWidth / 2;
  static_assert(kBlockWidth == kWarp && kRows <= kHalf);
  const auto circle_at = [&](int column, int row) {
    return signed_circle(disparity(min(max(column, 0), width - 1), min(max(row, 0), height - 1)), lens);
  };
  const int lane = static_cast<int>(threadIdx.x);
  const float beside =
      circle_at(x - lane + (lane < kHalf ? -1 : kBlockWidth), first + min(lane % kHalf, kRows - 1) - 1);
  float around[kRows][3];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const float own = circle_at(x, first + r - 1);
    const float before = __shfl_up_sync(kAllLanes, own, 1), after = __shfl_down_sync(kAllLanes, own, 1);
    const float outer = __shfl_sync(kAllLanes, beside, lane == 0 ? r : kHalf + r);
    around[r][0] = lane == 0 ? outer : before;
    around[r][1] = own;
    around[r][2] = lane == kBlockWidth - 1 ? outer : after;
  }
  float low_of[kRows], high_of[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    low_of[r] = fminf(fminf(around[r][0], around[r][1]), around[r][2]);
    high_of[r] = fmaxf(fmaxf(around[r][0], around[r][1]), around[r][2]);
  }
  int least = INT32_MIN, most = INT32_MIN;
#pragma unroll
  for (int r = 0; r < kCirclesPerThread; ++r) {
    if (x >= width || first + r >= height) break;
    float own = around[r + 1][1];
    const float low = fminf(fminf(low_of[r], low_of[r + 1]), low_of[r + 2]),
                high = fmaxf(fmaxf(high_of[r], high_of[r + 1]), high_of[r + 2]);
    if (high - low > kLeastMixed)
      own = unmixed_circle([&](int dx, int dy) { return around[r + 1 + dy][1 + dx]; });
    circles.of_pixel(x, first + r) = own;
    least = max(least, ~ordered(own));
    most = max(most, ordered(own));
  }
  // Tiles are 8 pixels large, or 16, or as many warps: lanes that share one share what they find.
  const NearTiles fine = circles.tiles.fine, coarse = circles.tiles.coarse;
  const int sharing = min(fine.side, kBlockWidth);
  int in_tile = most;
  for (int distance = 1; distance < sharing; distance *= 2)
    in_tile = max(in_tile, __shfl_xor_sync(kAllLanes, in_tile, distance));
  if (threadIdx.x % sharing == 0 && x < width && first < height) {
    const int tile_x = x / fine.side, tile_y = first / fine.side;
    atomicMax(circles.greatest + tile_y * fine.across + tile_x, in_tile);
    atomicMax(circles.greatest + fine.across * fine.down + tile_y / 2 * coarse.across + tile_x / 2, in_tile);
  }
  least = warp_greatest(least);
  most = warp_greatest(most);
  if (threadIdx.x == 0) {
    atomicMax(&extremes[0], least);
    atomicMax(&extremes[1], most);
  }
  __syncthreads();
  // A block lies in one tile of the fields.
  static_assert(kFieldTileWidth % kBlockWidth == 0 && kFieldTileHeight == kBlockHeight * kCirclesPerThread);
  if (threadIdx.y == 0 && threadIdx.x < 2) {
    const int tile = static_cast<int>(blockIdx.y) * circles.field_tiles_across +
                     static_cast<int>(blockIdx.x) / (kFieldTileWidth / kBlockWidth);
    atomicMax(circles.extremes + threadIdx.x, extremes[threadIdx.x]);
    atomicMax(circles.of_field_tile + 2 * tile + threadIdx.x, extremes[threadIdx.x]);
  }
}

/// Results from the circles: the cuts, and the nearest circle around each fine tile.
__global__ void find_cuts(Circles circles, int layers) {
  const int tile = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
            across = circles.tiles.fine.across;
  if (tile == 0)
    *circles.cuts = layer_cuts(layers, from_ordered<float>(~circles.extremes[0]),
                               from_ordered<float>(circles.extremes[1]));
  if (tile < across * circles.tiles.fine.down)
    circles.nearest[tile] = circles.tiles.nearest_around(
        circles.greatest, tile % across, tile / across, [](int value) { return from_ordered<float>(value); });
}

/// The reach of a tile's deposits beyond it, and their layers.
struct Reach {
  int across, down;
  std::uint32_t layers;
};

struct GroupShapes {
  SpreadShapes of[kGroupSizes];
  FrameTask frame;
};

/// Shapes, and the layers of circles, grow with the circle: the extremes say all. So do means of groups,
/// which lie between them.
__device__ Reach reach_of(float least, float most, const LayerCuts& cuts, const GroupShapes& shapes,
                          const LampDiscs& discs) {
  Reach reach{};
  if (!deposits(least) && !deposits(most)) return reach;
  const int first = layer_share(most, cuts).layer, last = layer_of(least, cuts);
  reach.layers = (2u << last) - (1u << first);
  const float radius = fmaxf(fabsf(least), fabsf(most));
  reach.across = lamp_reach(radius, discs.per_spacing, discs.across);
  reach.down = lamp_reach(radius, discs.per_spacing, discs.down);
  for (int i = 0; i < kGroupSizes; ++i) {
    if (shapes.frame.words) {
      reach.across = max(reach.across, reach_of_stacks(shapes.frame, i, radius, 0) + 1 + kMostGroupShift);
      reach.down = max(reach.down, reach_of_stacks(shapes.frame, i, radius, 1) + 1 + kMostGroupShift);
      continue;
    }
    const SpreadShapes& of_group = shapes.of[i];
    const SpreadShape& shape = of_group.first[shape_of_radius(of_group.first, of_group.count, radius) + 1];
    reach.across = max(reach.across, shape.half_width[0] + (1 << i) + kMostGroupShift);
    reach.down = max(reach.down, shape.half_height[shape.steps - 1] + (1 << i) + kMostGroupShift);
  }
  return reach;
}

constexpr int kMostMarked = 1024;  ///< tiles; a tile that reaches more marks all at once, in constant time

/// A warp has a tile, and marks those that its pixels reach.
__global__ void mark_tiles(Circles circles, GroupShapes shapes, LampDiscs discs, FieldTiles fields) {
  const auto tile = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / kWarp);
  if (tile >= fields.across * fields.down) return;
  const int* const extremes = circles.of_field_tile + 2 * tile;
  const Reach reach = reach_of(from_ordered<float>(~extremes[0]), from_ordered<float>(extremes[1]),
                               *circles.cuts, shapes, discs);
  if (reach.layers == 0) return;
  const int x = tile % fields.across * kFieldTileWidth, y = tile / fields.across * kFieldTileHeight;
  const int x0 = max(x - reach.across, 0) / kFieldTileWidth,
            x1 = min((x + kFieldTileWidth - 1 + reach.across) / kFieldTileWidth, fields.across - 1),
            y0 = max(y - reach.down, 0) / kFieldTileHeight,
            y1 = min((y + kFieldTileHeight - 1 + reach.down) / kFieldTileHeight, fields.down - 1);
  const int columns = x1 - x0 + 1, count = columns * (y1 - y0 + 1);
  const auto mark = [&](int marked) {
    // Most are marked already, and a read is cheaper.
    if (~fields.layers[marked] & reach.layers) atomicOr(fields.layers + marked, reach.layers);
  };
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (count > kMostMarked) {
    if (lane == 0) mark(fields.across * fields.down);
    return;
  }
  for (int i = lane; i < count; i += kWarp) mark((y0 + i / columns) * fields.across + x0 + i % columns);
}

}  // namespace

Circles find_circles(Context& context, Workspace& workspace, View<const float> disparity,
                     const LayeredLens& lens, int layers) {
  const std::int64_t width = disparity.width, height = disparity.height;
  const cudaStream_t stream = stream_of(context);
  Circles circles{};
  circles.of_pixel = View<float>(workspace.take<float>(width * height), width, height);
  circles.tiles = near_levels(width, height, widest_circle(lens));
  const FieldElements fields(width, height, 0);
  circles.field_tiles_across = static_cast<int>(fields.across);
  const std::int64_t tiles = circles.tiles.count(), ordered = tiles + 2 * (1 + fields.tiles);
  circles.greatest = workspace.take<int>(ordered);
  circles.extremes = circles.greatest + tiles;
  circles.of_field_tile = circles.extremes + 2;
  const std::int64_t fine_tiles = circles.tiles.fine.count();
  circles.nearest = workspace.take<float>(fine_tiles);
  circles.cuts = workspace.take<LayerCuts>(1);
  // All bytes 0x80 are less than what any circle is ordered as.
  SCANLENS_CUDA_CHECK(cudaMemsetAsync(circles.greatest, 0x80, static_cast<std::size_t>(ordered) * 4, stream));
  const auto blocks = [](std::int64_t size, int per_block) {
    return static_cast<unsigned>((size + per_block - 1) / per_block);
  };
  SCANLENS_CUDA_CHECK(launch_kernel(
      find_circles_kernel, dim3(blocks(width, kBlockWidth), blocks(height, kBlockHeight * kCirclesPerThread)),
      dim3(kBlockWidth, kBlockHeight), 0, stream, disparity, lens, circles));
  constexpr int kThreads = 256;
  SCANLENS_CUDA_CHECK(launch_kernel(find_cuts, dim3(blocks(fine_tiles, kThreads)), dim3(kThreads), 0, stream,
                                    circles, layers));
  return circles;
}

void mark_reached_tiles(Context& context, const Circles& circles, const SpreadShapes (&shapes)[kGroupSizes],
                        const FrameTask& frame, const LampDiscs& discs, const FieldTiles& fields) {
  const std::int64_t tiles = std::int64_t{fields.across} * fields.down;
  SCANLENS_CUDA_CHECK(
      cudaMemsetAsync(fields.layers, 0, static_cast<std::size_t>(tiles + 1) * 4, stream_of(context)));
  GroupShapes of_groups;
  std::copy_n(shapes, kGroupSizes, of_groups.of);
  of_groups.frame = frame;
  constexpr int kThreads = 128;
  SCANLENS_CUDA_CHECK(
      launch_kernel(mark_tiles, dim3(static_cast<unsigned>((tiles * kWarp + kThreads - 1) / kThreads)),
                    dim3(kThreads), 0, stream_of(context), circles, of_groups, discs, fields));
}

}  // namespace scanlens::gpu
