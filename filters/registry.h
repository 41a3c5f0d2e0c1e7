// The filters that the command line knows by name.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "filters/filter.h"

namespace scanlens {

std::span<const Filter* const> all_filters();

/// A value as parse_filter takes it: a number, or what the parameter calls it.
std::string value_text(const Param& param, double value);

/// "name" or "name:key=value:key=value". Throws Error (usage) that says what is wrong and what there is.
FilterCall parse_filter(std::string_view text);

/// All filters with their parameters, for help.
std::string describe_filters();

}  // namespace scanlens
