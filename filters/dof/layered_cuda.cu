// Depth of field by layers on CUDA: circles and cuts, spreading, the fill's table, and the layers laid one over
// the other.
#include <cstdint>

#include "core/cuda/warp.cuh"
#include "core/cuda/warp_extremes.cuh"
#include "core/runtime/cuda_check.cuh"
#include "core/sat.h"
#include "core/spread/cuda.cuh"
#include "filters/dof/composite.h"
#include "filters/dof/layered.h"

namespace scanlens::gpu {
namespace {

constexpr int kBlockWidth = 32;
constexpr int kBlockHeight = 8;

/// What is known of the circles of confusion of a picture.
struct Circles {
  int* nearest;   ///< of each tile: the greatest circle, ordered
  int* extremes;  ///< the complement of the least circle, and the greatest, both ordered
  LayerCuts* cuts;
  int side, across, down;  ///< of tiles
};

template <class T>
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight) find_circles(LayeredTask<T> task, Circles circles) {
  __shared__ int extremes[2];
  if (threadIdx.x + threadIdx.y == 0) extremes[0] = extremes[1] = INT32_MIN;
  __syncthreads();
  const int x = static_cast<int>(blockIdx.x * kBlockWidth + threadIdx.x);
  const int first = static_cast<int>(blockIdx.y * kBlockHeight * 4 + threadIdx.y);
  int least = INT32_MIN, most = INT32_MIN;
  for (int y = first; y < first + kBlockHeight * 4; y += kBlockHeight) {
    if (y >= task.image.height) break;
    const int row = y / circles.side;
    const bool inside = x < task.image.width;
    const int circle = inside ? ordered(signed_circle(task.disparity(x, y), task.lens)) : INT32_MIN;
    if (inside) {
      least = max(least, ~circle);
      most = max(most, circle);
    }
    // A warp's pixels mostly lie in one tile.
    const int tile = (inside ? x : static_cast<int>(task.image.width) - 1) / circles.side;
    if (__all_sync(~0u, tile == __shfl_sync(~0u, tile, 0))) {
      const int highest = warp_greatest(circle);
      if (threadIdx.x == 0) atomicMax(circles.nearest + row * circles.across + tile, highest);
    } else if (inside) {
      atomicMax(circles.nearest + row * circles.across + tile, circle);
    }
  }
  atomicMax(&extremes[0], least);
  atomicMax(&extremes[1], most);
  __syncthreads();
  if (threadIdx.y == 0 && threadIdx.x < 2) atomicMax(circles.extremes + threadIdx.x, extremes[threadIdx.x]);
}

__global__ void find_cuts(Circles circles, int layers) {
  *circles.cuts = layer_cuts(layers, from_ordered<float>(~circles.extremes[0]), from_ordered<float>(circles.extremes[1]));
}

/// What pixels deposit.
template <class T, int kSamples>
struct LayeredSource {
  static constexpr int kChannels = kLightChannels<kSamples>, kRows = 2;
  using Values = SpreadValues<kChannels>;
  LayeredTask<T> task;
  const LayerCuts* cuts;

  __device__ float circle(int x, int y) const { return signed_circle(task.disparity(x, y), task.lens); }
  __device__ int layer(int x, int y) const {
    const float c = circle(x, y);
    return deposits(c) ? layer_of(c, *cuts) : -1;
  }

