// Quantities and names as messages have them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scanlens {

/// Returns "1.23 Gpx": three digits, a decimal prefix, the unit.
std::string with_prefix(double value, const char* unit);

std::string bytes_text(std::size_t bytes);  ///< "1.23 GB"

/// Returns the text in one line that a terminal may show: control characters, line breaks among them, and
/// bytes that are not UTF-8 become escapes such as \n and \x1b.
std::string printable(std::string_view text);

/// Returns the text without the white space that other libraries end their messages with.
std::string without_line_end(std::string text);

}  // namespace scanlens
