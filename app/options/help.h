// The page of --help: what a command does, an example, and the options that are often used.
#pragma once

#include <string>

#include "app/options/options.h"

namespace scanlens {

/// Returns the text with lines of at most `width` characters, as far as its words allow.
std::string wrapped(const std::string& text, std::size_t width);

/// Returns a command's page for --help. `program` is the program's name.
std::string short_help(const std::string& program, const Command& command);

}  // namespace scanlens
