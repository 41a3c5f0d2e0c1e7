#include "core/runtime/cuda_check.cuh"
#include "filters/dof/backends.h"

namespace scanlens::gpu {
namespace {

constexpr int kBlockWidth = 32;
constexpr int kBlockHeight = 8;

template <int kChannels, class T, class Sum>
__global__ void __launch_bounds__(kBlockWidth* kBlockHeight) dof_gather_kernel(DofTask<T, Sum> task) {
  const int x = static_cast<int>(blockIdx.x * kBlockWidth + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * kBlockHeight + threadIdx.y);
  if (x < task.image.width && y < task.image.height) dof_pixel<kChannels>(task, x, y);
}

}  // namespace

template <class T, class Sum>
void dof_gather(Context& context, const DofTask<T, Sum>& task) {
  const std::int64_t columns = (task.image.width + kBlockWidth - 1) / kBlockWidth;
  const std::int64_t rows = (task.image.height + kBlockHeight - 1) / kBlockHeight;
  const dim3 grid(static_cast<unsigned>(columns), static_cast<unsigned>(rows));
  with_dof_channels(task.image.channels, [&](auto channels) {
    SCANLENS_CUDA_CHECK(launch_kernel(dof_gather_kernel<channels(), T, Sum>, grid,
                                      dim3(kBlockWidth, kBlockHeight), 0, stream_of(context), task));
  });
}

SCANLENS_INSTANTIATE_DOF_GATHER

}  // namespace scanlens::gpu
