// What a Context holds. For the core's own sources only.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/context.h"
#include "core/runtime/cuda_backend.h"

namespace scanlens {

/// A room's claim to memory of every context, where the blocks of its running kernels leave what others wait
/// for. A room declares one for each kind of kernel, as an `inline constexpr` variable, whose address is the
/// key.
struct MeetingPlace {};

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

  /// Which kernels have code of compute capability 9.0 on the context's device, as far as they were launched
  /// (launch_early).
  std::unordered_map<const void*, bool> has_hopper_code;

  /// Workspaces are cut one after the other from these blocks; `block` and `used` say where the next cut
  /// goes. No open workspace has anything of a block behind that place.
  std::vector<Block> blocks;
  std::size_t block = 0;
  std::size_t used = 0;

  /// The memories of a meeting place. The last one is in use; the others were too small.
  struct Meeting {
    const MeetingPlace* place;
    std::vector<Block> memories;
  };
  std::vector<Meeting> meetings;

  std::map<const void*, Memory> copies;  ///< of tables of the host, by their addresses

  /// Every graph of this context holds a copy, so that the context knows whether any lives.
  std::shared_ptr<const char> recordings = std::make_shared<char>();

  ~Impl();

  /// At least `bytes` of device memory, the same at every call for this place until one asks for more than it
  /// has. It is zero before the first kernel that gets it runs, and never cleared again. What a call returned
  /// may be given back once a later call for the place has asked for more. The first call allocates, so that
  /// it cannot be recorded; the work that a Graph runs before it records has made it by then.
  std::byte* meeting_memory(const MeetingPlace& place, std::size_t bytes);

  /// `bytes` of the backend's memory. When there is not that much, what trim() gives back is tried.
  Memory allocate(std::size_t bytes);

  /// Waits for the stream, then frees what no open workspace uses, nobody meets in any more and no graph can
  /// name. Returns whether there was anything.
  bool trim();

  /// From now on all blocks may be named by a graph, which lives as long as it holds what is returned.
  std::shared_ptr<const char> pin();

  /// Whether a graph that lives may name the block.
  bool pinned(const Block& block) const { return block.recorded && recordings.use_count() > 1; }

  /// The first block that no open workspace uses.
  std::size_t first_idle() const { return used > 0 ? block + 1 : block; }
};

/// Opens the first device that `device` names, of `count` CUDA devices, and works: `open` throws Error for
/// one that does not. "auto" goes on to the CPU. Throws Error when a device asked for by name does not open;
/// `no_device` says why there is none. Apart from Context::open, so that tests can do without CUDA.
std::unique_ptr<Context::Impl> open_first(
    std::string_view device, int count, const std::string& no_device,
    const std::function<std::unique_ptr<Context::Impl>(int ordinal)>& open);

}  // namespace scanlens
