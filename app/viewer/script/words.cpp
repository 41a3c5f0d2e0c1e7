#include "app/viewer/script/words.h"

#include <fmt/format.h>

#include <utility>

#include "app/io/text.h"
#include "core/error.h"
#include "filters/nearest.h"

namespace scanlens {
namespace {

constexpr std::size_t kMostShown = 60;  ///< letters of a word in a message

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

[[noreturn]] void fail(const char* cause) {
  throw Error(ErrorKind::usage, cause);
}

/// Takes a word in quotes off the front of a line.
Word take_quoted(std::string_view& line) {
  Word word{{}, true};
  for (std::size_t at = 1; at < line.size(); ++at) {
    const char c = line[at];
    const char next = at + 1 < line.size() ? line[at + 1] : '\0';
    if (c == '"') {
      line.remove_prefix(at + 1);
      if (!line.empty() && !is_blank(line.front())) fail("there is no blank behind the closing quote");
      return word;
    }
    const bool escape = c == '\\' && (next == '"' || next == '\\');
    word.text += escape ? next : c;
    at += escape ? 1 : 0;
  }
  fail("the quote is not closed");
}

Word take_plain(std::string_view& line) {
  std::size_t end = 0;
  while (end < line.size() && !is_blank(line[end])) ++end;
  Word word{std::string(line.substr(0, end))};
  line.remove_prefix(end);
  return word;
}

}  // namespace

std::vector<Word> split_words(std::string_view line) {
  if (line.find('\0') != std::string_view::npos) fail("the line holds a zero byte, which no text has");
  std::vector<Word> words;
  while (true) {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    if (line.empty() || line.front() == '#') return words;
    words.push_back(line.front() == '"' ? take_quoted(line) : take_plain(line));
  }
}

std::optional<std::u32string> characters_of(std::string_view text) {
  constexpr char32_t kLeast[] = {0, 0x80, 0x800, 0x10000};  // character with as many further bytes
  std::u32string characters;
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at++]);
    const int more = first < 0x80   ? 0
                     : first < 0xC0 ? -1
                     : first < 0xE0 ? 1
                     : first < 0xF0 ? 2
                     : first < 0xF8 ? 3
                                    : -1;
    if (more < 0 || text.size() - at < static_cast<std::size_t>(more)) return std::nullopt;
    char32_t character = more == 0 ? first : first & (0x3F >> more);
    for (int i = 0; i < more; ++i) {
      const auto next = static_cast<unsigned char>(text[at++]);
      if (next >> 6 != 0b10) return std::nullopt;
      character = character << 6 | (next & 0x3F);
    }
    const bool surrogate = character >= 0xD800 && character < 0xE000;
    if (character < kLeast[more] || surrogate || character > 0x10FFFF) return std::nullopt;
    characters += character;
  }
  return characters;
}

std::string shown(std::string_view word) {
  return word.size() <= kMostShown ? printable(word) : printable(word.substr(0, kMostShown)) + "...";
}

std::string meant_by(std::string_view word, const std::vector<std::string>& known) {
  const std::string meant = word.size() <= kMostShown ? nearest(word, known) : std::string();
  return meant.empty() ? meant : fmt::format("; did you mean {}?", meant);
}

}  // namespace scanlens