  template <class Add>
  __device__ void deposit(int x, int y, const Add& add) const {
    const auto width = static_cast<int>(task.image.width), height = static_cast<int>(task.image.height);
    const bool inside[2] = {x < width && y < height, x < width && y + 1 < height};
    float circles[2], beside[2];
    Values light[2] = {};
    for (int r = 0; r < 2; ++r) {
      circles[r] = inside[r] ? circle(x, y + r) : 0.f;
      beside[r] = __shfl_xor_sync(~0u, circles[r], 1);
      if (inside[r])
        light_to_spread<kSamples>(task.image.row(y + r) + static_cast<std::int64_t>(x) * kSamples, task.scale, light[r]);
    }
    const float low = fminf(fminf(circles[0], circles[1]), fminf(beside[0], beside[1]));
    const float high = fmaxf(fmaxf(circles[0], circles[1]), fmaxf(beside[0], beside[1]));
    const bool as_one = (x | 1) < width && y + 1 < height &&
                        spread_as_one(circles[0], circles[1], beside[0], beside[1]) &&
                        layer_of(low, *cuts) == layer_of(high, *cuts);
    if (__any_sync(~0u, as_one)) {
      Values mean;
      for (int c = 0; c < kChannels; ++c) {
        const std::uint64_t sum = std::uint64_t{light[0].of[c]} + light[1].of[c];
        mean.of[c] = static_cast<std::uint32_t>((sum + __shfl_xor_sync(~0u, sum, 1)) / 4);
      }
      if (as_one && x % 2 == 0) {
        const int layer = layer_of(low, *cuts);
        spread_light<kChannels>(task.quad.first, task.quad.count,
                                quad_radius(circles[0], beside[0], circles[1], beside[1]), x, y, 2, mean,
                                [&](const SpreadBox& box, const Values& values) { add(layer, box, values); });
      }
    }
    for (int r = 0; r < 2; ++r) {
      if (as_one || !inside[r] || !deposits(circles[r])) continue;
      const int layer = layer_of(circles[r], *cuts);
      spread_light<kChannels>(task.pixel.first, task.pixel.count, fabsf(circles[r]), x, y + r, 1, light[r],
                              [&](const SpreadBox& box, const Values& values) { add(layer, box, values); });
    }
  }
};

/// Planes one beneath the other, one per channel.
struct Planes {
  std::uint32_t* data;
  std::int64_t plane, pitch;

