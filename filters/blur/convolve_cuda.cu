// A block makes a tile of the result: codes of the picture come to shared memory, with what taps reach around
// the tile; means down columns go there, then means along rows in place of the codes, and samples out.
//
// A thread makes kRun means side by side, of codes that it reads once for all of them: mean j takes code i
// with the weight i - j, of a list that is padded with weights of nothing.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/runtime/cuda_check.cuh"
#include "filters/blur/codes.h"
#include "filters/blur/convolve.h"
#include "filters/blur/shared_memory.cuh"

namespace scanlens::gpu {
namespace {

constexpr int kThreads = 512;
constexpr int kTile = 64;       ///< pixels that a tile is wide, and high where shared memory is enough
constexpr int kLeastRows = 16;  ///< with which every tile fits 64 KB
constexpr int kRun = 8;

/// Codes that a run of means reads, in steps of kRun.
SCANLENS_HOST_DEVICE constexpr int codes_of_run(int radius) {
  return (2 * radius + 2 * kRun - 1) / kRun * kRun;
}

constexpr int kMostWeights = 2 * kRun + 2 * Taps::kMostRadius + 2 * kRun;

/// The arrays of a tile: `height` rows of codes, and `rows` of means, of `pitch` each.
template <int kChannels>
struct TileShape {
  SCANLENS_HOST_DEVICE TileShape(int radius, int rows)
      : rows(rows),
        height(rows - kRun + codes_of_run(radius)),
        pitch((kTile - kRun + codes_of_run(radius)) * kChannels) {}

  std::int64_t bytes() const { return std::int64_t{pitch} * (height + rows) * 2; }

  int rows, height, pitch;
};

/// The sums of kRun means: code i is at codes[i * kStep].
__device__ void sum_run(const std::int16_t* codes, int step, int count, const int* padded, int* sums) {
#pragma unroll
  for (int j = 0; j < kRun; ++j) sums[j] = 0;
  for (int i = 0; i < count; i += kRun) {
    int window[2 * kRun];  // padded[i + kRun + (a - j)] for a, j below kRun
#pragma unroll
    for (int k = 0; k < 2 * kRun; k += 4)
      *reinterpret_cast<int4*>(window + k) = *reinterpret_cast<const int4*>(padded + i + k);
#pragma unroll
    for (int a = 0; a < kRun; ++a) {
      const int code = codes[(i + a) * step];
#pragma unroll
      for (int j = 0; j < kRun; ++j) sums[j] += window[kRun + a - j] * code;
    }
  }
}

__device__ std::int16_t mean_of(int sum, float inverse) {
  return static_cast<std::int16_t>(rintf(static_cast<float>(sum) * inverse));
}

/// Values that all tiles of a block share: the padded weights, and the factors for the sums of each row and
/// column of a tile.
struct Weights {
  alignas(16) int padded[kMostWeights];
  float down[kTile], along[kTile];
};

template <class T, int kChannels>
class Tile {
 public:
  using Code = Codes<T, kChannels == 4>;

  __device__ Tile(const Taps& taps, const BandTask<T>& task, int rows, Weights& weights, std::int16_t* memory)
      : taps_(taps),
        task_(task),
        weights_(weights),
        shape_(taps.radius, rows),
        codes_(memory),
        down_(memory + shape_.pitch * shape_.height) {}

  /// The tile whose first pixel is (x0, y0) of the result.
  __device__ void make(std::int64_t x0, std::int64_t y0) {
    invert(x0, task_.first + y0);
    load(x0 - taps_.radius, task_.first + y0 - taps_.radius);
    __syncthreads();
    go_down();
    __syncthreads();
    go_along();
    __syncthreads();
    store(x0, y0);
    __syncthreads();
  }

 private:
  __device__ void invert(std::int64_t left, std::int64_t top) {
    const int thread = threadIdx.y * blockDim.x + threadIdx.x, i = thread % kTile;
    const std::int64_t size = thread < kTile ? task_.rows.width : task_.rows.height,
                       at = (thread < kTile ? left : top) + i;
    if (thread >= 2 * kTile) return;
    const float inverse = 1.f / static_cast<float>(at < size ? taps_.weight(at, size) : Taps::kWeight);
    (thread < kTile ? weights_.along : weights_.down)[i] = inverse;
  }

  /// Codes from pixel (left, top) of the picture on, zeros where it is not.
  __device__ void load(std::int64_t left, std::int64_t top) {
    const std::int64_t first = left * kChannels, after = task_.rows.row_samples() - first;
    const int begin = first < 0 ? static_cast<int>(-first) : 0,
              end = after < shape_.pitch ? static_cast<int>(after) : shape_.pitch;
    for (int y = threadIdx.y; y < shape_.height; y += blockDim.y) {
      const std::int64_t row = top + y;
      const bool inside = row >= 0 && row < task_.rows.height;
      const T* const from = task_.rows.row(inside ? row : 0) + first;
      std::int16_t* const to = codes_ + y * shape_.pitch;
      for (int x = threadIdx.x; x < shape_.pitch; x += blockDim.x) {
        const int c = kChannels == 4 ? x % 4 : 0;
        to[x] = inside && x >= begin && x < end ? Code::encode(from + x - c, c) : std::int16_t{0};
      }
    }
  }

