// The words of a command line: in which order they may stand, and one sentence about those that make no
// sense.
#pragma once

#include <string>
#include <vector>

#include "app/options/parse.h"

namespace scanlens {

/// Parses the words behind the program's name. The options that commands share (add_options of app/session)
/// may stand before the command, too. Throws Error (usage) with one sentence when the words make no sense.
/// Returns the command that they name, or the text that they ask for.
Parsed parse_command_line(Program& program, const std::vector<std::string>& words);

/// Parses the words, then prints the text or runs the command. Returns the program's exit code. Throws what
/// these throw.
int run_command_line(Program& program, const std::vector<std::string>& words);

/// Returns "--device, --max-pixels, ...": what may stand before the command.
std::string shared_options();

}  // namespace scanlens
