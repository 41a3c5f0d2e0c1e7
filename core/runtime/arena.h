// The memory that calls reuse. This header is for the core's own sources only.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/context.h"
#include "core/runtime/device.h"

namespace scanlens {

/// Memory that work in one order shares: the calls on a context's stream, or those that one graph holds.
/// Graphs may run beside calls and beside each other, so that each has an arena of its own.
struct Arena {
  /// Workspaces are cut one after the other from these blocks; `block` and `used` say where the next cut
  /// goes. No open workspace holds anything behind that place.
  std::vector<Memory> blocks;
  std::size_t block = 0;
  std::size_t used = 0;

  /// The memories of a meeting place. The last one is in use; all before it are too small.
  struct Meeting {
    const MeetingPlace* place;
    std::vector<Memory> memories;
  };
  std::vector<Meeting> meetings;

  /// Device memory that owners of some lifetime gave back (KeptMemory), for the next who asks for about as
  /// much.
  std::vector<Memory> spare;

  /// Tables that the calls of a graph read.
  std::vector<std::shared_ptr<const std::byte>> tables;

  /// Returns the number of the first block that no open workspace uses.
  std::size_t first_idle() const { return used > 0 ? block + 1 : block; }

  /// Returns the bytes of all of it.
  std::size_t bytes() const;
};

}  // namespace scanlens
