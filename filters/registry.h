// The filters that the command line knows by name.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "filters/filter.h"

namespace scanlens {

std::span<const Filter* const> all_filters();

/// A value as parse_filter takes it: a number, or what the parameter calls it.
std::string value_text(const Param& param, double value);

/// "name" or "name:key=value:key=value"; what stands behind ":mask=" or ":depth=", to the end or the next
/// key of the filter, is the file of a filter's map. Throws Error (usage) that says what is wrong and what
/// there is.
FilterCall parse_filter(std::string_view text);

/// The same for each of several.
std::vector<FilterCall> parse_filters(std::span<const std::string> texts);

/// Returns the names of the filters that do what a word of other programs says: "unsharp" for "sharpen";
/// nothing where the word is unknown, or a filter's own name.
std::vector<std::string> filters_meant_by(std::string_view word);

/// Filters with their parameters, for help.
std::string describe(std::span<const Filter* const> filters);

}  // namespace scanlens
