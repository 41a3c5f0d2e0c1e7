#include <bit>
#include <span>

#include "core/runtime/cuda_check.cuh"
#include "core/sort.h"
#include "filters/depth/cuda/values.cuh"

namespace scanlens::gpu {
namespace {

__global__ void take_some(View<const float> map, RangeRanks ranks, float* values) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= ranks.count) return;
  const std::int64_t pixel = i * ranks.step;
  values[i] = map(pixel % map.width, pixel / map.width);
}

__global__ void take_range(const float* sorted, RangeRanks ranks, float* range) {
  const float low = sorted[ranks.low], high = sorted[ranks.high];
  *range = high > low ? high - low : sorted[ranks.count - 1] - sorted[0];
}

}  // namespace

const float* find_range(Context& context, Workspace& workspace, View<const float> map) {
  const RangeRanks ranks(map.width * map.height);
  float* const range = workspace.take<float>(1);
  float* const values = workspace.take<float>(ranks.count);
  constexpr int kThreads = 256;
  SCANLENS_CUDA_CHECK(launch_kernel(take_some, dim3(blocks_for(ranks.count, kThreads)), dim3(kThreads), 0,
                                    stream_of(context), map, ranks, values));
  const std::span<float> all(values, static_cast<std::size_t>(ranks.count));
  sort_keys(context, all, all);
  SCANLENS_CUDA_CHECK(launch_kernel(take_range, dim3(1), dim3(1), 0, stream_of(context),
                                    static_cast<const float*>(values), ranks, range));
  return range;
}

ValueRange range_of(const Extremes& extremes) {
  const auto value = [](int place) { return std::bit_cast<float>(place ^ (place >> 31 & 0x7FFFFFFF)); };
  return {value(~extremes.below), value(extremes.most)};
}

}  // namespace scanlens::gpu
