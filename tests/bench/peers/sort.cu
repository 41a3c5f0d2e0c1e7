#include <cub/device/device_radix_sort.cuh>

#include "tests/bench/peers/cub.cuh"

namespace scanlens::bench::gpu {

Peers sort_keys_peers(Context& context, std::span<const std::uint32_t> in, std::span<std::uint32_t> out) {
  const int count = static_cast<int>(in.size());
  return {cub_peer(
      context, "cub::DeviceRadixSort::SortKeys", [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceRadixSort::SortKeys(scratch, bytes, in.data(), out.data(), count, 0, 32, stream);
      })};
}

Peers sort_pairs_peers(Context& context, std::span<const std::uint32_t> keys,
                       std::span<const std::uint32_t> values, std::span<std::uint32_t> keys_out,
                       std::span<std::uint32_t> values_out) {
  const int count = static_cast<int>(keys.size());
  return {cub_peer(context, "cub::DeviceRadixSort::SortPairs",
                   [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                     return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys.data(), keys_out.data(),
                                                            values.data(), values_out.data(), count, 0, 32,
                                                            stream);
                   })};
}

}  // namespace scanlens::bench::gpu
