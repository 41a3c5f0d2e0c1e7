// The CUDA runtime as the backend-neutral sources see it: no CUDA type appears here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "core/context.h"

namespace scanlens::gpu {

/// Makes a device current in this thread, and at its end what was current before, which may be no device or a
/// context of the driver API. It costs a few nanoseconds when the device is current already. Every function
/// below has a guard of its own; kernels are launched under that of core/runtime/dispatch.h.
class DeviceGuard {
 public:
  explicit DeviceGuard(const Context& context);
  explicit DeviceGuard(const Context::Impl& context);
  explicit DeviceGuard(int ordinal);
  ~DeviceGuard();
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  explicit DeviceGuard(void* wanted);

  void* before_ = nullptr;  ///< CUcontext; null when no device was current
  bool switched_ = false;
};

/// Returns how many CUDA devices there are. When there are none, `cause` says why.
int device_count(std::string& cause);

/// Describes device `ordinal`. Throws Error when it does not work or this build has no code for it. Touches
/// no other device.
DeviceInfo probe(int ordinal);

std::byte* allocate(int ordinal, std::size_t bytes);
void release(int ordinal, std::byte* memory) noexcept;
std::size_t available_memory(int ordinal);

/// The traits of a device on which the choice of kernels and grids depends.
struct Traits {
  int multiprocessors = 0;
  int shared_bytes = 0;  ///< the most shared memory that a block can have
  int l2_bytes = 0;
  /// The library's own code that runs on the device was compiled for compute capability 9.0 or newer. A
  /// user's own need not be: core/cuda/launch.cuh checks each kernel.
  bool hopper = false;
};
Traits traits(int ordinal);

/// Returns the device's primary context, a CUcontext.
void* primary_context(int ordinal);

/// Sets memory of the context's device to zero, before anything queued on the stream from now on runs.
void zero(const Context::Impl& context, std::byte* memory, std::size_t bytes);

void* create_stream(int ordinal);
void destroy_stream(int ordinal, void* stream) noexcept;

void synchronize(const Context::Impl& context);
double time(const Context& context, const std::function<void()>& work);
void copy_bytes(const Context& context, const void* from, std::int64_t from_pitch_bytes, void* to,
                std::int64_t to_pitch_bytes, std::int64_t row_bytes, std::int64_t rows);

/// Records what `work` queues on the context's stream. Returns the graph, ready to launch: a cudaGraphExec_t.
void* record(const Context& context, const std::function<void()>& work);
void launch_graph(const Context& context, void* graph);
void destroy_graph(int ordinal, void* graph) noexcept;

}  // namespace scanlens::gpu
