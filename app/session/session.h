// Options that all commands share, and what follows from them: the device, limits, talk.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/io/picture.h"
#include "app/session/device_watch.h"
#include "app/talk/talk.h"
#include "core/context.h"
#include "core/error.h"

namespace scanlens {

class Command;
class GlContext;
struct Completion;
struct GlMemory;

struct Session : Talk {
  std::string device = "auto";
  std::int64_t max_pixels = Limits{}.max_pixels;
  std::uint64_t max_memory = 0;                   ///< bytes; 0 means what the system has available
  std::shared_ptr<const DeviceWatch> watch = {};  ///< of GPUs, once one is open; copies share it

  /// Adds the options that all commands on pictures share.
  void add_options(Command& command);

  /// Adds --json to a command that prints the account of what it did.
  void add_json_option(Command& command);

  /// Returns one for work beside other work: the same settings, and an account of its own that takes what is
  /// said.
  Session for_workers() const;

  /// Opens the device and says which one it is.
  Context open();

  /// Says which device a context is on, and notes it in the account. From then on a wait for a GPU that lasts
  /// most_silence() ends the program.
  void introduce(const Context& context);

  Limits limits() const;

  /// Throws Error (retry) when the work on `what` would need more memory than it may take, before any is
  /// taken: `host_bytes` here, and `device_bytes` on the context's device (on a CPU context that is host
  /// memory, too).
  void require_memory(const Context& context, const std::string& what, std::int64_t host_bytes,
                      std::int64_t device_bytes) const;

  /// Does the same for work that takes the host's memory alone.
  void require_host_memory(const std::string& what, std::int64_t bytes) const;

  /// Does the same for work that also takes OpenGL's memory: the host's where the CPU does OpenGL's work,
  /// or the context's device's. Nothing tells what is free on another GPU; there `max_memory` alone counts.
  void require_memory(const Context& context, const GlContext& gl, const std::string& what,
                      GlMemory bytes) const;
};

/// Does work on a file: an Error that it throws names the file.
template <class Work>
auto about(const std::filesystem::path& file, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(error.kind(), file.string() + ": " + error.what());
  }
}

/// Offers the devices of this machine for --device.
Completion complete_device(const std::string& begun);

/// Adds the options of a command that writes pictures.
void add_options(Command& command, WriteOptions& write);

/// Adds the options of how pictures are written, without those about files that exist.
void add_encoding_options(Command& command, WriteOptions& write);

/// Adds --format, which takes one of the names; help shows `shown` of them.
void add_format_option(Command& command, Format& format, std::vector<std::string> names, const char* shown);

/// Adds the options of a command that writes any file.
void add_options(Command& command, Overwrite& overwrite);

/// Throws Error (usage) when what `option` names is standard output, which has no name to tell the format by.
void require_name(const char* option, const std::filesystem::path& output);

// Explain the picture that a command reads, and its -o.
std::string input_help();
std::string output_help();

/// Returns "cpu (AMD EPYC, 2 threads)".
std::string describe(const DeviceInfo& device);

}  // namespace scanlens
