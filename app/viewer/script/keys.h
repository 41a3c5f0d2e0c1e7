// Keys by their names in a script.
#pragma once

#include <string>
#include <string_view>

#include "app/viewer/script/script.h"

namespace scanlens {

/// Returns the key of a name such as f, 1, ?, space, page-down, ctrl+shift+s. The case of letters does
/// not matter. A sign that takes Shift on a US keyboard is that key with Shift. Throws Error (usage) with the
/// cause alone.
steps::KeyPress parse_key(const std::string& name);

/// Returns the key that types an ASCII character on a US keyboard, with Shift where it takes it; one without
/// a key for any other.
steps::KeyPress key_for(char32_t character);

}  // namespace scanlens
