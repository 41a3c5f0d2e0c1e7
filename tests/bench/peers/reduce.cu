#include <cub/device/device_histogram.cuh>
#include <cub/device/device_reduce.cuh>

#include "tests/bench/peers/cub.cuh"

namespace scanlens::bench::gpu {

Peers sum_peers(Context& context, std::span<const float> in, float* result) {
  const int count = static_cast<int>(in.size());
  return {cub_peer(context, "cub::DeviceReduce::Sum",
                   [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                     return cub::DeviceReduce::Sum(scratch, bytes, in.data(), result, count, stream);
                   })};
}

Peers argmin_peers(Context& context, std::span<const float> in, Located<float>* result) {
  const int count = static_cast<int>(in.size());
  auto* index = reinterpret_cast<std::int64_t*>(&result->index);
  return {cub_peer(
      context, "cub::DeviceReduce::ArgMin", [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceReduce::ArgMin(scratch, bytes, in.data(), &result->value, index, count, stream);
      })};
}

Peers histogram_peers(Context& context, std::span<const std::uint8_t> in, std::span<std::uint64_t> bins) {
  // CUB counts in the type of its bins, fastest in 32 bits; ours are of 64.
  auto* counts = reinterpret_cast<unsigned*>(bins.data());
  const int count = static_cast<int>(in.size()), levels = static_cast<int>(bins.size()) + 1;
  return {cub_peer(
      context, "cub::DeviceHistogram, u32 counts",
      [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceHistogram::HistogramEven(scratch, bytes, in.data(), counts, levels, 0, 256, count,
                                                   stream);
      },
      false)};
}

}  // namespace scanlens::bench::gpu
