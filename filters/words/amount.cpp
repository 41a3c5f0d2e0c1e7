#include "filters/amount.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <span>
#include <system_error>

namespace scanlens {
namespace {

/// A unit as it is written, and how its numbers become the measure's.
struct Form {
  std::string_view text;  ///< in lower case
  Unit unit;
  double times = 1, by = 1;  ///< both whole, so that 70cm is the double 0.7
};

constexpr Form kShare[] = {{"%", Unit::share, 1, 100}};
constexpr Form kMillimetres[] = {
    {"mm", Unit::millimetres}, {"cm", Unit::millimetres, 10}, {"m", Unit::millimetres, 1000}};
constexpr Form kMetres[] = {{"mm", Unit::metres, 1, 1000}, {"cm", Unit::metres, 1, 100}, {"m", Unit::metres}};
constexpr Form kMetresOrShare[] = {kMetres[0], kMetres[1], kMetres[2], kShare[0]};
constexpr Form kPixels[] = {{"px", Unit::pixels}};
constexpr Form kPercent[] = {{"%", Unit::percent}};
constexpr Form kPixelsOrPercent[] = {kPixels[0], kPercent[0]};
constexpr Form kDegrees[] = {{"deg", Unit::degrees}, {"\u00b0", Unit::degrees}};
constexpr Form kSeconds[] = {{"s", Unit::seconds}};

struct Traits {
  std::string_view name, examples;
  std::span<const Form> forms = {};
  bool may_be_infinite = false;
};

const Traits& traits_of(Measure measure) {
  static constexpr Traits kTraits[] = {
      {"number", ""},
      {"number", ", as in 0.8 or 80%", kShare},
      {"f-number", ", as in 1.4, f/1.4 or inf", {}, true},
      {"number of millimetres", ", as in 50, 50mm or 5cm", kMillimetres},
      {"number of metres", ", as in 2.5, 2.5m, 250cm or inf", kMetres, true},
      {"positive number of metres, as in 2.5, 2.5m, 250cm or inf",
       ", or 0 to 1 where depth has no unit, as in 0.8 or 80%", kMetresOrShare, true},
      {"number of pixels", ", as in 24 or 24px", kPixels},
      {"number of pixels", ", as in 24, 24px or 2%", kPixelsOrPercent},
      {"number of pixels", ", as in 24, 24px or 2%", kPixelsOrPercent},
      {"number of percent", ", as in 50 or 50%", kPercent},
      {"number of degrees", ", as in 30 or 30deg", kDegrees},
      {"number of seconds", ", as in 5 or 5s", kSeconds},
      {"ratio", ", as in 1.5 or 3/2"},
      {"colour", ", as in white, black, grey or #ff8000"}};
  return kTraits[static_cast<std::size_t>(measure)];
}

bool starts_with(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::equal(lower.begin(), lower.end(), text.begin(), [](char a, char b) {
           return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
         });
}

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
}

/// Cuts a number off the front of text that holds one by itself, or behind a plus sign.
template <class Number>
std::optional<Number> take(std::string_view& text) {
  std::string_view rest = text;
  if (rest.size() > 1 && rest[0] == '+' && rest[1] != '-') rest.remove_prefix(1);
  Number value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc{}) return std::nullopt;
  text = rest.substr(static_cast<std::size_t>(end - rest.data()));
  return value;
}

struct NamedColour {
  std::string_view name;
  double colour;
};
constexpr NamedColour kColours[] = {
    {"white", 0xffffff}, {"black", 0}, {"grey", 0x808080}, {"edge", kEdgeColour}};

/// Divides a number by the one behind a slash, if one is there.
std::optional<double> divided(double number, std::string_view& text) {
  if (!text.starts_with('/')) return number;
  text.remove_prefix(1);
  const std::optional<double> by = take<double>(text);
  if (!by || !(*by > 0)) return std::nullopt;
  return number / *by;
}

