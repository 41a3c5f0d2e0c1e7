// Passes along rows on CUDA: a block has a row in shared memory, and goes over it once for each pass. Sums
// from the left make every box in constant time. Included by filters/blur/columns.cu only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"
#include "filters/blur/codes.h"
#include "filters/blur/kernel.h"
#include "filters/blur/shared_memory.cuh"

namespace scanlens::gpu {

constexpr int kRowThreads = 512;
constexpr int kRowWarps = kRowThreads / 32;

/// Rows of 16-bit codes that passes go along, and what becomes of them.
template <class T>
struct RowTask {
  View<const std::int16_t> codes;
  BoxPass box;
  int passes;
  View<const T> own;  ///< the picture's rows beside `out`
  View<T> out;
};

/// A row in shared memory: two arrays of codes in turn, and the sums of the codes before each pixel, modulo
/// 2^32.
template <int kChannels>
struct RowMemory {
  static std::int64_t bytes(std::int64_t width) { return (2 * width + 1) * kChannels * 4; }

  __device__ RowMemory(std::uint32_t* memory, int width)
      : sums(memory),
        codes(reinterpret_cast<std::int16_t*>(memory + (width + 1) * kChannels)),
        next(codes + width * kChannels),
        width(width) {}

  std::uint32_t* sums;
  std::int16_t *codes, *next;
  int width;
};

/// Each warp sums a part of the row, then all that lie before it are added.
template <int kChannels>
__device__ void sum_row(const RowMemory<kChannels>& row) {
  __shared__ std::uint32_t totals[kRowWarps][kChannels];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int part = (row.width + kRowThreads - 1) / kRowThreads * 32, begin = warp * part,
            end = begin + part < row.width ? begin + part : row.width;
  for (int c = 0; c < kChannels; ++c) {
    std::uint32_t total = 0;
    for (int x = begin + lane; x < end; x += 32)
      total += static_cast<std::uint32_t>(row.codes[x * kChannels + c]);
    for (int step = 16; step > 0; step /= 2) total += __shfl_xor_sync(~0u, total, step);
    if (lane == 0) totals[warp][c] = total;
  }
  __syncthreads();
  for (int c = 0; c < kChannels; ++c) {
    std::uint32_t before = 0;
    for (int w = 0; w < warp; ++w) before += totals[w][c];
    for (int first = begin; first < end; first += 32) {
      const int x = first + lane;
      std::uint32_t sum = x < end ? static_cast<std::uint32_t>(row.codes[x * kChannels + c]) : 0;
      for (int step = 1; step < 32; step *= 2) {
        const std::uint32_t other = __shfl_up_sync(~0u, sum, step);
        if (lane >= step) sum += other;
      }
      if (x < end) row.sums[(x + 1) * kChannels + c] = before + sum;
      before += __shfl_sync(~0u, sum, 31);
    }
    if (threadIdx.x == 0) row.sums[c] = 0;
  }
  __syncthreads();
}

/// The mean over the box around pixel x, as filters/blur/columns.cu has it.
template <int kChannels>
__device__ std::int16_t row_mean(const RowMemory<kChannels>& row, const BoxPass& box, float inverse, int x,
                                 int c) {
  const int low = x > box.inner ? x - box.inner : 0,
            high = row.width - 1 - x > box.inner ? x + box.inner : row.width - 1;
  int sum =
      box.whole * static_cast<int>(row.sums[(high + 1) * kChannels + c] - row.sums[low * kChannels + c]);
  if (box.edge > 0) {
    const int left = low > 0 ? row.codes[(low - 1) * kChannels + c] : 0,
              right = high + 1 < row.width ? row.codes[(high + 1) * kChannels + c] : 0;
    sum += box.edge * (left + right);
  }
  return static_cast<std::int16_t>(rintf(static_cast<float>(sum) * inverse));
}

template <class T, int kChannels>
__device__ void finish_row_pixel(const std::int16_t* codes, const T* own, T* out) {
  using Code = Codes<T, kChannels == 4>;
  if constexpr (kChannels == 4)
    Code::pixel(codes, own, out);
  else
    for (int c = 0; c < kChannels; ++c) out[c] = Code::sample(codes[c]);
}

template <class T, int kChannels>
__global__ void __launch_bounds__(kRowThreads) rows_kernel(const __grid_constant__ RowTask<T> task) {
  extern __shared__ std::uint32_t row_memory[];
  const int width = static_cast<int>(task.codes.width);
  const BoxPass box = task.box;
  const float inside = 1.f / static_cast<float>((2 * box.inner + 1) * box.whole + 2 * box.edge);
  for (std::int64_t y = blockIdx.x; y < task.codes.height; y += gridDim.x) {
    RowMemory<kChannels> row(row_memory, width);
    const std::int16_t* const from = task.codes.row(y);
    for (int i = threadIdx.x; i < width * kChannels; i += kRowThreads) row.codes[i] = from[i];
    __syncthreads();
    for (int pass = 0; pass < task.passes; ++pass) {
      sum_row(row);
      for (int x = threadIdx.x; x < width; x += kRowThreads) {
        const bool no_border = x > box.inner && width - 1 - x > box.inner;
        const float inverse = no_border ? inside : 1.f / static_cast<float>(box.weight(x, width));
        std::int16_t means[kChannels];
#pragma unroll
        for (int c = 0; c < kChannels; ++c) means[c] = row_mean(row, box, inverse, x, c);
        if (pass + 1 == task.passes)
          finish_row_pixel<T, kChannels>(means, task.own.row(y) + x * kChannels,
                                         task.out.row(y) + x * kChannels);
        else
          for (int c = 0; c < kChannels; ++c) row.next[x * kChannels + c] = means[c];
      }
      __syncthreads();
      std::int16_t* const made = row.next;
      row.next = row.codes;
      row.codes = made;
    }
  }
}

/// True if a block has room for a row.
inline bool rows_fit(const Context& context, std::int64_t width, int channels) {
  const DeviceGuard guard(context);
  return RowMemory<1>::bytes(width) * channels <= most_shared_bytes();
}

template <class T, int kChannels>
void launch_rows(Context& context, const RowTask<T>& task) {
  constexpr std::int64_t kMostBlocks = std::int64_t{1} << 30;
  const std::int64_t bytes = RowMemory<kChannels>::bytes(task.codes.width);
  const auto kernel = rows_kernel<T, kChannels>;
  SCANLENS_CUDA_CHECK(set_kernel_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  SCANLENS_CUDA_CHECK(
      launch_kernel(kernel, dim3(static_cast<unsigned>(std::min(task.codes.height, kMostBlocks))),
                    dim3(kRowThreads), static_cast<std::size_t>(bytes), stream_of(context), task));
}

/// Runs the passes along rows, whose codes have the channels of the picture.
template <class T, bool kAlpha>
void go_along_rows(Context& context, const RowTask<T>& task) {
  const DeviceGuard guard(context);
  if constexpr (kAlpha) {
    launch_rows<T, 4>(context, task);
  } else if (task.codes.channels == 1) {
    launch_rows<T, 1>(context, task);
  } else {
    launch_rows<T, 3>(context, task);
  }
}

}  // namespace scanlens::gpu
