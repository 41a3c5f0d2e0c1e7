// The CUDA runtime as the backend-neutral sources see it: no CUDA type appears here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/context.h"

namespace scanlens::gpu {

/// How many CUDA devices there are. When there is none, `cause` says why.
int device_count(std::string& cause);

/// What device `ordinal` is, if it works and this build has code for it; else nothing, and `cause` says why.
/// Touches no other device.
std::optional<DeviceInfo> probe(int ordinal, std::string& cause);

std::byte* allocate(int ordinal, std::size_t bytes);
void release(std::byte* memory) noexcept;
std::size_t available_memory(int ordinal);

/// What the choice of kernels and grids depends on.
struct Traits {
  int multiprocessors = 0;
  int shared_bytes = 0;  ///< the most shared memory that a block can have
  bool hopper = false;   ///< the code that runs there was compiled for compute capability 9.0 or newer
};
Traits traits(int ordinal);

/// Memory that is zero before anything queued on `stream` runs.
Memory zeroed(int ordinal, std::size_t bytes, void* stream);

void* create_stream(int ordinal);
void destroy_stream(void* stream) noexcept;

void synchronize(const Context& context);
double time(const Context& context, const std::function<void()>& work);
void copy_bytes(const Context& context, const void* from, std::int64_t from_pitch_bytes, void* to,
                std::int64_t to_pitch_bytes, std::int64_t row_bytes, std::int64_t rows);

/// The graph of what `work` queues on the context's stream, ready to launch: a cudaGraphExec_t.
void* record(const Context& context, const std::function<void()>& work);
void launch_graph(const Context& context, void* graph);
void destroy_graph(void* graph) noexcept;

}  // namespace scanlens::gpu
