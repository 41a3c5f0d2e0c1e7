#include "tests/bench/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "filters/amount.h"

namespace scanlens::bench {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 36;
constexpr std::int64_t kQuickLength = 1 << 18, kQuickSide = 512;

[[noreturn]] void refuse(const std::string& text) {
  throw Error(
      ErrorKind::usage,
      fmt::format("--size {}: give a length from 1 to 2^36 (1000000, 2^20, 2^20-1) or WIDTHxHEIGHT", text));
}

/// Takes a number off the front of `rest`.
std::int64_t number(std::string_view& rest, const std::string& text) {
  const std::optional<std::int64_t> value = take_whole(rest);
  if (!value || *value < 0 || *value > kMostElements) refuse(text);
  return *value;
}

/// Takes 12, 2^12, 2^12+1 or 2^12-1 off the front of `rest`.
std::int64_t length(std::string_view& rest, const std::string& text) {
  std::int64_t value = number(rest, text);
  if (rest.starts_with('^')) {
    rest.remove_prefix(1);
    const std::int64_t exponent = number(rest, text);
    if (value != 2 || exponent > 36) refuse(text);
    value = std::int64_t{1} << exponent;
    if (rest.starts_with('-') || rest.starts_with('+')) {
      const bool less = rest.front() == '-';
      rest.remove_prefix(1);
      const std::int64_t rest_value = number(rest, text);
      value += less ? -rest_value : rest_value;
    }
  }
  if (value < 1 || value > kMostElements) refuse(text);
  return value;
}

}  // namespace

void SizeChoice::add(const std::string& text) {
  std::string_view rest = text;
  const std::int64_t first = length(rest, text);
  if (rest.empty()) {
    lengths.push_back(first);
    return;
  }
  if (!rest.starts_with('x')) refuse(text);
  rest.remove_prefix(1);
  const std::int64_t second = length(rest, text);
  if (!rest.empty() || first > kMostElements / second) refuse(text);
  shapes.push_back({first, second});
}

std::vector<std::int64_t> SizeChoice::lengths_or(std::vector<std::int64_t> own) const {
  if (!by_default()) return lengths;
  if (quick) {
    for (std::int64_t& value : own) value = std::min(value, kQuickLength);
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
  }
  return own;
}

std::vector<Shape> SizeChoice::shapes_or(std::vector<Shape> own) const {
  if (!by_default()) return shapes;
  if (!quick) return own;
  std::vector<Shape> cut;
  for (const Shape& shape : own) {
    const Shape small = {std::min(shape.width, kQuickSide), std::min(shape.height, kQuickSide)};
    const auto same = [&](const Shape& other) {
      return other.width == small.width && other.height == small.height;
    };
    if (std::none_of(cut.begin(), cut.end(), same)) cut.push_back(small);
  }
  return cut;
}

std::string length_name(std::int64_t length) {
  for (const std::int64_t off : {0, -1, 1}) {
    const auto value = static_cast<std::uint64_t>(length - off);
    if (value >= 1024 && std::has_single_bit(value))
      return fmt::format("2^{}{}", std::countr_zero(value), off < 0 ? "-1" : off > 0 ? "+1" : "");
  }
  return fmt::format("{}", length);
}

std::string shape_name(const Shape& shape) {
  return fmt::format("{}x{}", shape.width, shape.height);
}

}  // namespace scanlens::bench
