// The word that a mistyped one most likely means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scanlens {

/// Returns the candidate that a mistyped word most likely means, in upper or lower case; nothing when none is
/// near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// Returns true if a word is one of those that stand between blanks.
bool is_among(std::string_view word, std::string_view words);

}  // namespace scanlens
