// Pages of the manual, in roff's man macros, from what a program declares.
#pragma once

#include <string>

#include "app/options/options.h"

namespace scanlens {

/// Returns the page of a program, which names its commands.
std::string manual_page(const Program& program);

/// Returns the page of one of its commands: what --help-all says.
std::string manual_page(const Program& program, const Command& command);

}  // namespace scanlens
