// Counts of pixels on CUDA: the picture is read once, every block counts in shared memory, and adds its
// counts to those of all at its end.
//
// The counters of 8 bits fit one block, up to 32 for each code (core/cuda/block_counters.cuh). Those of 16
// bits are dealt to several blocks, each with a part of the codes of one plane, which go over the same pixels
// at the same time, so that all but the first find them in the L2 cache.
#include <algorithm>

#include "core/cuda/block_counters.cuh"
#include "core/runtime/cuda_backend.h"
#include "core/runtime/cuda_check.cuh"
#include "filters/statistics/backends.h"
#include "filters/statistics/groups.h"

namespace scanlens::gpu {
namespace {

constexpr int kThreads = 1024;  // one block per multiprocessor, as for histograms
constexpr int kPlanesOfMost = 5;
constexpr int kMostCounters = kPlanesOfMost * 256 * kWarp;  // 160 KB; the rest serves better as L1 cache

/// What a block counts.
struct Share {
  int planes, codes;  ///< so many of both
  int parts;          ///< into which the codes are dealt
  int copies;         ///< counters of each code
};

/// All at once where there are few codes.
template <class T>
constexpr bool kAllPlanes = sizeof(T) == 1;

template <class T>
Share share_of_block(int planes, int most_counters) {
  if (kAllPlanes<T>) return {planes, 256, 1, counter_copies(planes * 256, most_counters)};
  int codes = static_cast<int>(kCodes<T>);
  while (codes > most_counters) codes /= 2;
  return {1, codes, static_cast<int>(kCodes<T>) / codes, 1};
}

/// Counts all planes of the chosen pixels in the counters of this lane.
template <class T, int C>
__device__ void count_all(const PixelGroup<T, C>& group, unsigned chosen, int copies, unsigned* counters) {
#pragma unroll
  for (int i = 0; i < group.kPixels; ++i) {
    if (!(chosen >> i & 1)) continue;
#pragma unroll
    for (int c = 0; c < C; ++c) atomicAdd(&counters[(group.sample(i, c) + c * kCodes<T>)*copies], 1u);
    if constexpr (C > 1) atomicAdd(&counters[(group.luma(i) + C * kCodes<T>)*copies], 1u);
  }
}

/// Counts the codes of one plane that fall to this block.
template <class T, int C>
__device__ void count_part(const PixelGroup<T, C>& group, unsigned chosen, const Share& share,
                           unsigned* counters) {
  const int first_code = blockIdx.y % share.parts * share.codes, its_plane = blockIdx.y / share.parts;
  const auto count = [&](const auto& code_of) {
#pragma unroll
    for (int i = 0; i < group.kPixels; ++i) {
      const auto place = static_cast<unsigned>(code_of(i) - first_code);  // huge below the first
      if ((chosen >> i & 1) && place < static_cast<unsigned>(share.codes)) atomicAdd(&counters[place], 1u);
    }
  };
#pragma unroll
  for (int c = 0; c < C; ++c)
    if (c == its_plane) count([&](int i) { return int{group.sample(i, c)}; });
  if constexpr (C > 1)
    if (its_plane == C) count([&](int i) { return int{group.luma(i)}; });
}

template <class T, int C>
__global__ void __launch_bounds__(kThreads, 1)
    count_kernel(const __grid_constant__ PixelSources<T> sources, const __grid_constant__ Selection selection,
                 const __grid_constant__ PixelNotes notes, Share share, unsigned long long* counts) {
  using Group = PixelGroup<T, C>;
  extern __shared__ unsigned counters[];
  const int bins = share.planes * share.codes;
  clear_counters(counters, bins * share.copies);
  __syncthreads();

  unsigned* const own = counters + threadIdx.x % share.copies;
  const std::int64_t pixels = sources.image.width * sources.image.height;
  const std::int64_t step = std::int64_t{gridDim.x} * kThreads * Group::kPixels;
  for (std::int64_t first = (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) * Group::kPixels;
       first < pixels; first += step) {
    const int count = pixels - first < Group::kPixels ? static_cast<int>(pixels - first) : Group::kPixels;
    const Group group(sources, first, count);
    const unsigned chosen = group.chosen(selection);
    if (blockIdx.y == 0) note(group, first, count, chosen, notes);
    if constexpr (kAllPlanes<T>)
      count_all(group, chosen, share.copies, own);
    else
      count_part(group, chosen, share, counters);
  }
  __syncthreads();

  counts += std::int64_t{blockIdx.y} * bins;
  for (int bin = threadIdx.x; bin < bins; bin += kThreads)
    if (const unsigned long long sum = counted(counters, bin, share.copies)) atomicAdd(&counts[bin], sum);
}

}  // namespace

template <class T>
void count_pixels(Context& context, const PixelSources<T>& sources, const Selection& selection,
                  const PixelNotes& notes, std::uint64_t* counts) {
  const cudaStream_t stream = stream_of(context);
  const int planes = count_planes(sources.image.channels);
  SCANLENS_CUDA_CHECK(cudaMemsetAsync(
      counts, 0, static_cast<std::size_t>(planes * kCodes<T>) * sizeof(std::uint64_t), stream));
  const std::int64_t groups = groups_of(sources.image);
  if (groups == 0) return;

  // The limit is the kernel's, not the launch's: all contexts set the same.
  constexpr int kBytes = sizeof(unsigned);
  const Traits device = traits(context.cuda_ordinal());
  const int most_counters = std::min(device.shared_bytes / kBytes, kMostCounters);
  const Share share = share_of_block<T>(planes, most_counters);
  const int tiles = planes / share.planes * share.parts;
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(
      (groups + kThreads - 1) / kThreads, std::max(1, device.multiprocessors / tiles)));
  for_channels(sources.image.channels, [&]<int C>(std::integral_constant<int, C>) {
    const auto kernel = count_kernel<T, C>;
    SCANLENS_CUDA_CHECK(
        set_kernel_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most_counters * kBytes));
    SCANLENS_CUDA_CHECK(launch_kernel(kernel, dim3(blocks, static_cast<unsigned>(tiles)), kThreads,
                                      share.planes * share.codes * share.copies * kBytes, stream, sources,
                                      selection, notes, share,
                                      reinterpret_cast<unsigned long long*>(counts)));
  });
}

SCANLENS_INSTANTIATE_COUNT_PIXELS

}  // namespace scanlens::gpu
