#include "app/stats/expression.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/io/text.h"

namespace scanlens {
namespace {

/// Returns how many columns a terminal needs for text that it may show: one for each character of UTF-8.
std::size_t columns(std::string_view text) {
  const std::string shown = printable(text);
  return static_cast<std::size_t>(std::count_if(
      shown.begin(), shown.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::string pointed_out(std::string_view expression, const ExpressionError& error) {
  return fmt::format("{}\n{}^ {}", printable(expression),
                     std::string(columns(expression.substr(0, error.at())), ' '), error.what());
}

}  // namespace scanlens
