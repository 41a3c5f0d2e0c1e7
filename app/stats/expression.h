// Shows a mistake in an expression (filters/expression.h) on a terminal.
#pragma once

#include <string>
#include <string_view>

#include "filters/expression.h"

namespace scanlens {

/// Returns two lines for a terminal: the expression, and below the place that the error is about a caret and
/// what is wrong there.
std::string pointed_out(std::string_view expression, const ExpressionError& error);

}  // namespace scanlens
