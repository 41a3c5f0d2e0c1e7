// The contents of a Context. This header is for the core's own sources only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/context.h"
#include "core/device_allocator.h"
#include "core/devices.h"
#include "core/runtime/arena.h"
#include "core/runtime/count.h"
#include "core/runtime/device.h"
#include "core/runtime/kept_memory.h"

namespace scanlens {

struct Context::Impl {
  Backend backend = Backend::cpu;
  DeviceInfo device;
  int cuda_ordinal = -1;
  void* cuda_context = nullptr;                ///< CUcontext, the device's primary one
  void* stream = nullptr;                      ///< cudaStream_t
  bool owns_stream = false;                    ///< else it is the caller's, who may be capturing it
  std::shared_ptr<DeviceAllocator> allocator;  ///< null: cudaMalloc

  gpu::Traits traits;  ///< of a CUDA context's device

  /// Says of each kernel that launch_early() launched whether its code on the context's device is of compute
  /// capability 9.0 or newer.
  std::unordered_map<const void*, bool> has_hopper_code;

  std::shared_ptr<Arena> live = std::make_shared<Arena>();
  CallMemory* counted = nullptr;     ///< of a context that counts, while it does
  std::shared_ptr<Arena> recording;  ///< of the calls that a Graph records; null while none does
  /// A graph's arena, which the graph keeps alive.
  struct Captured {
    std::uint64_t id;  ///< of the capture; 0 for a Graph
    std::weak_ptr<Arena> arena;
  };
  std::vector<Captured> captured;

  /// Waits for the stream in place of gpu::synchronize(), where the work there may wait for others; empty
  /// where it does not.
  std::function<void()> wait;

  /// Memory that rooms keep here between their calls, by their claims.
  std::map<const KeptPlace*, std::shared_ptr<void>> things;

  /// A copy of a constant array of the host's on the device.
  struct Constant {
    const std::byte* data = nullptr;
    std::size_t bytes = 0;
  };
  std::map<const void*, Constant> constants;  ///< by the addresses of the host's

  ~Impl();

  /// See meeting_memory() in core/runtime/device.h.
  std::byte* meeting_memory(const MeetingPlace& place, std::size_t bytes);

  /// Returns the arena of a call that is made now.
  std::shared_ptr<Arena> arena();

  /// A meeting place must be zero before a graph runs. Memory of the allocator's may be written by nodes of
  /// the same graph that come earlier.
  enum class Use { scratch, meeting };
  /// Allocates `bytes` of the backend's memory, and tries again after trim() when there is not that much.
  Memory allocate(std::size_t bytes, Use use = Use::scratch);

  /// Waits for the stream, then frees what no open workspace uses and no later kernel meets in, of the live
  /// arena. Returns true if there was anything.
  bool trim();

  /// Makes a new arena known, so that kept_bytes counts it.
  void add_captured(std::uint64_t id, const std::shared_ptr<Arena>& arena);
};

/// Opens the first of `count` CUDA devices that `device` names and that works; `open` throws Error for a
/// device that does not work. "auto" falls back to the CPU. Throws Error when a device asked for by name does
/// not open; `no_device` says why no device is there. It stands apart from Context::open, so that tests can
/// do without CUDA.
std::unique_ptr<Context::Impl> open_first(
    std::string_view device, int count, const std::string& no_device,
    const std::function<std::unique_ptr<Context::Impl>(int ordinal)>& open);

}  // namespace scanlens
