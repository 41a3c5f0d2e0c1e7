// The contents of a Context. This header is for the core's own sources only.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/context.h"
#include "core/devices.h"
#include "core/runtime/device.h"
#include "core/runtime/kept_memory.h"

namespace scanlens {

/// Memory that queued work may use, and graphs may name.
struct Block {
  Memory memory;
  bool recorded = false;  ///< existed when a graph was recorded
};

struct Context::Impl {
  Backend backend = Backend::cpu;
  DeviceInfo device;
  int cuda_ordinal = -1;
  void* cuda_context = nullptr;  ///< CUcontext, the device's primary one
  void* stream = nullptr;        ///< cudaStream_t

  gpu::Traits traits;  ///< of a CUDA context's device

  /// Says of each kernel that launch_early() launched whether its code on the context's device is of compute
  /// capability 9.0 or newer.
  std::unordered_map<const void*, bool> has_hopper_code;

  /// Workspaces are cut one after the other from these blocks; `block` and `used` say where the next cut
  /// goes. No open workspace holds anything behind that place.
  std::vector<Block> blocks;
  std::size_t block = 0;
  std::size_t used = 0;

  /// The memories of a meeting place. The last one is in use; the others are too small.
  struct Meeting {
    const MeetingPlace* place;
    std::vector<Block> memories;
  };
  std::vector<Meeting> meetings;

  /// Device memory that owners of some lifetime gave back (KeptMemory), for the next who asks for about as much.
  std::vector<Memory> spare;
  /// What rooms keep here between their calls, by their claims.
  std::map<const KeptPlace*, std::shared_ptr<void>> things;

  std::map<const void*, Memory> copies;  ///< of tables in host memory, by their addresses

  /// Every graph of this context holds a copy of the pointer, so that the context knows whether any lives.
  std::shared_ptr<const char> recordings = std::make_shared<char>();

  ~Impl();

  /// See meeting_memory() in core/runtime/device.h.
  std::byte* meeting_memory(const MeetingPlace& place, std::size_t bytes);

  /// Allocates `bytes` of the backend's memory, and tries again after trim() when there is not that much.
  Memory allocate(std::size_t bytes);

  /// Waits for the stream, then frees what no open workspace uses and no later kernel meets in, unless a
  /// graph can name it. Returns whether there was anything.
  bool trim();

  /// Marks all blocks as named by a graph, which lives as long as it holds the pointer that this returns.
  std::shared_ptr<const char> pin();

  /// Returns whether a graph that lives may name the block.
  bool pinned(const Block& block) const { return block.recorded && recordings.use_count() > 1; }

  /// Returns the number of the first block that no open workspace uses.
  std::size_t first_idle() const { return used > 0 ? block + 1 : block; }
};

/// Opens the first of `count` CUDA devices that `device` names and that works: `open` throws Error for one
/// that does not. "auto" falls back to the CPU. Throws Error when a device asked for by name does not open;
/// `no_device` says why there is none. It stands apart from Context::open, so that tests can do without CUDA.
std::unique_ptr<Context::Impl> open_first(
    std::string_view device, int count, const std::string& no_device,
    const std::function<std::unique_ptr<Context::Impl>(int ordinal)>& open);

}  // namespace scanlens
