// The written form of each step, and its reader.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/viewer/script/arguments.h"
#include "app/viewer/script/script.h"

namespace scanlens {

using Actions = std::vector<steps::Action>;

// The words that enclose other steps.
inline constexpr std::string_view kRepeatWord = "repeat", kEndWord = "end";

struct Form {
  std::string_view name;
  std::string_view usage;
  Actions (*read)(Arguments&);  ///< reads the words behind the name; null for kRepeatWord and kEndWord
};

/// Returns the form of a step. Throws Error (usage) with the cause alone if the name is unknown, as `read`
/// does for wrong arguments.
const Form& form_of(const std::string& name);

}  // namespace scanlens
