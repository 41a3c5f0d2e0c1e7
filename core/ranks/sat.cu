// Tables of slabs on CUDA: what a slab's columns come to, in one reading, and the row that the next slab goes
// on from.
#include <algorithm>

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/ranks/sat_backends.h"
#include "core/sat/terms.h"

namespace scanlens::gpu {
namespace {

constexpr int kThreads = 256;

/// Totals of `kVector` neighbouring samples by a thread, over the rows of a strip: strip blockIdx.y.
template <int kVector, class T, class S>
__global__ void __launch_bounds__(kThreads)
    sample_totals_kernel(View<const T> image, std::int64_t rows, S* totals) {
  struct alignas(kVector * sizeof(T)) Samples {
    T values[kVector];
  };
  let_next_kernel_begin();
  await_previous_kernel();
  const std::int64_t samples = image.row_samples();
  const std::int64_t first = (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) * kVector;
  if (first >= samples) return;
  const std::int64_t top = blockIdx.y * rows, bottom = min(top + rows, image.height);
  S sums[kVector] = {};
  if (first + kVector <= samples) {
#pragma unroll 4
    for (std::int64_t y = top; y < bottom; ++y) {
      const Samples read = *reinterpret_cast<const Samples*>(image.row(y) + first);
#pragma unroll
      for (int i = 0; i < kVector; ++i) sums[i] += static_cast<S>(read.values[i]);
    }
  } else {
    for (std::int64_t y = top; y < bottom; ++y)
#pragma unroll
      for (int i = 0; i < kVector; ++i)
        if (first + i < samples) sums[i] += static_cast<S>(image.row(y)[first + i]);
  }
#pragma unroll
  for (int i = 0; i < kVector; ++i)
    if (first + i < samples) totals[blockIdx.y * samples + first + i] = sums[i];
}

/// The same of any terms, a pixel by a thread.
template <class T, class S>
__global__ void __launch_bounds__(kThreads)
    term_totals_kernel(View<const T> image, int channels, Terms terms, std::int64_t rows, S* totals) {
  let_next_kernel_begin();
  await_previous_kernel();
  const std::int64_t x = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (x >= image.width) return;
  const std::int64_t top = blockIdx.y * rows, bottom = min(top + rows, image.height);
  S sums[4] = {};
  for (std::int64_t y = top; y < bottom; ++y)
#pragma unroll
    for (int c = 0; c < 4; ++c)
      if (c < channels) sums[c] += term<S>(image.row(y) + x * image.channels, image.channels, c, terms);
#pragma unroll
  for (int c = 0; c < 4; ++c)
    if (c < channels) totals[(blockIdx.y * image.width + x) * channels + c] = sums[c];
}

/// The sums of the strips, in their order.
template <class S>
__global__ void add_strips_kernel(const S* strips, int count, std::int64_t width, S* totals) {
  let_next_kernel_begin();
  await_previous_kernel();
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= width) return;
  S sum = 0;
#pragma unroll 8
  for (int strip = 0; strip < count; ++strip) sum += strips[strip * width + i];
  totals[i] = sum;
}

constexpr int kRowThreads = 1024;
constexpr int kRowItems = 4;

/// A block a channel: the sums of the slabs above, scanned along the row.
template <class S>
__global__ void __launch_bounds__(kRowThreads)
    first_row_kernel(TablePlaces<S> table, bool zeros_left, std::int64_t width, const S* totals, int above) {
  __shared__ S of_warps[kRowThreads / kWarp];
  let_next_kernel_begin();
  await_previous_kernel();
  const int channels = static_cast<int>(gridDim.x), channel = static_cast<int>(blockIdx.x);
  const int warp = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
  const auto add = [](S a, S b) { return a + b; };
  if (zeros_left && threadIdx.x == 0) table.at(0, -1, -1, channel) = 0;
  S before = 0;
  for (std::int64_t start = 0; start < width; start += kRowThreads * kRowItems) {
    const std::int64_t first = start + std::int64_t{threadIdx.x} * kRowItems;
    S sums[kRowItems] = {};
    for (int rank = 0; rank < above; ++rank)
#pragma unroll
      for (int i = 0; i < kRowItems; ++i)
        if (first + i < width) sums[i] += totals[(rank * width + first + i) * channels + channel];
#pragma unroll
    for (int i = 1; i < kRowItems; ++i) sums[i] += sums[i - 1];
    const S upto = warp_inclusive_scan(sums[kRowItems - 1], add);
    if (lane == kWarp - 1) of_warps[warp] = upto;
    __syncthreads();
    const S warps = warp_inclusive_scan(of_warps[lane], add);
    const S warps_before = shuffle(warps, max(warp - 1, 0));
    const S lanes_before = shuffle_up(upto, 1);
    const S mine = before + (warp > 0 ? warps_before : S{0}) + (lane > 0 ? lanes_before : S{0});
#pragma unroll
    for (int i = 0; i < kRowItems; ++i)
      if (first + i < width) table.at(0, first + i, -1, channel) = mine + sums[i];
    before += shuffle(warps, kWarp - 1);
    __syncthreads();
  }
}

unsigned blocks_for(std::int64_t threads) {
  return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

/// The strips of a slab, as many as fill the GPU.
struct Strips {
  std::int64_t rows;
  int count;

  Strips(const Context& context, unsigned blocks_across, std::int64_t height) {
    constexpr int kBlocksEach = 8, kLeastRows = 16;
    const std::int64_t most = (height + kLeastRows - 1) / kLeastRows;
    const std::int64_t wanted =
        std::clamp<std::int64_t>(traits_of(context).multiprocessors * kBlocksEach / blocks_across, 1, most);
    rows = (height + wanted - 1) / wanted;
    count = static_cast<int>((height + rows - 1) / rows);
  }
};

/// Totals strips by launch(blocks across, strips, strips' totals), and adds them up.
template <class S, class Launch>
void total_strips(Context& context, std::int64_t threads, std::int64_t height, std::int64_t sums, S* totals,
                  const Launch& launch) {
  const unsigned across = blocks_for(threads);
  const Strips strips(context, across, height);
  Workspace workspace(context);
  S* each = strips.count == 1 ? totals : workspace.take<S>(strips.count * sums);
  launch(dim3(across, static_cast<unsigned>(strips.count)), strips.rows, each);
  if (strips.count > 1)
    launch_early(context, add_strips_kernel<S>, Blocks::independent, blocks_for(sums), kThreads, {}, each,
                 strips.count, sums, totals);
}

}  // namespace

template <class T, class S>
void column_totals(Context& context, const SatTask<T, S>& task, S* totals) {
  constexpr int kVector = 16 / sizeof(T);
  const View<const T>& image = task.image;
  const std::int64_t sums = row_sums(task);
  if (task.height == 0) {
    SCANLENS_CUDA_CHECK(
        cudaMemsetAsync(totals, 0, static_cast<std::size_t>(sums) * sizeof(S), stream_of(context)));
    return;
  }
  if (!sums_samples(task)) {
    total_strips(context, image.width, task.height, sums, totals, [&](dim3 grid, std::int64_t rows, S* each) {
      launch_early(context, term_totals_kernel<T, S>, Blocks::independent, grid, kThreads, {}, image,
                   task.channels, task.terms, rows, each);
    });
    return;
  }
  // A table of doubles takes other samples only of type float.
  if constexpr (std::is_floating_point_v<S> || !std::is_floating_point_v<T>) {
    const bool aligned = reinterpret_cast<std::uintptr_t>(image.data) % 16 == 0 &&
                         static_cast<std::size_t>(image.pitch) * sizeof(T) % 16 == 0;
    const std::int64_t threads = aligned ? (sums + kVector - 1) / kVector : sums;
    const auto kernel = aligned ? sample_totals_kernel<kVector, T, S> : sample_totals_kernel<1, T, S>;
    total_strips(context, threads, task.height, sums, totals, [&](dim3 grid, std::int64_t rows, S* each) {
      launch_early(context, kernel, Blocks::independent, grid, kThreads, {}, image, rows, each);
    });
  }
}

template <class T, class S>
void first_row(Context& context, const SatTask<T, S>& task, const S* totals, int above) {
  launch_early(context, first_row_kernel<S>, Blocks::independent, static_cast<unsigned>(task.channels),
               kRowThreads, {}, task.table, task.zeros_left, task.image.width, totals, above);
}

#define SCANLENS_INSTANTIATE(T, S, ...)                            \
  template void column_totals(Context&, const SatTask<T, S>&, S*); \
  template void first_row(Context&, const SatTask<T, S>&, const S*, int);
SCANLENS_FOR_EACH_TABLE(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
