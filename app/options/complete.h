// Completion of a command line in a shell, from the declared options.
#pragma once

#include <string>
#include <vector>

#include "app/options/options.h"

namespace scanlens {

/// Returns what may stand in place of the last of the words behind the program's name. That word is begun,
/// or empty.
Completion complete(const Program& program, const std::vector<std::string>& words);

/// Offers filters for --filter, then their parameters, and the names of choices.
Completion complete_filter(const std::string& begun);

}  // namespace scanlens
