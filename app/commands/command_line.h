// The words of a command line: in which order they may stand, and one sentence about those that make no
// sense.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options/options.h"

namespace scanlens {

/// The command that words name, or the text that they ask for.
struct CommandLine {
  Command* command = nullptr;
  std::optional<std::string> answer = {};
};

/// Parses the words behind the program's name. The options that commands share may stand before
/// the command, too. Throws Error (usage) with one sentence when the words make no sense.
CommandLine parse_command_line(Program& program, const std::vector<std::string>& words);

/// Parses the words, then prints the text or runs the command. Returns the program's exit code. Throws what
/// these throw.
int run_command_line(Program& program, const std::vector<std::string>& words);

}  // namespace scanlens
