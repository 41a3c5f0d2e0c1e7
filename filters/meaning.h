// What the words of other programs mean here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scanlens {

/// Returns the names of the filters that do what a word says: "unsharp" for "sharpen"; nothing where the word
/// is unknown, or a filter's own name.
std::vector<std::string> filters_meant_by(std::string_view word);

}  // namespace scanlens
