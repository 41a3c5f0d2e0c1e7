// The lines of a batch's report, read.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "app/io/json.h"

namespace scanlens {

/// Calls `line` for each complete line of a report, and returns how many lines were none: cut off, or not
/// JSON objects. Reads line by line, in memory that does not grow with the file. Throws Error "PATH: cause"
/// when it cannot be read.
std::size_t for_each_line(const std::filesystem::path& report, const std::function<void(const Json&)>& line);

/// Returns the picture's path in a line of one picture, byte for byte; nothing in any other line.
std::string path_in(const Json& line);

/// Returns a line's text or number of this name, or none.
std::string text_in(const Json& line, const char* name);
std::size_t count_in(const Json& line, const char* name);

}  // namespace scanlens
