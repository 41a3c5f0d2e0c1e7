#include <algorithm>

#include "core/cuda_check.cuh"
#include "filters/dof_backends.h"

namespace scanlens::cuda {
namespace {

constexpr int kBlockWidth = 32;
constexpr int kBlockHeight = 8;
constexpr std::int64_t kMostGridRows = 65535;

template <class T, class Sum>
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight) dof_gather_kernel(DofTask<T, Sum> task) {
  const std::int64_t x = static_cast<std::int64_t>(blockIdx.x) * kBlockWidth + threadIdx.x;
  if (x >= task.image.width) return;
  for (std::int64_t y = static_cast<std::int64_t>(blockIdx.y) * kBlockHeight + threadIdx.y; y < task.image.height;
       y += static_cast<std::int64_t>(gridDim.y) * kBlockHeight)
    dof_pixel(task, x, y);
}

}  // namespace

template <class T, class Sum>
void dof_gather(Context& context, const DofTask<T, Sum>& task) {
  const std::int64_t columns = (task.image.width + kBlockWidth - 1) / kBlockWidth;
  const std::int64_t rows = std::min((task.image.height + kBlockHeight - 1) / kBlockHeight, kMostGridRows);
  const dim3 grid(static_cast<unsigned>(columns), static_cast<unsigned>(rows));
  dof_gather_kernel<<<grid, dim3(kBlockWidth, kBlockHeight), 0, stream_of(context)>>>(task);
  CUDA_CHECK_LAUNCH(dof_gather_kernel);
}

SCANLENS_INSTANTIATE_DOF_GATHER

}  // namespace scanlens::cuda
