#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

#include "tests/bench/peers/cub.cuh"

namespace scanlens::bench::gpu {
namespace {

struct Below {
  std::uint32_t bound;
  __host__ __device__ bool operator()(std::uint32_t value) const { return value < bound; }
};

}  // namespace

Peers compact_if_peers(Context& context, std::span<const std::uint32_t> in, std::uint32_t below,
                       std::span<std::uint32_t> out, std::uint64_t* count) {
  return {
      cub_peer(context, "cub::DeviceSelect::If", [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceSelect::If(scratch, bytes, in.data(), out.data(), count, in.size(), Below{below},
                                     stream);
      })};
}

Peers compact_flagged_peers(Context& context, std::span<const std::uint32_t> in,
                            std::span<const std::uint8_t> flags, std::span<std::uint32_t> out,
                            std::uint64_t* count) {
  return {cub_peer(context, "cub::DeviceSelect::Flagged",
                   [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                     return cub::DeviceSelect::Flagged(scratch, bytes, in.data(), flags.data(), out.data(),
                                                       count, in.size(), stream);
                   })};
}

Peers partition_peers(Context& context, std::span<const std::uint32_t> in, std::uint32_t below,
                      std::span<std::uint32_t> both, std::uint64_t* count) {
  return {cub_peer(
      context, "cub::DevicePartition::If",
      [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
        return cub::DevicePartition::If(scratch, bytes, in.data(), both.data(), count, in.size(),
                                        Below{below}, stream);
      },
      kInOneArray)};
}

Peers unique_peers(Context& context, std::span<const std::uint32_t> in, std::span<std::uint32_t> out,
                   std::uint64_t* count) {
  return {cub_peer(
      context, "cub::DeviceSelect::Unique", [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceSelect::Unique(scratch, bytes, in.data(), out.data(), count, in.size(), stream);
      })};
}

}  // namespace scanlens::bench::gpu
