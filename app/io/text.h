// Quantities as messages have them.
#pragma once

#include <cstddef>
#include <string>

namespace scanlens {

/// Returns "1.23 Gpx": three digits, a decimal prefix, the unit.
std::string with_prefix(double value, const char* unit);

std::string bytes_text(std::size_t bytes);  ///< "1.23 GB"

}  // namespace scanlens
