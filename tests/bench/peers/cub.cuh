// CUB's device functions are called twice, the first time only to learn how much scratch memory they want.
#pragma once

#include "core/runtime/cuda_check.cuh"
#include "core/runtime/device.h"
#include "tests/bench/peers/peers.h"

namespace scanlens::bench::gpu {

/// Makes a peer that runs call(scratch, scratch_bytes, stream) with scratch memory from the context's
/// workspace.
template <class Call>
Peer cub_peer(Context& context, const char* name, Call call, bool same_result = true) {
  return {name,
          [&context, call] {
            const scanlens::gpu::DeviceGuard device(context);
            const cudaStream_t stream = scanlens::gpu::stream_of(context);
            std::size_t bytes = 0;
            SCANLENS_CUDA_CHECK(call(nullptr, bytes, stream));
            Workspace workspace(context);
            void* scratch =
                workspace.take<std::byte>(static_cast<std::int64_t>(bytes) + 1);  // null would only ask
            SCANLENS_CUDA_CHECK(call(scratch, bytes, stream));
          },
          same_result};
}

}  // namespace scanlens::bench::gpu
