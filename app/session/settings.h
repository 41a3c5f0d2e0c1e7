// The options that all commands share: set once before the work, then only read, by any threads.
#pragma once

#include <cstdint>
#include <string>

#include "app/io/picture.h"
#include "core/context.h"

namespace scanlens {

struct Settings {
  std::string device = "auto";
  std::int64_t max_pixels = Limits{}.max_pixels;
  std::uint64_t max_memory = 0;  ///< bytes; 0 means what the system has available
  bool quiet = false;
  bool verbose = false;
  bool strict = false;
  bool json = false;

  Limits limits() const;

  /// Throws Error (retry) when the work on `what` would need more memory than it may take, before any is
  /// taken: `host_bytes` here, and `device_bytes` on the context's device (on a CPU context that is host
  /// memory, too).
  void require_memory(const Context& context, const std::string& what, std::int64_t host_bytes,
                      std::int64_t device_bytes) const;

  /// Does the same for work that takes the host's memory alone.
  void require_host_memory(const std::string& what, std::int64_t bytes) const;
};

}  // namespace scanlens
