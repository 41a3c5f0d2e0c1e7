// Compaction in the two steps of the text-book: a scan of the flags gives each kept element its place, and a
// scatter puts it there. Source: GPU Gems 3, section 39.3.1.
#include <algorithm>

#include "core/held/compactions.h"
#include "core/operators.h"
#include "core/runtime/cuda_check.cuh"
#include "core/scan/backends.h"
#include "core/textbook/backends.h"

namespace scanlens::gpu {
namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMostGridBlocks = 1 << 16;

__device__ std::int64_t first_element() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ std::int64_t step() {
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

/// A flag may be any value but 0; what is scanned is 0 or 1.
__global__ void mark_kernel(const std::uint8_t* flags, std::uint32_t* marks, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += step()) marks[i] = flags[i] != 0 ? 1 : 0;
}

template <class T>
__global__ void scatter_kernel(const T* in, const std::uint8_t* flags, const std::uint32_t* places, T* out,
                               std::uint64_t* count, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += step()) {
    if (flags[i] != 0) out[places[i]] = in[i];
    if (i == n - 1) *count = std::uint64_t{places[i]} + (flags[i] != 0 ? 1 : 0);
  }
}

}  // namespace

template <class T>
void compact_scan_scatter(Context& context, const T* in, const std::uint8_t* flags, T* out,
                          std::uint64_t* count, std::int64_t n) {
  const cudaStream_t stream = stream_of(context);
  if (n == 0) {
    SCANLENS_CUDA_CHECK(cudaMemsetAsync(count, 0, sizeof(*count), stream));
    return;
  }
  const auto blocks = static_cast<unsigned>(std::min((n + kThreads - 1) / kThreads, kMostGridBlocks));
  Workspace workspace(context);
  auto* places = workspace.take<std::uint32_t>(n);
  SCANLENS_CUDA_CHECK(launch_kernel(mark_kernel, blocks, kThreads, 0, stream, flags, places, n));
  scan(context, static_cast<const std::uint32_t*>(places), places, n, scan_form<Sum, std::uint32_t>(false),
       Sum());
  SCANLENS_CUDA_CHECK(
      launch_kernel(scatter_kernel<T>, blocks, kThreads, 0, stream, in, flags, places, out, count, n));
}

#define SCANLENS_INSTANTIATE(name, T)                                                             \
  template void compact_scan_scatter(Context&, const T*, const std::uint8_t*, T*, std::uint64_t*, \
                                     std::int64_t);
SCANLENS_COMPACTED_BITS(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
