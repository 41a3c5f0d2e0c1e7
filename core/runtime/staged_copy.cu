#include <algorithm>
#include <memory>
#include <vector>

#include "core/runtime/context_impl.h"
#include "core/runtime/cuda_event.cuh"
#include "core/runtime/host_copy.h"
#include "core/runtime/pinned.cuh"
#include "core/runtime/staged_copy.cuh"
#include "core/runtime/wait_mark.h"

namespace scanlens::gpu {
namespace {

struct Chunk {
  Pinned memory{kChunkBytes};
  Event copied{cudaEventDisableTiming};
};

inline constexpr KeptPlace kStaging{};

/// Returns the chunks that the context keeps.
std::shared_ptr<Chunk[]> chunks_of(const Context& context) {
  std::shared_ptr<void>& kept = context.impl().things[&kStaging];
  if (!kept) kept = std::shared_ptr<Chunk[]>(new Chunk[kChunks]);
  return std::static_pointer_cast<Chunk[]>(kept);
}

void copy_up(Chunk* chunks, const std::byte* from, std::byte* to, std::size_t bytes, cudaStream_t stream) {
  for (std::size_t begin = 0, i = 0; begin < bytes; begin += kChunkBytes, ++i) {
    Chunk& chunk = chunks[i % kChunks];
    const std::size_t part = std::min(kChunkBytes, bytes - begin);
    chunk.copied.wait();
    copy_host(from + begin, chunk.memory.data(), part);
    SCANLENS_CUDA_CHECK(
        cudaMemcpyAsync(to + begin, chunk.memory.data(), part, cudaMemcpyHostToDevice, stream));
    chunk.copied.record(stream);
  }
}

void copy_down(Chunk* chunks, const std::byte* from, std::byte* to, std::size_t bytes, cudaStream_t stream) {
  const auto part_at = [&](std::size_t begin) { return std::min(kChunkBytes, bytes - begin); };
  const auto begin_copy = [&](std::size_t i) {
    const std::size_t begin = i * kChunkBytes;
    if (begin >= bytes) return;
    Chunk& chunk = chunks[i % kChunks];
    SCANLENS_CUDA_CHECK(
        cudaMemcpyAsync(chunk.memory.data(), from + begin, part_at(begin), cudaMemcpyDeviceToHost, stream));
    chunk.copied.record(stream);
  };
  for (std::size_t i = 0; i < kChunks; ++i) begin_copy(i);
  for (std::size_t i = 0; i * kChunkBytes < bytes; ++i) {
    const std::size_t begin = i * kChunkBytes;
    chunks[i % kChunks].copied.wait();
    copy_host(chunks[i % kChunks].memory.data(), to + begin, part_at(begin));
    begin_copy(i + kChunks);
  }
}

}  // namespace

void copy_staged(const Context& context, const void* from, void* to, std::size_t bytes, cudaMemcpyKind kind) {
  const std::shared_ptr<Chunk[]> chunks = chunks_of(context);
  const cudaStream_t stream = stream_of(context);
  const auto copy = kind == cudaMemcpyHostToDevice ? copy_up : copy_down;
  copy(chunks.get(), static_cast<const std::byte*>(from), static_cast<std::byte*>(to), bytes, stream);
  const WaitMark mark(context.cuda_ordinal());
  SCANLENS_CUDA_CHECK(cudaStreamSynchronize(stream));
}

}  // namespace scanlens::gpu
