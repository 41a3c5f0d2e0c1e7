#include "app/options/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <climits>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

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
  std::string_view unit = lower;
  const std::optional<double> number = take_number(unit);
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const std::optional<double> factor = factor_of(unit, names);
  if (!factor || !number || !std::isfinite(*number) || !(*number * *factor >= 1)) return std::nullopt;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const double whole = std::round(*number * *factor);
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

/// Turns an amount that is accepted into its number. `kind` is "positive" or nothing, `range` " from 1 to 5".
template <class Accepts>
Check amount(Measure measure, const std::string& kind, const std::string& range, const Accepts& accepts) {
  return [measure, kind, range, accepts](std::string& text) {
    const std::optional<Amount> found = parse_amount(text, measure);
    if (!found || !accepts(found->value))
      return fmt::format("takes {}{}{}{}", name_of(measure, kind), range, examples_of(measure),
                         not_taken(text, measure));
    text = fmt::format("{}", found->value);
    return std::string();
  };
}

/// Cuts "x" or "\u00d7", and blanks around it, off the front.
bool take_times(std::string_view& text) {
  const auto skip_blanks = [&] { text.remove_prefix(std::min(text.find_first_not_of(' '), text.size())); };
  skip_blanks();
  for (const std::string_view times : {"x", "X", "\u00d7"})
    if (text.starts_with(times)) {
      text.remove_prefix(times.size());
      skip_blanks();
      return true;
    }
  return false;
}

std::string take_size(const std::string& text, std::pair<int, int>& size) {
  std::string_view rest = text;
  const std::int64_t width = take_whole(rest).value_or(0);
  const std::int64_t height = take_times(rest) ? take_whole(rest).value_or(0) : 0;
  take_unit(rest, 0, Measure::pixels);
  if (width < 1 || height < 1 || width > INT_MAX || height > INT_MAX || !rest.empty())
    return "takes WIDTHxHEIGHT in pixels, like 1280x800, not '" + text + "'";
  size = {static_cast<int>(width), static_cast<int>(height)};
  return "";
}

}  // namespace

std::string not_taken(std::string_view text, Measure measure) {
  std::string with_point(text);
  const std::size_t comma = with_point.find(',');
  if (comma != std::string::npos) with_point[comma] = '.';
  return fmt::format(", not '{}'{}", text,
                     comma != std::string::npos && parse_amount(with_point, measure)
                         ? fmt::format("; write {}", with_point)
                         : "");
}

Check within(double least, double most, Measure measure) {
  return amount(measure, "", fmt::format(" from {} to {}", least, most),
                [least, most](double value) { return value >= least && value <= most; });
}

Check positive(Measure measure) {
  return amount(measure, "positive", "", [](double value) { return value > 0; });
}

Check any_number() {
  return amount(Measure::number, "", "", [](double) { return true; });
}

Check whole_within(std::int64_t least, std::int64_t most) {
  return [least, most](std::string& text) {
    const std::optional<std::int64_t> value = parse_whole(text);
    if (!value || *value < least || *value > most)
      return fmt::format("takes a whole number from {} to {}{}", least, most, not_taken(text));
    text = std::to_string(*value);
    return std::string();
  };
}

Check one_of(std::vector<std::string> words) {
  const auto judge = [words](const std::string& text) {
    if (std::find(words.begin(), words.end(), text) != words.end()) return std::string();
    const std::string meant = nearest(text, words);
    return fmt::format("takes {}, not '{}'{}", alternatives(words), text,
                       meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
  };
  return {judge, std::move(words)};
}

Target choice(std::vector<std::string> names, std::function<void(std::size_t)> take,
              std::function<std::optional<std::size_t>()> give) {
  Target target(
      [names, take = std::move(take)](const std::string& name) {
        take(static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin()));
        return std::string();
      },
      [names, give = std::move(give)] {
        const std::optional<std::size_t> at = give();
        return at ? names[*at] : "";
      });
  target.choices = std::move(names);
  return target;
}

Check count_of_bytes() {
  return count_of({"b"},
                  "1 byte or more, as in 1500000000, 1.5e9, 1.5GB or 8GiB (k, M, G, T; Ki, Mi, Gi, Ti)");
}

Check count_of_pixels() {
  return count_of({"p", "px"}, "1 pixel or more, as in 24000000, 24e6, 24M or 1.5Gpx (k, M, G, T)");
}

void add_size_option(Command& command, std::pair<int, int>& size, const std::string& help) {
  const auto give = [&size] { return fmt::format("{}x{}", size.first, size.second); };
  const auto take = [&size](const std::string& text) { return take_size(text, size); };
  command.add("--size WxH", Target(take, give), help).shows_target();
}

}  // namespace scanlens
