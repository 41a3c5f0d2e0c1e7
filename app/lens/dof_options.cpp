#include "app/lens/dof_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

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
          ? fmt::format("a number of pixels from {} to {}, or percent of the width from 0% to 100%",
                        param.least, param.most)
          : name_of(param.measure);
  return fmt::format("takes {}{}{}", range, examples_of(param.measure), not_taken(text, param.measure));
}

Check check_of(const DofParam& param) {
  if (!param.names.empty()) return named(param.names);
  if (has_two_units(param))
    return [&param](const std::string& text) {
      return parse_dof(param, text) ? std::string() : complaint_of(param, text);
    };
  if (param.whole) return whole_within(static_cast<int>(param.least), static_cast<int>(param.most));
  return param.is_open() ? positive(param.measure) : within(param.least, param.most, param.measure);
}

/// Returns what a value is where none is given; nothing where another option's help says it.
std::string default_text(const DofParam& param, const DofValues& defaults, bool of_scene) {
  const double value = defaults.*param.value_at;
  if (!param.names.empty()) return std::string(param.names[static_cast<std::size_t>(value)]);
  if (!param.of_photo) return fmt::format("{}", value);
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
  const auto take = [&given, &param](const std::string& text) {
    given.*param.given_at = parse_dof(param, text);
    return std::string();
  };
  return command
      .add(fmt::format("--{} {}", param.name, is_distance ? "METRES" : param.type), take,
           help_of(param, defaults, of_scene), std::string(param.group).c_str())
      .check(check_of(param));
}

}  // namespace scanlens
