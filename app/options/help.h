// The pages of --help: what a command does, an example, and the options that are often used, or all of them.
#pragma once

#include <string>

#include "app/options/options.h"

namespace scanlens {

/// Returns a command's page for --help. `program` is the program's name.
std::string short_help(const std::string& program, const Command& command);

/// Returns its page for --help-all: all options, by groups.
std::string whole_help(const std::string& program, const Command& command);

/// Returns the program's page: its commands.
std::string program_help(const Program& program);

}  // namespace scanlens
