// Quantities and names as messages have them.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace scanlens {

/// Returns "1.23 Gpx": three digits, a decimal prefix, the unit.
std::string with_prefix(double value, const char* unit);

std::string bytes_text(std::size_t bytes);  ///< "1.23 GB"

/// Returns the text in one line that a terminal may show: control characters, line breaks among them, and
/// bytes that are not UTF-8 become escapes such as \n and \x1b.
std::string printable(std::string_view text);

/// Returns text as XML and HTML have it. The caller leaves out what XML cannot hold: control characters and
/// bytes that are not UTF-8.
std::string markup_text(std::string_view text);

/// Returns a text without the mark of UTF-8 that editors of Windows put before it.
std::string_view without_mark(std::string_view text);

/// True if the text is UTF-8, of whatever characters but those of control beyond ASCII.
bool is_utf8(std::string_view text);

/// Returns words as a shell reads them: 'it'\''s'. `in_one_line`: what would break the line, or act on a
/// terminal, is written as bash, zsh and ksh read it: $'a\nb'.
std::string shell_text(const std::vector<std::string>& words, bool in_one_line = false);

/// Returns a file's name that no program takes for an option.
std::string file_word(const std::filesystem::path& file);

/// Returns the text without the white space that other libraries end their messages with.
std::string without_line_end(std::string text);

}  // namespace scanlens
