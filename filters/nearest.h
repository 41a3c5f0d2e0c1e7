// The word that a mistyped one most likely means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scanlens {

/// Returns the candidate that a mistyped word most likely means, in upper or lower case; nothing when none is
/// near.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace scanlens
