// What every command shares: where to run, how much to take, how much to say.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <string>

#include "app/picture.h"
#include "core/context.h"

namespace scanlens {

struct Session {
  std::string device = "auto";
  bool quiet = false;
  std::int64_t max_pixels = Limits{}.max_pixels;
  std::uint64_t max_memory = 0;  ///< bytes; 0 means what the system has available

  /// Adds the options above to a command.
  void add_options(CLI::App& command);

  /// A line for the person at the terminal: to stderr, unless --quiet.
  void say(const std::string& line) const;

  /// Opens the device and says which one it is.
  Context open() const;

  Limits limits() const;

  /// Throws Error (retry) when the work on `what` would need more memory than it may take, before any is
  /// taken: `host_bytes` here, and `device_bytes` on the context's device (on a CPU context that is host
  /// memory, too).
  void require_memory(const Context& context, const std::string& what, std::int64_t host_bytes,
                      std::int64_t device_bytes) const;
};

/// Adds what a command that writes pictures takes.
void add_options(CLI::App& command, WriteOptions& write);

/// "cpu (AMD EPYC, 2 threads)"
std::string describe(const DeviceInfo& device);

}  // namespace scanlens
