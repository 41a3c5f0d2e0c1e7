#include <cub/device/device_merge.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>

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

Peers merge_peers(Context& context, std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                  std::span<std::uint32_t> out) {
  return {cub_peer(
      context, "cub::DeviceMerge::MergeKeys", [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceMerge::MergeKeys(scratch, bytes, a.data(), static_cast<int>(a.size()), b.data(),
                                           static_cast<int>(b.size()), out.data(), {}, stream);
      })};
}

Peers sort_segments_peers(Context& context, std::span<const std::uint32_t> in,
                          std::span<const std::int64_t> offsets, std::span<std::uint32_t> out) {
  // A graph records its radix sort; cub::DeviceSegmentedSort reads the host.
  return {cub_peer(
      context, "cub::DeviceSegmentedRadixSort", [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceSegmentedRadixSort::SortKeys(
            scratch, bytes, in.data(), out.data(), static_cast<int>(in.size()),
            static_cast<int>(offsets.size()) - 1, offsets.data(), offsets.data() + 1, 0, 32, stream);
      })};
}

}  // namespace scanlens::bench::gpu
