#include <algorithm>

#include "core/runtime/cuda_check.cuh"
#include "filters/box/backends.h"

namespace scanlens::gpu {
namespace {

constexpr int kBlockWidth = 32;
constexpr int kBlockHeight = 8;
constexpr int kPixels = 4;  // of a thread in a row, so that what is the row's alone is found once for them
constexpr std::int64_t kMostGridHeight = 65535;

template <bool kWeighed, class T, class Sum>
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight) box_gather_kernel(BoxTask<T, Sum> task) {
  const int first = static_cast<int>(blockIdx.x * kBlockWidth * kPixels + threadIdx.x);
  const std::int64_t step = std::int64_t{kBlockHeight} * gridDim.y;
  for (std::int64_t i = blockIdx.y * kBlockHeight + threadIdx.y; i < task.out.height; i += step) {
    const BoxRow<T, Sum> row = box_row(task, i);
#pragma unroll
    for (int k = 0; k < kPixels; ++k)
      if (const int x = first + k * kBlockWidth; x < task.width) {
        if constexpr (kWeighed)
          weighed_box_pixel(task, row, x);
        else
          box_pixel(task, row, x);
      }
  }
}

}  // namespace

template <class T, class Sum>
void box_gather(Context& context, const BoxTask<T, Sum>& task) {
  constexpr int kColumns = kBlockWidth * kPixels;
  const std::int64_t columns = (task.width + kColumns - 1) / kColumns;
  const std::int64_t rows = std::min((task.out.height + kBlockHeight - 1) / kBlockHeight, kMostGridHeight);
  const dim3 grid(static_cast<unsigned>(columns), static_cast<unsigned>(rows));
  const auto kernel =
      task.out.channels == 4 ? box_gather_kernel<true, T, Sum> : box_gather_kernel<false, T, Sum>;
  SCANLENS_CUDA_CHECK(
      launch_kernel(kernel, grid, dim3(kBlockWidth, kBlockHeight), 0, stream_of(context), task));
}

SCANLENS_INSTANTIATE_BOX_GATHER

}  // namespace scanlens::gpu
