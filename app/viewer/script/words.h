// The words of a line of a script.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scanlens {

struct Word {
  std::string text;
  bool quoted = false;  ///< a quoted word is text, whatever it looks like
};

/// Returns the words of a line, which are separated by blanks; one that begins with # and what follows it are
/// a comment. In double quotes \" is a quote and \\ a backslash. Throws Error (usage) with the cause alone.
std::vector<Word> split_words(std::string_view line);

/// Returns the characters of UTF-8 text; nothing if it is not UTF-8.
std::optional<std::u32string> characters_of(std::string_view text);

/// Returns a word as messages have it: on one line, and not too long for it.
std::string shown(std::string_view word);

/// Returns "; did you mean X?" where one of the words is near; else nothing.
std::string meant_by(std::string_view word, const std::vector<std::string>& known);

}  // namespace scanlens