/// Cuts "f/" or "f" off the front.
void take_f(std::string_view& text) {
  for (const std::string_view prefix : {"f/", "f", "\u0192/", "\u0192"})
    if (starts_with(text, prefix)) {
      text.remove_prefix(prefix.size());
      return skip_blanks(text);
    }
}

}  // namespace

std::optional<double> take_number(std::string_view& text) {
  std::string_view rest = text;
  const std::optional<double> number = take<double>(rest);
  if (!number || std::isnan(*number)) return std::nullopt;
  text = rest;
  return number;
}

std::optional<std::int64_t> take_whole(std::string_view& text) {
  return take<std::int64_t>(text);
}

Amount take_unit(std::string_view& text, double number, Measure measure) {
  std::string_view rest = text;
  skip_blanks(rest);
  for (const Form& form : traits_of(measure).forms) {
    if (!starts_with(rest, form.text)) continue;
    text = rest.substr(form.text.size());
    return {number * form.times / form.by, form.unit};
  }
  return {number};
}

std::optional<double> colour_of(std::string_view text) {
  for (const auto& [name, colour] : kColours)
    if (name == text) return colour;
  constexpr std::size_t kLength = 7;
  std::uint32_t digits = 0;
  if (text.size() != kLength || text[0] != '#') return std::nullopt;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + kLength, digits, 16);
  if (error != std::errc() || end != text.data() + kLength) return std::nullopt;
  return digits;
}

std::string name_of_colour(double colour) {
  for (const auto& [name, known] : kColours)
    if (known == colour) return std::string(name);
  return fmt::format("#{:06x}", static_cast<std::uint32_t>(colour));
}

std::optional<Amount> parse_amount(std::string_view text, Measure measure) {
  if (measure == Measure::colour) {
    const std::optional<double> colour = colour_of(text);
    return colour ? std::optional<Amount>(*colour) : std::nullopt;
  }
  const bool has_f = measure == Measure::f_number && !starts_with(text, "inf");
  const std::size_t whole = text.size();
  if (has_f) take_f(text);
  const bool is_f = text.size() < whole;
  const std::optional<double> number = take_number(text);
  if (!number || (std::isinf(*number) && !traits_of(measure).may_be_infinite)) return std::nullopt;
  if (measure == Measure::ratio) {
    const std::optional<double> ratio = divided(*number, text);
    return ratio && text.empty() ? std::optional<Amount>(*ratio) : std::nullopt;
  }
  Amount amount = take_unit(text, *number, measure);
  if (is_f) amount.unit = Unit::f_number;
  if (!text.empty() || (std::isinf(*number) && amount.unit == Unit::share)) return std::nullopt;
  return amount;
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
  const std::optional<std::int64_t> number = take_whole(text);
  return text.empty() ? number : std::nullopt;
}

std::string name_of(Measure measure, std::string_view adjective) {
  const std::string_view name = traits_of(measure).name;
  if (!adjective.empty()) return fmt::format("a {} {}", adjective, name);
  return fmt::format("{} {}", name.starts_with('f') ? "an" : "a", name);
}

std::string_view examples_of(Measure measure) {
  return traits_of(measure).examples;
}

std::string text_of(const Amount& amount) {
  switch (amount.unit) {
    case Unit::none:
    case Unit::share:
      break;
    case Unit::f_number:
      return fmt::format("f/{}", amount.value);
    case Unit::millimetres:
      return fmt::format("{} mm", amount.value);
    case Unit::metres:
      return fmt::format("{} m", amount.value);
    case Unit::pixels:
      return fmt::format("{} pixels", amount.value);
    case Unit::percent:
      return fmt::format("{} %", amount.value);
    case Unit::degrees:
      return fmt::format("{} degrees", amount.value);
    case Unit::seconds:
      return fmt::format("{} s", amount.value);
  }
  return fmt::format("{}", amount.value);
}

}  // namespace scanlens
