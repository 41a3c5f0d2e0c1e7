// Histograms on CUDA: every block counts in shared memory and adds its counts to the bins at its end.
//
// Bins beyond the room of shared memory are dealt to several blocks. These go over the same elements at the
// same time, so all but the first find them in the L2 cache.
#include <algorithm>

#include "core/cuda/array_visit.cuh"
#include "core/cuda/block_counters.cuh"
#include "core/cuda/warp.cuh"
#include "core/reduce/histogram_backends.h"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"

namespace scanlens::gpu {
namespace {

constexpr int kThreads =
    1024;  // one block per multiprocessor: the fewer blocks, the fewer counts to add up in the end
constexpr int kMostCounters = 32768;  // 128 KB; the rest of shared memory serves better as L1 cache

/// The layout of a block's counters.
struct Layout {
  int bins;    ///< of a block
  int tiles;   ///< blocks that share the bins
  int copies;  ///< counters per bin, a power of two
};

/// Vectors on their way per thread; more of floats, whose bins take the longest to find, are slower on an
/// H200.
template <class T>
using Source = ArraySource<T, std::is_same_v<T, float> ? 4 : 8>;

/// Bytes have so few values that values are counted, and mapped to bins in the end.
template <class T>
constexpr bool kCountsValues = sizeof(T) == 1;

template <class T>
__global__ void __launch_bounds__(kThreads, 1)
    histogram_kernel(Source<T> source, std::uint64_t n, BinOf<T> bin_of, Layout layout,
                     unsigned long long* bins) {
  extern __shared__ unsigned counters[];
  const int first_bin = blockIdx.y * layout.bins;
  clear_counters(counters, layout.bins * layout.copies);
  __syncthreads();

  const unsigned copy = threadIdx.x % layout.copies;
  const auto thread = static_cast<std::uint64_t>(blockIdx.x) * kThreads + threadIdx.x;
  visit(source, n, thread, static_cast<std::uint64_t>(gridDim.x) * kThreads,
        [&](auto count, const T* x, auto) {
#pragma unroll
          for (int i = 0; i < count; ++i) {
            if constexpr (kCountsValues<T>) {
              atomicAdd(&counters[x[i] * kWarp + copy], 1u);
            } else {
              const auto bin = static_cast<unsigned>(bin_of(x[i]) - first_bin);  // huge when below the first
              if (bin < static_cast<unsigned>(layout.bins))
                atomicAdd(&counters[bin * layout.copies + copy], 1u);
            }
          }
        });
  __syncthreads();

  for (int i = threadIdx.x; i < layout.bins; i += kThreads) {
    const unsigned long long sum = counted(counters, i, layout.copies);
    int bin = first_bin + i;
    if constexpr (kCountsValues<T>) bin = bin_of(static_cast<T>(i));
    if (sum > 0 && bin < bin_of.bins) atomicAdd(&bins[bin], sum);
  }
}

template <class T>
Layout layout_for(int bins, int most_counters) {
  if (kCountsValues<T>) return {256, 1, kWarp};
  const int tiles = (bins + most_counters - 1) / most_counters;
  Layout layout{(bins + tiles - 1) / tiles, tiles, 1};
  while (layout.copies < kWarp && layout.bins * layout.copies * 2 <= most_counters) layout.copies *= 2;
  return layout;
}

}  // namespace

template <class T>
void histogram(Context& context, const T* in, std::int64_t n, const BinOf<T>& bin_of, std::uint64_t* bins) {
  const cudaStream_t stream = stream_of(context);
  SCANLENS_CUDA_CHECK(
      cudaMemsetAsync(bins, 0, static_cast<std::size_t>(bin_of.bins) * sizeof(std::uint64_t), stream));
  if (n == 0) return;

  // The limit is the kernel's, not the launch's: all contexts set the same.
  constexpr int kBytes = sizeof(unsigned);
  const int most_counters = std::min(traits_of(context).shared_bytes / kBytes, kMostCounters);
  const auto kernel = histogram_kernel<T>;
  SCANLENS_CUDA_CHECK(
      set_kernel_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_counters * kBytes));
  const Layout layout = layout_for<T>(bin_of.bins, most_counters);
  const int bytes = layout.bins * layout.copies * kBytes;

  // As many elements per block as make the counting outweigh the clearing and the adding up.
  const std::int64_t worthwhile = std::max(kThreads * 16, layout.bins * 4);
  const std::int64_t most_blocks = std::max(1, traits_of(context).multiprocessors / layout.tiles);
  const auto blocks = static_cast<unsigned>(std::min(n / worthwhile + 1, most_blocks));
  SCANLENS_CUDA_CHECK(launch_kernel(kernel, dim3(blocks, static_cast<unsigned>(layout.tiles)), kThreads,
                                    bytes, stream, Source<T>{in}, static_cast<std::uint64_t>(n), bin_of,
                                    layout, reinterpret_cast<unsigned long long*>(bins)));
}

#define SCANLENS_INSTANTIATE(T) \
  template void histogram(Context&, const T*, std::int64_t, const BinOf<T>&, std::uint64_t*);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(std::uint32_t)
SCANLENS_INSTANTIATE(float)
SCANLENS_INSTANTIATE(double)

}  // namespace scanlens::gpu
