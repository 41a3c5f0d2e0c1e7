// --size WIDTHxHEIGHT.
#pragma once

#include <string>
#include <utility>

#include "app/session/cli.h"

namespace scanlens {

/// Adds --size. `size` holds what counts where it is not given, and help shows.
void add_size_option(CLI::App& command, std::pair<int, int>& size, const std::string& help);

}  // namespace scanlens
