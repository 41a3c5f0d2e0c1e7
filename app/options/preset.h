// Presets: options of a command as a JSON object, one key an option.
#pragma once

#include <string>
#include <string_view>

#include "app/options/options.h"

namespace scanlens {

/// Adds --preset and --save-preset.
void add_preset_options(Command& command);

/// Takes the words that a preset gives to options. `file` is its name. Throws Error (usage) for what is no
/// preset, and for a key that is no option of the command.
void take_preset(Command& command, const std::string& file, std::string_view text);

/// Reads the file of --preset, and takes it. Throws Error as well when the file of --save-preset is something
/// else than a preset.
void read_preset(Command& command);

/// Writes the file of --save-preset: the options that were given, but for files and for what belongs to one
/// run.
void save_preset(const Command& command);

}  // namespace scanlens
