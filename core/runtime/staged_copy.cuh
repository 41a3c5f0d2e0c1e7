// Large copies between pageable host memory and a device, through pinned memory that the context keeps.
//
// The driver copies pageable memory by one thread. Here all threads copy a chunk to or from pinned memory,
// while the copy engine moves the chunks before it: three times as fast where there are four cores or more.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "core/context.h"

namespace scanlens::gpu {

/// Smaller copies gain nothing.
inline constexpr std::size_t kLeastStaged = std::size_t{4} << 20;

/// A context that has made such a copy keeps kChunks * kChunkBytes of pinned memory. The chunks are under way
/// at once.
inline constexpr int kChunks = 4;
inline constexpr std::size_t kChunkBytes = std::size_t{2} << 20;

/// Copies packed bytes between the host and the device of the context's stream; complete at the return. The
/// device is current.
void copy_staged(const Context& context, const void* from, void* to, std::size_t bytes, cudaMemcpyKind kind);

}  // namespace scanlens::gpu
