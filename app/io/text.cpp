#include "app/io/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

namespace scanlens {
namespace {

/// Returns the length of the UTF-8 sequence that the text begins with; 0 when it begins with none, or with
/// one of a control character.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7F ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (byte(i) >> 6 != 0b10) return 0;
  const unsigned char second = byte(1);
  const bool control = first == 0xC2 && second < 0xA0;
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);
  return control || overlong || outside ? 0 : length;
}

}  // namespace

std::string with_prefix(double value, const char* unit) {
  const char* prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t i = 0;
  for (; value >= 999.5 && i + 1 < std::size(prefixes); value /= 1000) ++i;
  return fmt::format("{:.3g} {}{}", value, prefixes[i], unit);
}

std::string bytes_text(std::size_t bytes) {
  return with_prefix(static_cast<double>(bytes), "B");
}

std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    if (const std::size_t length = utf8_length(text); length > 0) {
      shown += text.substr(0, length);
      text.remove_prefix(length);
      continue;
    }
    const char c = text.front();
    shown += c == '\n'   ? "\\n"
             : c == '\r' ? "\\r"
             : c == '\t' ? "\\t"
                         : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    text.remove_prefix(1);
  }
  return shown;
}

std::string markup_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '&')
      safe += "&amp;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

std::string_view without_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const bool ascii = static_cast<unsigned char>(text.front()) < 0x80;
    const std::size_t length = ascii ? 1 : utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string without_line_end(std::string text) {
  text.erase(text.find_last_not_of(" \n\r\t") + 1);
  return text;
}

std::string file_word(const std::filesystem::path& file) {
  const std::string name = file.string();
  return name.size() > 1 && name[0] == '-' ? "./" + name : name;
}

std::string shell_text(const std::vector<std::string>& words, bool in_one_line) {
  const auto is_plain = [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("_-./,:=%+@").find(static_cast<char>(c)) != std::string_view::npos;
  };
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) {
      text += word;
      continue;
    }
    if (!in_one_line || std::none_of(word.begin(), word.end(), is_control)) {
      text += '\'';
      for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
      text += '\'';
      continue;
    }
    text += "$'";
    for (const char c : word)
      text += c == '\'' || c == '\\'                      ? fmt::format("\\{}", c)
              : is_control(static_cast<unsigned char>(c)) ? fmt::format("\\{:03o}", c)
                                                          : std::string(1, c);
    text += '\'';
  }
  return text;
}

}  // namespace scanlens
