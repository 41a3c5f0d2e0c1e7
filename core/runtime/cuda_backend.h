// The CUDA runtime as the backend-neutral sources see it: no CUDA type appears here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/devices.h"
#include "core/runtime/device.h"

namespace scanlens::gpu {

/// Returns the number of CUDA devices. For 0 `cause` says why.
int device_count(std::string& cause);

/// Describes device `ordinal`. Throws Error when it does not work or this build has no code for it. Touches
/// no other device.
DeviceInfo probe(int ordinal);

std::byte* allocate(int ordinal, std::size_t bytes);
void release(int ordinal, std::byte* memory) noexcept;
void release(DeviceAllocator& allocator, std::byte* memory, std::size_t bytes, int ordinal,
             void* stream) noexcept;
std::size_t available_memory(int ordinal);

Traits traits(int ordinal);

/// Returns the device's primary context, a CUcontext.
void* primary_context(int ordinal);

/// Sets memory of the context's device to zero, before anything queued on the stream from now on runs. Never
/// a part of a graph.
void zero(const Context::Impl& context, std::byte* memory, std::size_t bytes);

/// Returns a copy of a constant array of the host's on a device, made at the first call and kept while the
/// process lives: graphs may outlive the context that recorded them.
const std::byte* constant_on_device(int ordinal, const void* array, std::size_t bytes);

/// Returns a copy of a table that `owner` keeps. The copies that were asked for last are kept.
std::shared_ptr<const std::byte> table_on_device(int ordinal, const std::shared_ptr<const void>& owner,
                                                 const void* table, std::size_t bytes);

void* create_stream(int ordinal);
void destroy_stream(int ordinal, void* stream) noexcept;

/// Throws Error (usage) unless the stream is of the device's primary context.
void require_primary(void* stream, int ordinal);

/// See the functions of Context.
void after_stream(const Context::Impl& context, void* stream);
void after_event(const Context::Impl& context, void* event);
void before_stream(const Context::Impl& context, void* stream);
void record_event(const Context::Impl& context, void* event);

/// A capture of the context's stream that is going on.
struct Capture {
  std::uint64_t id = 0;   ///< different for each; 0 where none is going on
  void* graph = nullptr;  ///< a cudaGraph_t, in the making
};
Capture capture_of(const Context::Impl& context);
/// Lets a graph own an arena, which is freed some time after the graph and its last launch are gone.
void let_own(void* graph, std::shared_ptr<Arena> arena);
/// Frees the arenas of graphs that are gone.
void free_ended_arenas();

void synchronize(const Context::Impl& context);
double time(const Context& context, WorkRef work);
void copy_bytes(const Context& context, const void* from, std::int64_t from_pitch_bytes, void* to,
                std::int64_t to_pitch_bytes, std::int64_t row_bytes, std::int64_t rows);

/// Records what `work` queues on the context's stream. Returns the graph, ready to launch: a cudaGraphExec_t.
void* record(const Context& context, WorkRef work);
void launch_graph(const Context& context, void* graph);
void destroy_graph(int ordinal, void* graph) noexcept;

}  // namespace scanlens::gpu
