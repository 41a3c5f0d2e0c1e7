// Depth of field by layers on CUDA: circles and cuts, spreading, the fill's table, and the layers laid one
// over the other.
#include <cstdint>

#include "core/cuda/warp.cuh"
#include "core/cuda/warp_extremes.cuh"
#include "core/runtime/cuda_check.cuh"
#include "core/sat.h"
#include "core/sat_box.h"
#include "core/spread/cuda.cuh"
#include "filters/dof/composite.h"
#include "filters/dof/layered.h"

namespace scanlens::gpu {
namespace {

constexpr int kBlockWidth = 32;
constexpr int kBlockHeight = 8;

/// What is known of the circles of confusion of a picture.
struct Circles {
  View<float> of_pixel;
  int* greatest;   ///< of each tile: its greatest circle, ordered
  float* nearest;  ///< of each fine tile: the greatest circle around it
  int* extremes;   ///< the complement of the least circle, and the greatest, both ordered
  LayerCuts* cuts;
  NearLevels tiles;
};

constexpr int kCirclesPerThread = 4;  ///< rows one beneath the other, which lie in one tile

__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    find_circles(View<const float> disparity, LayeredLens lens, Circles circles) {
  __shared__ int extremes[2];
  if (threadIdx.x + threadIdx.y == 0) extremes[0] = extremes[1] = INT32_MIN;
  __syncthreads();
  const auto width = static_cast<int>(disparity.width), height = static_cast<int>(disparity.height);
  const int x = static_cast<int>(blockIdx.x * kBlockWidth + threadIdx.x);
  const int first = static_cast<int>(blockIdx.y * kBlockHeight + threadIdx.y) * kCirclesPerThread;

  // The circles of three columns: a lane reads its own, and those beside it have the others. What lies beside
  // the warp is read by the lanes from 0 on, one row each, and by those from 16 on.
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
  if (threadIdx.y == 0 && threadIdx.x < 2) atomicMax(circles.extremes + threadIdx.x, extremes[threadIdx.x]);
}

/// What follows from the circles: the cuts, and what is nearest around each fine tile.
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

/// What pixels deposit.
template <class T, int kSamples>
struct LayeredSource {
  static constexpr int kChannels = kLightChannels<kSamples>, kRows = kMostGroup;
  using Values = SpreadValues<kChannels>;

  LayeredSource(const LayeredTask<T>& what, const Circles& circles)
      : task(what), circle(circles.of_pixel), cuts(circles.cuts) {}

  __device__ int layer(int x, int y) const {
    const float c = circle(x, y);
    return deposits(c) ? layer_of(c, *cuts) : -1;
  }

  /// A lane has a column of a group, and lanes side by side the others. What is not kept in an array takes no
  /// local memory, so light is read where it is spread, once for each pixel.
  template <class Add>
  __device__ void deposit(int x, int y, const Add& add) const {
    if (deposit_as_one<4>(x, y, add)) return;
    for (int half = y; half < y + kRows; half += 2) {
      if (deposit_as_one<2>(x, half, add)) continue;
      for (int row = half; row < half + 2; ++row) {
        const float own = circle_at(x, row);
        if (deposits(own)) spread<1>(x, row, own, light_at(x, row), add);
      }
    }
  }

 private:
  __device__ float circle_at(int x, int y) const {
    return x < task.image.width && y < task.image.height ? circle(x, y) : 0.f;
  }
  __device__ Values light_at(int x, int y) const {
    Values light;
    light_to_spread<kSamples>(task.image.row(y) + static_cast<std::int64_t>(x) * kSamples, task.scale, light);
    return light;
  }

  /// Deposits the group of the lane's rows and those of the lanes beside it, if it is blurred alike. All
  /// lanes of a group call it together.
  template <int kSide, class Add>
  __device__ bool deposit_as_one(int x, int y, const Add& add) const {
    const unsigned lanes = ((1u << kSide) - 1) << (threadIdx.x % kWarp & ~(kSide - 1u));
    float sums[kSide];
    for (int r = 0; r < kSide; ++r) sums[r] = circle_at(x, y + r);
    float low = sums[0], high = sums[0];
    for (int r = 1; r < kSide; ++r) {
      low = fminf(low, sums[r]);
      high = fmaxf(high, sums[r]);
    }
    // Sums of quarters, as on the CPU.
    for (int side = 2; side <= kSide; side *= 2) {
      low = fminf(low, __shfl_xor_sync(lanes, low, side / 2));
      high = fmaxf(high, __shfl_xor_sync(lanes, high, side / 2));
      for (int r = 0; r < kSide; r += side) {
        const float upper = sums[r], lower = sums[r + side / 2];
        sums[r] = (upper + __shfl_xor_sync(lanes, upper, side / 2)) +
                  (lower + __shfl_xor_sync(lanes, lower, side / 2));
      }
    }
    const bool as_one = (x | (kSide - 1)) < task.image.width && y + kSide <= task.image.height &&
                        spread_as_one(low, high, kSide) && layer_of(low, *cuts) == layer_of(high, *cuts);
    if (!as_one) return false;
    std::uint64_t light[kChannels] = {};
    for (int r = 0; r < kSide; ++r) {
      const Values of_pixel = light_at(x, y + r);
      for (int c = 0; c < kChannels; ++c) light[c] += of_pixel.of[c];
    }
    Values mean;
    for (int c = 0; c < kChannels; ++c) {
      for (int distance = 1; distance < kSide; distance *= 2)
        light[c] += __shfl_xor_sync(lanes, light[c], distance);
      mean.of[c] = static_cast<std::uint32_t>(light[c] / (kSide * kSide));
    }
    if (x % kSide == 0) spread<kSide>(x, y, sums[0] * (1.f / (kSide * kSide)), mean, add);
    return true;
  }

