#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/cuda/warp.cuh"
#include "core/runtime/cuda_check.cuh"
#include "filters/dof/backends.h"
#include "filters/parts/channels.h"

namespace scanlens::gpu {
namespace {

constexpr int kBlockWidth = 32;
constexpr int kBlockHeight = 8;

/// Number of blocks that a multiprocessor has registers for: enough to fill it with threads, which takes
/// 0.153 ms in place of 0.165. Sums of 64 bits need more registers.
constexpr int gather_blocks(std::size_t sum_bytes) {
  if (sum_bytes > 4) return 1;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
  return 4;
#else
  return 8;
#endif
}

/// Writes the samples of a warp's pixels, which lie side by side in a row; those from `width` on are left
/// out. What is written is not to take the table's place in the L2.
template <int kChannels, class Place, class T>
__device__ void store_samples(const View<T>& out, int x, int y, const T (&samples)[kChannels]) {
  const auto width = static_cast<int>(out.width);
  if constexpr (kChannels == 3 && sizeof(T) == 1) {
    const int lane = static_cast<int>(threadIdx.x);
    T* const first = sample_at<kChannels, Place>(out, x - lane, y);
    if (x - lane + kWarp <= width && reinterpret_cast<std::uintptr_t>(first) % sizeof(unsigned) == 0) {
      // Four pixels are three words, which three of their lanes write.
      const unsigned own = samples[0] | static_cast<unsigned>(samples[1]) << 8 |
                           static_cast<unsigned>(samples[2]) << 16,
                     next = __shfl_down_sync(kAllLanes, own, 1), word = lane % 4;
      if (word < 3)
        __stcs(reinterpret_cast<unsigned*>(first) + lane / 4 * 3 + word,
               own >> (8 * word) | next << (24 - 8 * word));
      return;
    }
  }
  if (x >= width) return;
  T* const to = sample_at<kChannels, Place>(out, x, y);
  for (int c = 0; c < kChannels; ++c) __stcs(to + c, samples[c]);
}

/// A block fetches what other blocks are going to read, at most this many rows above its own: a quarter of
/// the L2 holds the table's part.
constexpr std::int64_t kMostRowsAhead = 160;

/// Fetches disparity and entries of the table into the L2 for a block's pixels from (x, y) on: by a warp, a
/// lane per line.
template <int kChannels, class Place, class T, class Sum>
__device__ void fetch(const DofTask<T, Sum>& task, int x, int y) {
  constexpr unsigned kEntries = 128 / sizeof(Sum), kOfTable = kWarp * kChannels / kEntries,
                     kOfRow = kOfTable + 1;
  const unsigned entries = (static_cast<unsigned>(task.image.width) - x) * kChannels;  // to the end of a row
#pragma unroll 1  // of three channels of 32 bits there are just as many lines as lanes
  for (unsigned i = threadIdx.x; i < kOfRow * kBlockHeight; i += kWarp) {
    const int row = y + static_cast<int>(i / kOfRow);
    const unsigned first = i % kOfRow * kEntries;  // past those of the table comes the disparity
    const bool of_table = first < kOfTable * kEntries;
    if (row < 0 || (of_table && first >= entries)) continue;
    const void* line = sample_at<1, Place>(task.disparity, x, row);
    if (of_table) line = sample_at<kChannels, Place>(task.table, x, row) + first;
    asm volatile("prefetch.global.L2 [%0];" ::"l"(line));
  }
}

/// A warp has pixels side by side. Blocks go up the picture, since the lowest rows of the table were written
/// last and are still in the L2. On an H100 at 3840 x 2160 that saves 0.0035 of 0.153 ms. Loads and stores
/// that are used once say so, which saves 0.007. On an H200 places of 32 bits, which take fewer instructions,
/// save 0.007 of 0.096 ms, and rows fetched ahead 0.005.
template <int kChannels, class Place, class T, class Sum>
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight, gather_blocks(sizeof(Sum)))
    dof_gather_kernel(DofTask<T, Sum> task, int rows_ahead) {
  static_assert(kBlockWidth == kWarp);
  const int x0 = static_cast<int>(blockIdx.x) * kBlockWidth, x = x0 + static_cast<int>(threadIdx.x);
  const int y0 = static_cast<int>(gridDim.y - 1 - blockIdx.y) * kBlockHeight,
            y = y0 + static_cast<int>(threadIdx.y);
  if (threadIdx.y == 0 && rows_ahead > 0) fetch<kChannels, Place>(task, x0, y0 - rows_ahead);
  if (y >= static_cast<int>(task.image.height)) return;
  T samples[kChannels] = {};
  if (x < static_cast<int>(task.image.width))
    dof_pixel<kChannels, Place>(task, x, y, __ldcs(sample_at<1, Place>(task.disparity, x, y)), samples);
  store_samples<kChannels, Place>(task.out, x, y, samples);
}

template <class Place, class T, class Sum>
void launch_gather(Context& context, const DofTask<T, Sum>& task) {
  const std::int64_t columns = (task.image.width + kBlockWidth - 1) / kBlockWidth;
  const std::int64_t rows = (task.image.height + kBlockHeight - 1) / kBlockHeight;
  const dim3 grid(static_cast<unsigned>(columns), static_cast<unsigned>(rows));
  const std::int64_t rows_held =
      l2_bytes_of(context) / 4 / (task.table.pitch * static_cast<std::int64_t>(sizeof(Sum)));
  // Fewer pixels than a block has are left out, so that all lie in the picture.
  const auto rows_ahead =
      rows_held < kBlockHeight ? 0 : static_cast<int>(std::min(kMostRowsAhead, rows_held));
  for_channels(task.image.channels, [&](auto channels) {
    SCANLENS_CUDA_CHECK(launch_kernel(dof_gather_kernel<channels(), Place, T, Sum>, grid,
                                      dim3(kBlockWidth, kBlockHeight), 0, stream_of(context), task,
                                      rows_ahead));
  });
}

}  // namespace

template <class T, class Sum>
void dof_gather(Context& context, const DofTask<T, Sum>& task) {
  const auto counted = [](const auto& view) { return view.extent() <= UINT32_MAX; };
  if (counted(task.table) && counted(task.image) && counted(task.disparity) && counted(task.out))
    launch_gather<std::uint32_t>(context, task);
  else
    launch_gather<std::int64_t>(context, task);
}

SCANLENS_INSTANTIATE_DOF_GATHER

}  // namespace scanlens::gpu