  __device__ std::uint32_t* at(int plane_number, std::int64_t x, std::int64_t y) const {
    return data + plane_number * plane + y * pitch + x;
  }
};

template <class T, int kSamples>
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    make_fill_terms(LayeredTask<T> task, Circles circles, Planes fill) {
  constexpr int kLight = kSamples;
  const int x = static_cast<int>(blockIdx.x * kBlockWidth + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kBlockHeight + threadIdx.y);
  if (x >= task.image.width || y >= task.image.height) return;
  const int tile_x = x / circles.side, tile_y = y / circles.side;
  int nearest = INT32_MIN;
  for (int j = max(0, tile_y - 1); j <= min(circles.down - 1, tile_y + 1); ++j)
    for (int i = max(0, tile_x - 1); i <= min(circles.across - 1, tile_x + 1); ++i)
      nearest = max(nearest, circles.nearest[j * circles.across + i]);
  const float weight = fill_weight(signed_circle(task.disparity(x, y), task.lens), from_ordered<float>(nearest));
  float light[kLight];
  light_to_show<kSamples>(task.image.row(y) + static_cast<std::int64_t>(x) * kSamples, task.scale, light);
  const float random = static_cast<float>(pixel_hash(x, y) >> 8) * (1 / 16777216.f);
  for (int c = 0; c < kLight; ++c) *fill.at(c, x, y) = fill_term(light[c], weight, task.fill_one, random);
  *fill.at(kLight, x, y) = fill_term(1, weight, task.fill_one, random);
}

template <class T, int kSamples>
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight)
    show_layers(LayeredTask<T> task, const LayerCuts* all_cuts, Planes fields, Planes fill) {
  constexpr int kLight = kSamples;
  const int x = static_cast<int>(blockIdx.x * kBlockWidth + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kBlockHeight + threadIdx.y);
  const auto width = static_cast<int>(task.image.width), height = static_cast<int>(task.image.height);
  if (x >= width || y >= height) return;
  const LayerCuts cuts = *all_cuts;
  const T* pixel = task.image.row(y) + static_cast<std::int64_t>(x) * kSamples;
  T* out = task.out.row(y) + static_cast<std::int64_t>(x) * kSamples;
  const float circle = signed_circle(task.disparity(x, y), task.lens), own_share = sharpness(circle);
  const int own = layer_of(circle, cuts);
  float sharp[kLight];
  light_to_show<kSamples>(pixel, task.scale, sharp);
  const float light_one = 1 / task.scale.one;
  Composite<kLight> composite;
  for (int l = 0; l <= cuts.count && composite.left > 0; ++l) {
    float light[kLight];
    const int first = l * (kLight + 1);
    for (int c = 0; c < kLight; ++c)
      light[c] = static_cast<float>(*fields.at(first + c, x, y)) * (c < 3 ? light_one : 1 / kOneLight);
    const float coverage = static_cast<float>(*fields.at(first + kLight, x, y)) * (1 / kOneLight);
    composite.add(light, coverage, l == own ? own_share : 0.f, sharp);
  }
  if (composite.exact) {
    for (int c = 0; c < kSamples; ++c) out[c] = pixel[c];
    return;
  }
  if (composite.left > 0) {
    float around[kLight + 1] = {};
    if (circle > 0 && composite.left > 1e-6f) {
      const int reach = fill_reach(circle);
      const int x0 = max(0, x - reach), x1 = min(width - 1, x + reach);
      const int y0 = max(0, y - reach), y1 = min(height - 1, y + reach);
      const float per = 1 / (task.fill_one * static_cast<float>(x1 - x0 + 1) * static_cast<float>(y1 - y0 + 1));
      for (int c = 0; c <= kLight; ++c) {
        std::uint32_t sum = *fill.at(c, x1, y1);
        if (x0 > 0) sum -= *fill.at(c, x0 - 1, y1);
        if (y0 > 0) sum -= *fill.at(c, x1, y0 - 1);
        if (x0 > 0 && y0 > 0) sum += *fill.at(c, x0 - 1, y0 - 1);
        around[c] = static_cast<float>(sum) * per;
      }
    }
    composite.fill(around, around[kLight]);
  }
  float per_alpha = 1;
  if constexpr (kSamples == 4) {
    out[3] = sample_of_alpha<T>(composite.light[3]);
    per_alpha = composite.light[3] > 0 ? 1 / composite.light[3] : 0.f;
  }
  for (int c = 0; c < (kSamples < 3 ? 1 : 3); ++c)
    out[c] = per_alpha > 0 ? sample_of_light<T>(composite.light[c] * per_alpha, task.scale) : pixel[c];
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
  circles.side = near_tile_side(task.lens.most);
  circles.across = static_cast<int>((width + circles.side - 1) / circles.side);
  circles.down = static_cast<int>((height + circles.side - 1) / circles.side);
  const std::int64_t tiles = std::int64_t{circles.across} * circles.down;
  circles.nearest = workspace.take<int>(tiles + 2);
  circles.extremes = circles.nearest + tiles;
  circles.cuts = workspace.take<LayerCuts>(1);
  // All bytes 0x80 are less than what any number is ordered as.
  SCANLENS_CUDA_CHECK(cudaMemsetAsync(circles.nearest, 0x80, static_cast<std::size_t>(tiles + 2) * 4, stream));
  SCANLENS_CUDA_CHECK(launch_kernel(find_circles<T>, blocks(kBlockHeight * 4), threads, 0, stream, task, circles));
  SCANLENS_CUDA_CHECK(launch_kernel(find_cuts, dim3(1), dim3(1), 0, stream, circles, task.layers));

  const View<std::uint32_t> fields(workspace.take<std::uint32_t>(pixels * kPlanes * task.layers), width,
                                   height * kPlanes * task.layers);
  spread(context, LayeredSource<T, kSamples>{task, circles.cuts}, fields, task.layers);

  const View<std::uint32_t> fill(workspace.take<std::uint32_t>(pixels * kPlanes), width, height * kPlanes);
  const Planes fill_planes{fill.data, pixels, width};
  SCANLENS_CUDA_CHECK(launch_kernel(make_fill_terms<T, kSamples>, blocks(kBlockHeight), threads, 0, stream, task,
                                    circles, fill_planes));
  summed_area_table<std::uint32_t, std::uint32_t>(context, fill, fill, {}, kPlanes);
  SCANLENS_CUDA_CHECK(launch_kernel(show_layers<T, kSamples>, blocks(kBlockHeight), threads, 0, stream, task,
                                    circles.cuts, Planes{fields.data, pixels, width}, fill_planes));
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
