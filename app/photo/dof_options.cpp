#include "app/photo/dof_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/options/values.h"

namespace scanlens {
namespace {

bool has_two_units(const DofParam& param) {
  return param.measure == Measure::metres_or_share || param.measure == Measure::pixels_or_percent;
}

/// Says what a word should have been.
std::string complaint_of(const DofParam& param, const std::string& text) {
  const std::string range =
      param.measure == Measure::pixels_or_percent
          ? fmt::format("a number of pixels from {} to {}, or percent of the width{}", param.least,
                        param.most, param.least < 0 ? "" : " from 0% to 100%")
          : name_of(param.measure);
  return fmt::format("takes {}{}{}", range, examples_of(param.measure), not_taken(text, param.measure));
}

Check check_of(const DofParam& param) {
  if (has_two_units(param))
    return [&param](const std::string& text) {
      return parse_dof(param, text) ? std::string() : complaint_of(param, text);
    };
  if (param.whole) return whole_within(static_cast<int>(param.least), static_cast<int>(param.most));
  return param.is_open() ? positive(param.measure) : within(param.least, param.most, param.measure);
}

/// Returns a value with the digits that a float needs, since what a lens takes is no finer.
std::string word_of(const Amount& value) {
  const auto number = [](double of) { return fmt::format("{}", static_cast<float>(of)); };
  if (value.unit == Unit::share) return number(100 * value.value) + "%";
  return number(value.value) + (value.unit == Unit::percent ? "%" : value.unit == Unit::metres ? "m" : "");
}

Target target_of(const DofParam& param, std::optional<Amount>& given) {
  if (!param.names.empty())
    return choice(
        {param.names.begin(), param.names.end()},
        [&given](std::size_t at) { given = static_cast<double>(at); },
        [&given] { return given ? std::optional(static_cast<std::size_t>(given->value)) : std::nullopt; });
  const auto take = [&param, &given](const std::string& text) {
    given = parse_dof(param, text);
    return std::string();
  };
  return {take, [&given] { return given ? word_of(*given) : ""; }};
}

/// Returns what a value is where none is given; nothing where another option's help says it.
std::string default_text(const DofParam& param, const DofValues& defaults, bool of_scene) {
  const double value = defaults.*param.value_at;
  if (!param.names.empty()) return std::string(param.names[static_cast<std::size_t>(value)]);
  if (!param.of_photo) return fmt::format("{}", static_cast<float>(value));
  switch (param.needs) {
    case DofNeed::any:
      return of_scene ? text_of({value, Unit::metres}) : "";
    case DofNeed::relative:
      return of_scene ? "" : fmt::format("{}% where depth has no unit", value);
    case DofNeed::metric:
      return fmt::format("{}{}", of_scene ? "" : "the photo's EXIF, or ",
                         text_of({value, unit_of(param.measure)}));
  }
  return "";
}

std::string help_of(const DofParam& param, const DofValues& defaults, bool of_scene) {
  std::string text(of_scene && !param.scene_help.empty() ? param.scene_help : param.help);
  if (!param.names.empty()) text = fmt::format("{}: {}", fmt::join(param.names, ", "), text);
  if (param.needs == DofNeed::metric && !of_scene) text += ", where depth has a unit";
  if (param.names.empty() && !param.is_open() && !has_two_units(param))
    text += fmt::format(", {} to {}", param.least, param.most);
  const std::string value = default_text(param, defaults, of_scene);
  return value.empty() ? text : fmt::format("{} ({})", text, value);
}

}  // namespace

Option& add_dof_option(Command& command, const DofParam& param, DofGiven& given, const DofValues& defaults,
                       bool of_scene) {
  const bool is_distance = of_scene && param.measure == Measure::metres_or_share;
  Option& option = command
                       .add(fmt::format("--{} {}", param.name, is_distance ? "METRES" : param.type),
                            target_of(param, given.*param.given_at), help_of(param, defaults, of_scene),
                            param.group == kLensGroup ? Group::lens : Group::look)
                       .also(param.others_words);
  return param.names.empty() ? option.check(check_of(param)) : option;
}

}  // namespace scanlens
