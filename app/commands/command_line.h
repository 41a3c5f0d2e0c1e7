// The words of a command line: in which order they may stand, and one sentence about those that make no
// sense.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/session/cli.h"

namespace scanlens {

/// Parses the words behind the program's name and runs the command that they name. The options that commands
/// share (Session::add_options) may stand before the command, too. Throws Error (usage) with one sentence
/// when the words make no sense, CLI::Success when they ask for --help or --version, and what the command
/// throws.
void run_command_line(CLI::App& program, std::vector<std::string> words);

/// Returns "--device, --max-pixels, ...": what may stand before the command.
std::string shared_options();

/// Returns what writes --help. It has to be given to the program before its commands are added.
std::shared_ptr<CLI::Formatter> help_formatter();

}  // namespace scanlens
