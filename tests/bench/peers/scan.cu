#include <cub/device/device_scan.cuh>
#include <cuda/functional>

#include "tests/bench/peers/cub.cuh"

namespace scanlens::bench::gpu {

template <class In, class Out>
Peers sum_scan_peers(Context& context, ScanKind kind, std::span<const In> in, std::span<Out> out) {
  const int count = static_cast<int>(in.size());
  if (kind == ScanKind::inclusive) {
    Peers peers = {cub_peer(context, "cub::DeviceScan::InclusiveSum",
                            [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                              return cub::DeviceScan::InclusiveSum(scratch, bytes, in.data(), out.data(),
                                                                   count, stream);
                            })};
    // InclusiveSum adds up uint8_t in int; with a first value the type of the sums can be chosen.
    if constexpr (!std::is_same_v<In, Out>)
      peers.push_back(cub_peer(context, "cub::DeviceScan::InclusiveScanInit",
                               [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                                 return cub::DeviceScan::InclusiveScanInit(scratch, bytes, in.data(),
                                                                           out.data(), ::cuda::std::plus<>(),
                                                                           Out{0}, count, stream);
                               }));
    return peers;
  }
  // ExclusiveSum would add up in the input's type, and lose what uint8_t cannot hold.
  return {cub_peer(context, "cub::DeviceScan::ExclusiveSum",
                   [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                     return cub::DeviceScan::ExclusiveScan(scratch, bytes, in.data(), out.data(),
                                                           ::cuda::std::plus<>(), Out{0}, count, stream);
                   })};
}

Peers max_scan_peers(Context& context, std::span<const std::uint32_t> in, std::span<std::uint32_t> out) {
  const int count = static_cast<int>(in.size());
  return {cub_peer(context, "cub::DeviceScan::InclusiveScan",
                   [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                     return cub::DeviceScan::InclusiveScan(scratch, bytes, in.data(), out.data(),
                                                           ::cuda::maximum<>(), count, stream);
                   })};
}

Peers affine_scan_peers(Context& context, std::span<const Affine> in, std::span<Affine> out) {
  const int count = static_cast<int>(in.size());
  return {cub_peer(context, "cub::DeviceScan::InclusiveScan",
                   [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                     return cub::DeviceScan::InclusiveScan(scratch, bytes, in.data(), out.data(), Compose(),
                                                           count, stream);
                   })};
}

Peers segmented_scan_peers(Context& context, std::span<const std::uint32_t> in,
                           std::span<const std::uint8_t> segment, std::span<std::uint32_t> out) {
  const int count = static_cast<int>(in.size());
  return {cub_peer(context, "cub::DeviceScan::InclusiveSumByKey",
                   [=](void* scratch, std::size_t& bytes, cudaStream_t stream) {
                     return cub::DeviceScan::InclusiveSumByKey(scratch, bytes, segment.data(), in.data(),
                                                               out.data(), count, ::cuda::std::equal_to<>(),
                                                               stream);
                   })};
}

#define SCANLENS_INSTANTIATE(In, Out) \
  template Peers sum_scan_peers(Context&, ScanKind, std::span<const In>, std::span<Out>);
SCANLENS_INSTANTIATE(std::uint32_t, std::uint32_t)
SCANLENS_INSTANTIATE(float, float)
SCANLENS_INSTANTIATE(double, double)
SCANLENS_INSTANTIATE(std::uint8_t, std::uint32_t)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens::bench::gpu
