// The histograms of a radix sort, for keys alone and for pairs.
#include <algorithm>

#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"
#include "core/sort/histogram.cuh"

namespace scanlens::gpu {
namespace {

constexpr int kHistogramThreads = 512;
constexpr int kHistogramItems = 8;   ///< keys of a thread that are under way at once
constexpr int kHistogramBlocks = 3;  ///< on a multiprocessor
constexpr int kHistogramBytes = 64 * 1024;

/// The sum of `count` over the threads before this one, for threads below kDigits. All threads have to call
/// it.
__device__ unsigned long long exclusive_start(unsigned long long count) {
  __shared__ unsigned long long warp_sums[kDigitWarps];
  const int warp = threadIdx.x / kWarp;
  const auto inclusive =
      warp_inclusive_scan(count, [](unsigned long long a, unsigned long long b) { return a + b; });
  if (warp < kDigitWarps && threadIdx.x % kWarp == kWarp - 1) warp_sums[warp] = inclusive;
  __syncthreads();
  unsigned long long before = inclusive - count;
  for (int other = 0; other < kDigitWarps && other < warp; ++other) before += warp_sums[other];
  __syncthreads();
  return before;
}

/// Each counter has `columns` copies side by side in shared memory, one for each lane modulo `columns`: the
/// more of them, the fewer lanes of a warp meet in one bank or one counter, whatever the keys. A copy counts
/// what one block sees, far less than 2^32.
template <class Bits>
__global__ void __launch_bounds__(kHistogramThreads) digit_histograms_kernel(HistogramTask<Bits> task) {
  extern __shared__ unsigned histograms[];  // [pass][digit][column]
  __shared__ bool is_last;
  const int thread = threadIdx.x;
  const int passes = (task.last_bit - task.first_bit + kDigitBits - 1) / kDigitBits;
  const int counters = passes * kDigits;
  const int last_column = task.columns - 1;
  for (int i = thread; i < counters * task.columns; i += kHistogramThreads) histograms[i] = 0;
  __syncthreads();

  constexpr std::int64_t kChunk = kHistogramThreads * kHistogramItems;
  for (std::int64_t first = blockIdx.x * kChunk; first < task.count; first += gridDim.x * kChunk) {
    Bits keys[kHistogramItems];
    const std::int64_t left = task.count - first;
    const bool whole = left >= kChunk;
#pragma unroll
    for (int i = 0; i < kHistogramItems; ++i) {
      const int k = i * kHistogramThreads + thread;
      if (whole || k < left) keys[i] = task.order.encode(task.keys[first + k]);
    }
    for (int pass = 0; pass < passes; ++pass) {
      const auto digit = digit_of_pass<Bits>(task.first_bit, task.last_bit, pass);
      unsigned* histogram = histograms + pass * kDigits * task.columns + (thread & last_column);
#pragma unroll
      for (int i = 0; i < kHistogramItems; ++i)
        if (whole || i * kHistogramThreads + thread < left)
          atomicAdd(histogram + digit(keys[i]) * task.columns, 1u);
    }
  }
  __syncthreads();

  for (int i = thread; i < counters; i += kHistogramThreads) {
    unsigned sum = 0;
    for (int c = 0; c < task.columns; ++c) sum += histograms[i * task.columns + ((c + thread) & last_column)];
    if (sum > 0) atomicAdd(&task.counters->digits[0][i], static_cast<unsigned long long>(sum));
  }
  const std::int64_t threads = static_cast<std::int64_t>(gridDim.x) * kHistogramThreads;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kHistogramThreads + thread;
       i < task.cleared_words; i += threads)
    task.cleared[i] = 0;

  // The block that comes last sees the counts of all.
  __threadfence();
  __syncthreads();
  if (thread == 0) is_last = atomicAdd(&task.counters->blocks_done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  for (int pass = 0; pass < passes; ++pass) {
    const bool holds_digit = thread < kDigits;
    const auto start = exclusive_start(holds_digit ? __ldcg(&task.counters->digits[pass][thread]) : 0);
    if (holds_digit) task.starts[pass * kDigits + thread] = static_cast<std::int64_t>(start);
  }
}

}  // namespace

template <class Bits>
void digit_histograms(Context& context, HistogramTask<Bits> task) {
  const cudaStream_t stream = stream_of(context);
  const int passes = (task.last_bit - task.first_bit + kDigitBits - 1) / kDigitBits;
  const auto bytes_of = [&](int columns) {
    return passes * kDigits * columns * static_cast<int>(sizeof(unsigned));
  };
  const int own = 1024;  // what the kernel has beside them
  const int most = std::min(kHistogramBytes, traits_of(context).shared_bytes - own);
  task.columns = kWarp;
  while (bytes_of(task.columns) > most) task.columns /= 2;

  constexpr std::int64_t kChunk = kHistogramThreads * kHistogramItems;
  const std::int64_t most_blocks = std::int64_t{traits_of(context).multiprocessors} * kHistogramBlocks;
  const auto blocks = static_cast<unsigned>(std::min((task.count + kChunk - 1) / kChunk, most_blocks));
  // Always the same limit: it is the kernel's, and other threads may be launching it with other digits.
  const auto kernel = digit_histograms_kernel<Bits>;
  SCANLENS_CUDA_CHECK(set_kernel_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  SCANLENS_CUDA_CHECK(launch_kernel(kernel, blocks, kHistogramThreads, bytes_of(task.columns), stream, task));
}

template void digit_histograms(Context&, HistogramTask<std::uint32_t>);
template void digit_histograms(Context&, HistogramTask<std::uint64_t>);

}  // namespace scanlens::gpu