  __device__ void go_down() {
    const int columns = shape_.pitch, count = codes_of_run(taps_.radius);
    for (int y = threadIdx.y * kRun; y < shape_.rows; y += blockDim.y * kRun)
      for (int x = threadIdx.x; x < columns; x += blockDim.x) {
        int sums[kRun];
        sum_run(codes_ + y * columns + x, columns, count, weights_.padded, sums);
#pragma unroll
        for (int j = 0; j < kRun; ++j) down_[(y + j) * columns + x] = mean_of(sums[j], weights_.down[y + j]);
      }
  }

  __device__ void go_along() {
    constexpr int kRuns = kTile / kRun * kChannels;
    const int thread = threadIdx.y * blockDim.x + threadIdx.x, count = codes_of_run(taps_.radius);
    for (int k = thread; k < kRuns * shape_.rows; k += kThreads) {
      const int c = k % kChannels, x = k % kRuns / kChannels * kRun, y = k / kRuns;
      const int at = y * shape_.pitch + x * kChannels + c;
      int sums[kRun];
      sum_run(down_ + at, kChannels, count, weights_.padded, sums);
#pragma unroll
      for (int j = 0; j < kRun; ++j) codes_[at + j * kChannels] = mean_of(sums[j], weights_.along[x + j]);
    }
  }

  __device__ void store(std::int64_t x0, std::int64_t y0) {
    constexpr int kWhole = kChannels == 4 ? 4 : 1;  // samples that are finished together
    constexpr int kColumns = kTile * kChannels / kWhole;
    const std::int64_t first = x0 * kChannels, samples = task_.out.row_samples();
    for (int y = threadIdx.y; y < shape_.rows && y0 + y < task_.out.height; y += blockDim.y)
      for (int x = threadIdx.x; x < kColumns && first + x * kWhole < samples; x += blockDim.x) {
        const std::int16_t* const codes = codes_ + y * shape_.pitch + x * kWhole;
        T* const out = task_.out.row(y0 + y) + first + x * kWhole;
        if constexpr (kChannels == 4)
          Code::pixel(codes, task_.rows.row(task_.first + y0 + y) + first + x * kWhole, out);
        else
          *out = Code::sample(*codes);
      }
  }

  const Taps& taps_;
  const BandTask<T>& task_;
  Weights& weights_;
  TileShape<kChannels> shape_;
  std::int16_t* codes_;
  std::int16_t* down_;
};

template <class T, int kChannels>
__global__ void __launch_bounds__(kThreads, 2)
    convolve_kernel(const __grid_constant__ Taps taps, const __grid_constant__ BandTask<T> task, int rows) {
  extern __shared__ std::int16_t tile_memory[];
  __shared__ Weights weights;
  for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < kMostWeights; i += kThreads) {
    const int distance = i - kRun - taps.radius, away = distance < 0 ? -distance : distance;
    weights.padded[i] = away <= taps.radius ? taps.weights[away] : 0;
  }
  __syncthreads();
  Tile<T, kChannels> tile(taps, task, rows, weights, tile_memory);
  const std::int64_t x0 = std::int64_t{blockIdx.x} * kTile, step = std::int64_t{gridDim.y} * rows;
  for (std::int64_t y0 = std::int64_t{blockIdx.y} * rows; y0 < task.out.height; y0 += step) tile.make(x0, y0);
}

template <class T, int kChannels>
void convolve_tiles(Context& context, const Taps& taps, const BandTask<T>& task) {
  constexpr std::int64_t kMostGridHeight = 65535;
  const std::int64_t room = most_shared_bytes();
  int rows = kTile;
  while (rows > kLeastRows && TileShape<kChannels>(taps.radius, rows).bytes() > room) rows /= 2;
  const std::int64_t bytes = TileShape<kChannels>(taps.radius, rows).bytes(),
                     columns = (task.out.width + kTile - 1) / kTile,
                     lines = std::min((task.out.height + rows - 1) / rows, kMostGridHeight);
  const auto kernel = convolve_kernel<T, kChannels>;
  SCANLENS_CUDA_CHECK(set_kernel_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  SCANLENS_CUDA_CHECK(launch_kernel(
      kernel, dim3(static_cast<unsigned>(columns), static_cast<unsigned>(lines)), dim3(64, kThreads / 64),
      static_cast<std::size_t>(bytes), stream_of(context), taps, task, rows));
}

}  // namespace

template <class T>
void convolve_apart(Context& context, const Taps& taps, const BandTask<T>& task) {
  if constexpr (std::is_floating_point_v<T>) {
    convolve_by_pixels(context, taps, task);
  } else {
    if (task.rows.channels == 1) return convolve_tiles<T, 1>(context, taps, task);
    if (task.rows.channels == 3) return convolve_tiles<T, 3>(context, taps, task);
    if constexpr (sizeof(T) == 1)
      convolve_tiles<T, 4>(context, taps, task);
    else
      convolve_by_pixels(context, taps, task);
  }
}

template void convolve_apart(Context&, const Taps&, const BandTask<std::uint8_t>&);
template void convolve_apart(Context&, const Taps&, const BandTask<std::uint16_t>&);
template void convolve_apart(Context&, const Taps&, const BandTask<float>&);

}  // namespace scanlens::gpu
