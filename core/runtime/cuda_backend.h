// The CUDA runtime as the backend-neutral sources see it: no CUDA type appears here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/devices.h"
#include "core/runtime/device.h"

namespace scanlens::gpu {

/// Returns how many CUDA devices there are. When there are none, `cause` says why.
int device_count(std::string& cause);

/// Describes device `ordinal`. Throws Error when it does not work or this build has no code for it. Touches
/// no other device.
DeviceInfo probe(int ordinal);

std::byte* allocate(int ordinal, std::size_t bytes);
void release(int ordinal, std::byte* memory) noexcept;
std::size_t available_memory(int ordinal);

Traits traits(int ordinal);

/// Returns the device's primary context, a CUcontext.
void* primary_context(int ordinal);

/// Sets memory of the context's device to zero, before anything queued on the stream from now on runs.
void zero(const Context::Impl& context, std::byte* memory, std::size_t bytes);

void* create_stream(int ordinal);
void destroy_stream(int ordinal, void* stream) noexcept;

void synchronize(const Context::Impl& context);
double time(const Context& context, WorkRef work);
void copy_bytes(const Context& context, const void* from, std::int64_t from_pitch_bytes, void* to,
                std::int64_t to_pitch_bytes, std::int64_t row_bytes, std::int64_t rows);

/// Records what `work` queues on the context's stream. Returns the graph, ready to launch: a cudaGraphExec_t.
void* record(const Context& context, WorkRef work);
void launch_graph(const Context& context, void* graph);
void destroy_graph(int ordinal, void* graph) noexcept;

}  // namespace scanlens::gpu
