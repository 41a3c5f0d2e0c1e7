#include "app/viewer/parts/said.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace scanlens {
namespace {

/// Distances in metres that are shown as infinity.
constexpr double kInfinity = 1e5;

/// Returns the number that is shown for a value: a share is shown in percent.
double number_of(const Saying& saying, double value) {
  return saying.measure == Measure::share ? 100 * value : value;
}

int decimals_of(const Saying& saying, double number) {
  if (saying.whole) return 0;
  const double size = std::abs(number);
  switch (saying.measure) {
    case Measure::f_number:
      return size < 1 ? 2 : size < 10 ? 1 : 0;
    case Measure::millimetres:
    case Measure::pixels:
    case Measure::pixels_or_percent:
    case Measure::pixels_or_percent_of_height:
      return size < 10 ? 1 : 0;
    case Measure::share:
      return size < 10 && size > 0 ? 1 : 0;
    case Measure::metres:
    case Measure::metres_or_share:
    case Measure::percent:
    case Measure::number:
    case Measure::ratio:
      if (size >= 10 && number == std::round(number)) return 0;
      return size < 10 ? 2 : size < 100 ? 1 : 0;
    case Measure::degrees:
    case Measure::colour:
      return 0;
    case Measure::seconds:
      return 1;
  }
  return 2;
}

std::string with_unit(const Saying& saying, const std::string& number) {
  switch (saying.measure) {
    case Measure::f_number:
      return "f/" + number;
    case Measure::millimetres:
      return number + " mm";
    case Measure::metres:
    case Measure::metres_or_share:
      return number + " m";
    case Measure::share:
    case Measure::percent:
      return number + " %";
    case Measure::pixels:
    case Measure::pixels_or_percent:
    case Measure::pixels_or_percent_of_height:
      return number + " px";
    case Measure::degrees:
      return number + "\u00b0";
    case Measure::seconds:
      return number + " s";
    case Measure::number:
    case Measure::ratio:
    case Measure::colour:
      break;
  }
  return saying.words.sign.empty() ? number : fmt::format("{} {}", number, saying.words.sign);
}

}  // namespace

Saying saying_of(const ViewParam& param, bool metric) {
  const Measure measure = !param.is_distance ? param.measure : metric ? Measure::metres : Measure::share;
  return {measure, param.whole, param.words};
}

Saying saying_of(const Param& param) {
  return {param.measure, param.whole, {}};
}

std::string label_of(std::string_view name, const ValueWords& words) {
  if (!words.label.empty()) return std::string(words.label);
  if (name == "tilt_shift") return "Tilt-shift";
  std::string label(name);
  for (char& letter : label)
    if (letter == '-' || letter == '_') letter = ' ';
  if (!label.empty()) label[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(label[0])));
  return label;
}

std::string said(const Saying& saying, double value) {
  const double rounded = rounded_as_said(saying, value), number = number_of(saying, rounded);
  if (rounded == 0 && !saying.words.zero.empty()) return std::string(saying.words.zero);
  if (saying.measure == Measure::metres && value >= kInfinity) return "Infinity";
  return with_unit(saying, fmt::format("{:.{}f}", number, decimals_of(saying, number)));
}

double rounded_as_said(const Saying& saying, double value) {
  const double number = number_of(saying, value), by = std::pow(10, decimals_of(saying, number));
  const double rounded = std::round(number * by) / by;
  return saying.measure == Measure::share ? rounded / 100 : rounded;
}

std::string typed_text(const Saying& saying, double value) {
  return with_unit(saying.words.sign.empty() ? saying : Saying{saying.measure},
                   fmt::format("{:.6g}", number_of(saying, value)));
}

std::optional<double> value_of_typed(const Saying& saying, std::string_view text) {
  const auto is_blank = [](unsigned char letter) { return std::isspace(letter) != 0; };
  while (!text.empty() && is_blank(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && is_blank(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  const std::optional<Amount> amount = parse_amount(text, saying.measure);
  // Percent would be of the picture's width, which is not known here.
  if (!amount || (saying.measure == Measure::pixels_or_percent && amount->unit == Unit::percent)) return {};
  const bool is_percent = saying.measure == Measure::share && amount->unit == Unit::none;
  const double value = is_percent ? amount->value / 100 : amount->value;
  return saying.whole ? std::round(value) : value;
}

}  // namespace scanlens