  template <int kSide, class Add>
  __device__ void spread(int x, int y, float circle, const Values& light, const Add& add) const {
    const SpreadShapes& shapes = task.shapes[group_size(kSide)];
    spread_light<kChannels>(shapes.first, shapes.count, circle, *cuts, x, y, kSide, light, add);
  }

  LayeredTask<T> task;
  View<const float> circle;
  const LayerCuts* cuts;
};

/// Planes one beneath the other, one per channel.
struct Planes {
  std::uint32_t* data;
  std::int64_t plane, pitch;

  __device__ std::uint32_t* at(int plane_number, std::int64_t x, std::int64_t y) const {
    return data + plane_number * plane + y * pitch + x;
  }
  __device__ View<const std::uint32_t> table(int plane_number) const {
    return {data + plane_number * plane, pitch, plane / pitch, 1};
  }
};

template <class T, int kSamples>
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    make_fill_terms(LayeredTask<T> task, Circles circles, Planes fill) {
  constexpr int kLight = kSamples;
  const int x = static_cast<int>(blockIdx.x * kBlockWidth + threadIdx.x) * kFillCell;
  const int y = static_cast<int>(blockIdx.y * kBlockHeight + threadIdx.y) * kFillCell;
  const auto width = static_cast<int>(task.image.width), height = static_cast<int>(task.image.height);
  if (x >= width || y >= height) return;
  const NearTiles& tiles = circles.tiles.fine;
  const float nearest = circles.nearest[y / tiles.side * tiles.across + x / tiles.side];
  const auto for_pixels = [&](const auto& visit) {
#pragma unroll
    for (int i = 0; i < kFillCell * kFillCell; ++i) {
      const int px = x + i % kFillCell, py = y + i / kFillCell;
      if (px < width && py < height) visit(px, py, i);
    }
  };
  // Where nothing is near, or nothing lies behind it, no light is read.
  float weights[kFillCell * kFillCell] = {}, most = 0;
  if (nearest > 0)
    for_pixels([&](int px, int py, int i) {
      weights[i] = fill_weight(circles.of_pixel(px, py), nearest);
      most = fmaxf(most, weights[i]);
    });
  FillCell<kLight> cell;
  if (most > 0)
    for_pixels([&](int px, int py, int i) {
      float light[kLight];
      light_to_show<kSamples>(task.image.row(py) + static_cast<std::int64_t>(px) * kSamples, task.scale,
                              light);
      cell.add(light, weights[i]);
    });
  cell.finish(task.fill_one, pixel_hash(x, y),
              [&](int c, std::uint32_t term) { *fill.at(c, x / kFillCell, y / kFillCell) = term; });
}

/// Light and coverage of one pixel, as a layer's fields have them.
template <int kLight>
struct LayerCodes {
  std::uint32_t of[kLight + 1];
};

template <class T, int kSamples>
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    show_layers(LayeredTask<T> task, Circles circles, Planes fields, Planes fill) {
  constexpr int kLight = kSamples;
  const int x = static_cast<int>(blockIdx.x * kBlockWidth + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kBlockHeight + threadIdx.y);
  const auto width = static_cast<int>(task.image.width), height = static_cast<int>(task.image.height);
  if (x >= width || y >= height) return;
  // The first layer is on its way while it is found out how many there are and which is the pixel's own.
  const std::uint32_t* next = fields.at(0, x, y);
  const auto read_layer = [&] {
    LayerCodes<kLight> layer;
    for (std::uint32_t& code : layer.of) {
      code = *next;
      next += fields.plane;
    }
    return layer;
  };
  LayerCodes<kLight> layer = read_layer();
  const float circle = circles.of_pixel(x, y), own_share = sharpness(circle);
  const LayerCuts cuts = *circles.cuts;
  const int own = layer_of(circle, cuts);
  const T* pixel = task.image.row(y) + static_cast<std::int64_t>(x) * kSamples;
  T* out = task.out.row(y) + static_cast<std::int64_t>(x) * kSamples;
  float sharp[kLight] = {};
  if (own_share > 0) light_to_show<kSamples>(pixel, task.scale, sharp);
  const float light_one = 1 / task.scale.one;
  Composite<kLight> composite;
  for (int l = 0;; layer = read_layer()) {
    float light[kLight];
    for (int c = 0; c < kLight; ++c)
      light[c] = static_cast<float>(layer.of[c]) * (c < 3 ? light_one : 1 / kOneLight);
    const float coverage = static_cast<float>(layer.of[kLight]) * (1 / kOneLight);
    composite.add(light, coverage, l == own ? own_share : 0.f, sharp);
    if (++l > cuts.count || !(composite.left > 0)) break;
  }
  if (composite.exact) {
    for (int c = 0; c < kSamples; ++c) out[c] = pixel[c];
    return;
  }
  if (composite.left > 0) {
    float around[kLight + 1] = {};
    if (circle > 0 && composite.left > 1e-6f) {
      const Box box = fill_box(x, y, circle, width, height);
      const float per = 1 / (task.fill_one * box_area(box));
      for (int c = 0; c <= kLight; ++c)
        around[c] = static_cast<float>(box_sum(fill.table(c), box.x0, box.y0, box.x1, box.y1, 0)) * per;
    }
    composite.fill(around, around[kLight]);
  }
  show_light<kSamples>(composite.light, pixel, task.scale, out);
}

template <class T, int kSamples>
void run(Context& context, const LayeredTask<T>& task) {
  const std::int64_t width = task.image.width, height = task.image.height, pixels = width * height;
  constexpr int kPlanes = kSamples + 1;
  const auto blocks = [&](int rows) {
    return dim3(static_cast<unsigned>((width + kBlockWidth - 1) / kBlockWidth),
                static_cast<unsigned>((height + rows - 1) / rows));
  };
  const dim3 threads(kBlockWidth, kBlockHeight);
  const cudaStream_t stream = stream_of(context);

  Workspace workspace(context);
  Circles circles{};
  circles.of_pixel = View<float>(workspace.take<float>(pixels), width, height);
  circles.tiles = near_levels(width, height, widest_circle(task.lens));
  const std::int64_t tiles = circles.tiles.count();
  circles.greatest = workspace.take<int>(tiles + 2);
  circles.extremes = circles.greatest + tiles;
  const std::int64_t fine_tiles = circles.tiles.fine.count();
  circles.nearest = workspace.take<float>(fine_tiles);
  circles.cuts = workspace.take<LayerCuts>(1);
  // All bytes 0x80 are less than what any number is ordered as.
  SCANLENS_CUDA_CHECK(
      cudaMemsetAsync(circles.greatest, 0x80, static_cast<std::size_t>(tiles + 2) * 4, stream));
  SCANLENS_CUDA_CHECK(launch_kernel(find_circles, blocks(kBlockHeight * kCirclesPerThread), threads, 0,
                                    stream, task.disparity, task.lens, circles));
  SCANLENS_CUDA_CHECK(launch_kernel(find_cuts, dim3(static_cast<unsigned>((fine_tiles + 255) / 256)),
                                    dim3(256), 0, stream, circles, task.layers));

  const View<std::uint32_t> fields(workspace.take<std::uint32_t>(pixels * kPlanes * task.layers), width,
                                   height * kPlanes * task.layers);
  gpu::spread(context, LayeredSource<T, kSamples>(task, circles), fields, task.layers);

  const std::int64_t cells_across = fill_cells(static_cast<int>(width)),
                     cells_down = fill_cells(static_cast<int>(height));
  const View<std::uint32_t> fill(workspace.take<std::uint32_t>(cells_across * cells_down * kPlanes),
                                 cells_across, cells_down * kPlanes);
  const Planes fill_planes{fill.data, cells_across * cells_down, cells_across};
  const dim3 fill_blocks(static_cast<unsigned>((cells_across + kBlockWidth - 1) / kBlockWidth),
                         static_cast<unsigned>((cells_down + kBlockHeight - 1) / kBlockHeight));
  SCANLENS_CUDA_CHECK(launch_kernel(make_fill_terms<T, kSamples>, fill_blocks, threads, 0, stream, task,
                                    circles, fill_planes));
  summed_area_table<std::uint32_t, std::uint32_t>(context, fill, fill, {}, kPlanes);
  SCANLENS_CUDA_CHECK(launch_kernel(show_layers<T, kSamples>, blocks(kBlockHeight), threads, 0, stream, task,
                                    circles, Planes{fields.data, pixels, width}, fill_planes));
}

}  // namespace

template <class T>
void dof_layered(Context& context, const LayeredTask<T>& task) {
  if (task.image.channels == 1) return run<T, 1>(context, task);
  if (task.image.channels == 3) return run<T, 3>(context, task);
  run<T, 4>(context, task);
}

SCANLENS_INSTANTIATE_DOF_LAYERED

}  // namespace scanlens::gpu
