// --size WIDTHxHEIGHT.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <utility>

namespace scanlens {

/// Adds --size. `size` holds what counts where it is not given, and help shows.
void add_size_option(CLI::App& command, std::pair<int, int>& size, const std::string& help);

}  // namespace scanlens
