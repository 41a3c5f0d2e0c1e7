// Counts of pixels on CUDA: the picture is read once, every block counts in shared memory, and adds its
// counts to those of all at its end.
//
// The counters of 8 bits fit one block (core/cuda/block_counters.cuh). Those of 16 bits are dealt to several
// blocks. These go over the same pixels at the same time, so that all but the first find them in the L2
// cache: of 100 Mpx RGB five shares of 52429 counters take 0.95 ms on an H200, where a radix sort of one
// plane takes 1.1.
#include <algorithm>

#include "core/cuda/block_counters.cuh"
#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"
#include "filters/parts/channels.h"
#include "filters/statistics/backends.h"
#include "filters/statistics/groups.h"

namespace scanlens::gpu {
namespace {

constexpr int kThreads = 1024;  // one block per multiprocessor, as for histograms

/// Counters of each code of 8 bits: an addition in shared memory takes two cycles on an H200 anyway, so that
/// two lanes may meet at a bank (in ms, 100 Mpx RGB: 32 copies 0.129, 16 0.128, 8 0.170). The second for RGBA
/// on GPUs with less than 80 KB of shared memory.
constexpr int kManyCopies = 16, kFewCopies = 8;

/// All planes are counted at once where there are few codes.
template <class T>
constexpr bool kAllPlanes = sizeof(T) == 1;

/// Counts all planes of the chosen pixels in the counters of a lane; the first lies at `own`.
template <int kCopies, class T, int C>
__device__ void count_all(const PixelGroup<T, C>& group, unsigned chosen, unsigned own) {
  constexpr unsigned kCode = kCopies * sizeof(unsigned), kPlane = kCodes<T> * kCode;
#pragma unroll
  for (int i = 0; i < group.kPixels; ++i) {
    if (!(chosen >> i & 1)) continue;
#pragma unroll
    for (int c = 0; c < C; ++c) increase_counter(own + c * kPlane + group.sample(i, c) * kCode);
    if constexpr (C > 1) increase_counter(own + C * kPlane + group.luma(i) * kCode);
  }
}

/// Counts the codes whose counters are this block's: those from `first_counter` on.
template <class T, int C>
__device__ void count_share(const PixelGroup<T, C>& group, unsigned chosen, int first_counter, int counters,
                            unsigned* counts) {
  const auto count = [&](int plane, const auto& code_of) {
    const int before = static_cast<int>(plane * kCodes<T>) - first_counter;
    if (before >= counters || before + static_cast<int>(kCodes<T>) <= 0) return;
#pragma unroll
    for (int i = 0; i < group.kPixels; ++i) {
      const auto place = static_cast<unsigned>(code_of(i) + before);  // huge below the first
      if ((chosen >> i & 1) && place < static_cast<unsigned>(counters)) atomicAdd(&counts[place], 1u);
    }
  };
#pragma unroll
  for (int c = 0; c < C; ++c) count(c, [&](int i) { return int{group.sample(i, c)}; });
  if constexpr (C > 1) count(C, [&](int i) { return int{group.luma(i)}; });
}

template <class T, int C, int kCopies>
__global__ void __launch_bounds__(kThreads, 1)
    count_kernel(const __grid_constant__ PixelSources<T> sources, const __grid_constant__ Selection selection,
                 const __grid_constant__ PixelNotes notes, int bins, unsigned long long* counts) {
  using Group = PixelGroup<T, C>;
  extern __shared__ unsigned counters[];
  const int first_bin = static_cast<int>(blockIdx.y) * bins;
  clear_counters(counters, bins * kCopies);
  __syncthreads();

  [[maybe_unused]] const unsigned own = counter_address(counters + threadIdx.x % kCopies);
  const std::int64_t pixels = sources.image.width * sources.image.height;
  const std::int64_t step = std::int64_t{gridDim.x} * kThreads * Group::kPixels;
  for (std::int64_t first = (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) * Group::kPixels;
       first < pixels; first += step) {
    const int count = pixels - first < Group::kPixels ? static_cast<int>(pixels - first) : Group::kPixels;
    const Group group(sources, first, count);
    const unsigned chosen = group.chosen(selection);
    if (blockIdx.y == 0) note(group, first, count, chosen, notes);
    if constexpr (kAllPlanes<T>)
      count_all<kCopies>(group, chosen, own);
    else
      count_share(group, chosen, first_bin, bins, counters);
  }
  __syncthreads();

  counts += first_bin;
  for (int bin = threadIdx.x; bin < bins; bin += kThreads)
    if (const unsigned long long sum = counted(counters, bin, kCopies)) atomicAdd(&counts[bin], sum);
}

/// Launches blocks, each with the counters of `bins` bins, out of all planes' one after the other.
template <class T, int C, int kCopies>
void launch(Context& context, const Traits& device, const PixelSources<T>& sources,
            const Selection& selection, const PixelNotes& notes, int bins, std::uint64_t* counts) {
  const int shares = (static_cast<int>(count_planes(C) * kCodes<T>) + bins - 1) / bins;
  const std::int64_t worthwhile = (groups_of(sources.image) + kThreads - 1) / kThreads;
  const auto blocks =
      static_cast<unsigned>(std::min<std::int64_t>(worthwhile, std::max(1, device.multiprocessors / shares)));
  const std::size_t bytes = sizeof(unsigned) * static_cast<std::size_t>(bins) * kCopies;
  const auto kernel = count_kernel<T, C, kCopies>;
  SCANLENS_CUDA_CHECK(set_kernel_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                           static_cast<std::int64_t>(bytes)));
  SCANLENS_CUDA_CHECK(launch_kernel(kernel, dim3(blocks, static_cast<unsigned>(shares)), kThreads, bytes,
                                    stream_of(context), sources, selection, notes, bins,
                                    reinterpret_cast<unsigned long long*>(counts)));
}

}  // namespace

template <class T>
void count_pixels(Context& context, const PixelSources<T>& sources, const Selection& selection,
                  const PixelNotes& notes, std::uint64_t* counts) {
  const std::int64_t size = count_planes(sources.image.channels) * kCodes<T>;
  SCANLENS_CUDA_CHECK(
      cudaMemsetAsync(counts, 0, static_cast<std::size_t>(size) * sizeof(std::uint64_t), stream_of(context)));
  if (sources.image.empty()) return;
  const Traits& device = traits_of(context);
  const int most_counters = device.shared_bytes / static_cast<int>(sizeof(unsigned));
  for_channels(sources.image.channels, [&]<int C>(std::integral_constant<int, C>) {
    constexpr int kBins = static_cast<int>(count_planes(C) * kCodes<T>);
    if constexpr (!kAllPlanes<T>) {
      const int shares = (kBins + most_counters - 1) / most_counters;
      return launch<T, C, 1>(context, device, sources, selection, notes, (kBins + shares - 1) / shares,
                             counts);
    } else {
      if constexpr (C == 4)
        if (kBins * kManyCopies > most_counters)
          return launch<T, C, kFewCopies>(context, device, sources, selection, notes, kBins, counts);
      launch<T, C, kManyCopies>(context, device, sources, selection, notes, kBins, counts);
    }
  });
}

SCANLENS_INSTANTIATE_COUNT_PIXELS

}  // namespace scanlens::gpu
