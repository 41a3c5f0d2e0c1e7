// Options that all commands share, and what follows from them: the device, limits, talk.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/io/picture.h"
#include "app/session/talk.h"
#include "core/context.h"
#include "core/error.h"

namespace scanlens {

class Command;
class GlContext;
struct Completion;
struct GlMemory;

/// Adds the options that all commands on pictures share.
void add_options(Command& command, Settings& settings);

/// Adds --json to a command that prints the account of what it did.
void add_json_option(Command& command, Settings& settings);

/// Opens the device and says which one it is.
Context open_device(Talk& talk);

/// Does Settings::require_memory for work that also takes OpenGL's memory: the host's where the CPU does
/// OpenGL's work, or the context's device's. Nothing tells what is free on another GPU; there `max_memory`
/// alone counts.
void require_memory(const Settings& settings, const Context& context, const GlContext& gl,
                    const std::string& what, GlMemory bytes);

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

}  // namespace scanlens
