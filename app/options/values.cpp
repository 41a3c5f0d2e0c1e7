#include "app/options/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include "app/options/parse.h"
#include "filters/nearest.h"

namespace scanlens {
namespace {

/// Returns "a", "a or b", "a, b or c".
std::string alternatives(const std::vector<std::string>& words) {
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i)
    list += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return list;
}

/// Returns the factor of a unit: a decimal or binary prefix, then one of the names of the unit or nothing.
std::optional<double> factor_of(std::string_view unit, const std::vector<std::string_view>& names) {
  constexpr std::string_view kPrefixes = "kmgtp";
  double factor = 1;
  if (const std::size_t power = unit.empty() ? std::string_view::npos : kPrefixes.find(unit.front());
      power != std::string_view::npos && std::find(names.begin(), names.end(), unit) == names.end()) {
    unit.remove_prefix(1);
    const bool binary = unit.starts_with('i');
    if (binary) unit.remove_prefix(1);
    factor = std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
  }
  if (unit.empty() || std::find(names.begin(), names.end(), unit) != names.end()) return factor;
  return std::nullopt;
}

/// Returns the count that the text names; nothing when it names none or less than one.
std::optional<std::int64_t> count(std::string_view text, const std::vector<std::string_view>& names) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  double number = 0;
  const auto [end, error] = std::from_chars(lower.data(), lower.data() + lower.size(), number);
  if (error != std::errc{}) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(lower.data() + lower.size() - end));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const std::optional<double> factor = factor_of(unit, names);
  if (!factor || !std::isfinite(number) || !(number * *factor >= 1)) return std::nullopt;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const double whole = std::round(number * *factor);
  return whole < static_cast<double>(kMost) ? static_cast<std::int64_t>(whole) : kMost;
}

Check count_of(std::vector<std::string_view> names, const char* what) {
  return [names = std::move(names), what](std::string& text) {
    const std::optional<std::int64_t> found = count(text, names);
    if (!found) return fmt::format("takes {}, not '{}'", what, text);
    text = std::to_string(*found);
    return std::string();
  };
}

template <class Number>
Check between(Number least, Number most, const char* what) {
  return [least, most, what](const std::string& text) {
    Number value = 0;
    return read_number(text, value) && value >= least && value <= most
               ? std::string()
               : fmt::format("takes {} from {} to {}, not '{}'", what, least, most, text);
  };
}

std::string take_size(const std::string& text, std::pair<int, int>& size) {
  int width = 0, height = 0;
  const char* const last = text.data() + text.size();
  const auto [cross, bad_width] = std::from_chars(text.data(), last, width);
  const bool crossed = bad_width == std::errc{} && cross != last && *cross == 'x';
  const auto [end, bad_height] = std::from_chars(crossed ? cross + 1 : last, last, height);
  if (!crossed || bad_height != std::errc{} || end != last || width < 1 || height < 1)
    return "takes WIDTHxHEIGHT in pixels, like 1280x800, not '" + text + "'";
  size = {width, height};
  return "";
}

}  // namespace

Check within(double least, double most) {
  return between(least, most, "a number");
}

Check whole_within(std::int64_t least, std::int64_t most) {
  return between(least, most, "a whole number");
}

Check one_of(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& text) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
    const std::string meant = nearest(text, words);
    return fmt::format("takes {}, not '{}'{}", alternatives(words), text,
                       meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
  };
}

Check named(std::span<const std::string_view> names) {
  std::vector<std::string> words(names.begin(), names.end());
  return [words, is_known = one_of(words)](std::string& text) {
    const std::string complaint = is_known(text);
    if (complaint.empty()) text = std::to_string(std::find(words.begin(), words.end(), text) - words.begin());
    return complaint;
  };
}

Check count_of_bytes() {
  return count_of({"b"},
                  "1 byte or more, as in 1500000000, 1.5e9, 1.5GB or 8GiB (k, M, G, T; Ki, Mi, Gi, Ti)");
}

Check count_of_pixels() {
  return count_of({"p", "px"}, "1 pixel or more, as in 24000000, 24e6, 24M or 1.5Gpx (k, M, G, T)");
}

void add_size_option(Command& command, std::pair<int, int>& size, const std::string& help) {
  command
      .add(
          "--size WxH", [&size](const std::string& text) { return take_size(text, size); }, help)
      .shows(fmt::format("{}x{}", size.first, size.second));
}

}  // namespace scanlens
