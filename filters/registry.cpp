#include "filters/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/error.h"
#include "filters/amount.h"
#include "filters/expression.h"
#include "filters/nearest.h"
#include "filters/where.h"

namespace scanlens {

/// Every filter, one a line, in the order that the help has.
#define SCANLENS_FOR_EACH_FILTER(X) \
  X(kBox)                           \
  X(kGaussian)                      \
  X(kVariableBox)                   \
  X(kTiltShift)                     \
  X(kFlatten)                       \
  X(kUnsharp)                       \
  X(kLocalContrast)                 \
  X(kAdaptiveThreshold)             \
  X(kDenoise)                       \
  X(kGuided)                        \
  X(kResize)                        \
  X(kCrop)                          \
  X(kRotate)                        \
  X(kFlip)                          \
  X(kPad)                           \
  X(kBorder)                        \
  X(kLevels)                        \
  X(kWhiteBalance)                  \
  X(kGrey)                          \
  X(kSepia)                         \
  X(kVignette)                      \
  X(kWatermark)                     \
  X(kText)                          \
  X(kTones)                         \
  X(kFog)                           \
  X(kDof)                           \
  // A new filter's line goes above this one.

#define SCANLENS_DECLARE(filter) extern const Filter filter;
#define SCANLENS_POINT(filter) &filter,
SCANLENS_FOR_EACH_FILTER(SCANLENS_DECLARE)

namespace {

constexpr const Filter* kFilters[] = {SCANLENS_FOR_EACH_FILTER(SCANLENS_POINT)};
/// Keys of every filter that keeps the picture's size.
constexpr std::string_view kWhere = "where", kFeather = "feather";
/// A key of words.
constexpr std::string_view kFont = "font";

[[noreturn]] void refuse(std::string_view text, const std::string& cause) {
  throw Error(ErrorKind::usage, fmt::format("--filter {}: {}", text, cause));
}

const Filter& pointed_at(const Filter* filter) {
  return *filter;
}
const Param& pointed_at(const Param& param) {
  return param;
}

template <class Named>
std::vector<std::string> names(std::span<const Named> all) {
  std::vector<std::string> found;
  for (const Named& one : all) found.emplace_back(pointed_at(one).name);
  return found;
}

/// The first of `all` that is called `name`, or null.
template <class Named>
const Named* find(std::span<const Named> all, std::string_view name) {
  for (const Named& one : all)
    if (pointed_at(one).name == name) return &one;
  return nullptr;
}

/// Returns the keys of values that a filter takes.
std::vector<std::string> keys_of(const Filter& filter) {
  std::vector<std::string> keys = names(filter.params);
  if (filter.map != MapKind::none) keys.emplace_back(name_of(filter.map));
  if (filter.map == MapKind::words) keys.emplace_back(kFont);
  if (!changes_geometry(filter)) keys.insert(keys.end(), {std::string(kWhere), std::string(kFeather)});
  return keys;
}

/// Lists the valid words and the nearest one, for messages about an unknown word.
std::string instead(std::string_view word, const std::vector<std::string>& words) {
  const std::string meant = nearest(word, words);
  return fmt::format("{}{}", fmt::join(words, ", "),
                     meant.empty() ? "" : fmt::format("; did you mean {}?", meant));
}

double parse_name(std::string_view text, const Param& param, std::string_view word) {
  const auto found = std::find(param.names.begin(), param.names.end(), word);
  if (found == param.names.end())
    refuse(text, fmt::format("{} is '{}', but has to be one of {}", param.name, word,
                             instead(word, {param.names.begin(), param.names.end()})));
  return static_cast<double>(found - param.names.begin());
}

bool is_of_size(const Amount& amount, const Param& param) {
  return amount.unit == Unit::percent && (param.measure == Measure::pixels_or_percent ||
                                          param.measure == Measure::pixels_or_percent_of_height);
}

/// The values that a parameter takes.
std::string values_text(const Param& param) {
  if (!param.names.empty()) return fmt::format("{}", fmt::join(param.names, ", "));
  if (param.measure == Measure::colour)
    return fmt::format("white, black, grey{} or #rrggbb", param.least < 0 ? ", edge" : "");
  return fmt::format("{}{} to {}", param.whole ? "whole, " : "", param.least, param.most);
}

Amount parse_value(std::string_view text, const Param& param, std::string_view digits) {
  if (!param.names.empty()) return parse_name(text, param, digits);
  const std::optional<Amount> amount = parse_amount(digits, param.measure);
  const bool of_size = amount && is_of_size(*amount, param);
  if (of_size && amount->value >= 0 && amount->value <= 100) return *amount;
  if (!amount && param.measure == Measure::colour)
    refuse(text, fmt::format("{} is '{}', but has to be {}", param.name, digits, values_text(param)));
  if (!amount || of_size || !(amount->value >= param.least && amount->value <= param.most) ||
      (param.whole && amount->value != std::floor(amount->value)))
    refuse(text, fmt::format("{} is '{}', but has to be {} from {} to {}{}", param.name, digits,
                             name_of(param.measure, param.whole ? "whole" : ""), param.least, param.most,
                             examples_of(param.measure)));
  return *amount;
}

/// The text up to the next colon, which leaves `rest` with what is behind it.
std::string_view next_part(std::string_view& rest) {
  const std::size_t end = std::min(rest.find(':'), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

/// Takes the name of a map's file, or words, off a text: up to the next key of the filter, because they may
/// hold colons.
std::string_view next_words(std::string_view& rest, const std::vector<std::string>& keys) {
  std::size_t end = rest.find(':');
  for (; end != std::string_view::npos; end = rest.find(':', end + 1)) {
    const std::string_view behind = rest.substr(end + 1);
    const std::size_t equals = behind.find('=');
    if (equals == std::string_view::npos) continue;
    if (std::find(keys.begin(), keys.end(), behind.substr(0, equals)) != keys.end()) break;
  }
  const std::string_view words = rest.substr(0, end);
  rest.remove_prefix(std::min(words.size() + 1, rest.size()));
  return words;
}

/// Returns the place for the words that a key gives a call; null for a key of another kind.
std::string* words_in(FilterCall& call, std::string_view key) {
  if (!key.empty() && key == name_of(call.filter->map)) return &call.map_file;
  return key == kFont && call.filter->map == MapKind::words ? &call.font_file : nullptr;
}

/// Says what a second input is.
std::string_view map_text(MapKind map) {
  switch (map) {
    case MapKind::mask:
      return "a picture, white where the filter works fully";
    case MapKind::picture:
      return "the picture to lay over, whose alpha counts";
    case MapKind::words:
      return "the words to lay over; \\n begins a line";
    default:
      return "a depth map, in any form that dof takes";
  }
}

/// Refuses a name that no filter has. Where it begins with a filter's, what follows was meant otherwise.
[[noreturn]] void refuse_name(std::string_view text, std::string_view name) {
  const std::string list = fmt::format("{}", fmt::join(names(all_filters()), ", "));
  if (name.empty()) throw Error(ErrorKind::usage, "--filter: no filter is named; there is: " + list);
  const std::size_t end = name.find_first_of(" ,=+|");
  if (end != std::string_view::npos && find(all_filters(), name.substr(0, end))) {
    const std::string_view first = name.substr(0, end);
    const std::string_view behind = text.substr(std::min(text.find_first_not_of(" ,+|", end), text.size()));
    const std::string_view next = behind.substr(0, behind.find_first_of(" ,+|:"));
    refuse(text, find(all_filters(), next)
                     ? fmt::format("is more than one filter; write --filter {} --filter {}", first, next)
                     : fmt::format("values follow colons; write {}:key=value", first));
  }
  const std::vector<std::string> meant = filters_meant_by(name);
  refuse(text,
         fmt::format("there is no filter '{}'; there is: {}", name,
                     meant.empty() ? instead(name, names(all_filters()))
                                   : fmt::format("{}; did you mean {}?", list, fmt::join(meant, " or "))));
}

/// Returns the part of the picture that a filter is to change; null where none is given.
std::shared_ptr<const Where> where_of(std::string_view text, const Filter& filter,
                                      const std::optional<std::string_view>& expression,
                                      const std::optional<std::string_view>& feather) {
  if (!expression && !feather) return nullptr;
  if (changes_geometry(filter))
    refuse(text, fmt::format("{} moves pixels, so that it changes all of the picture; leave out {}",
                             filter.name, expression ? kWhere : kFeather));
  if (!expression) refuse(text, "feather has no effect without where; add where=EXPRESSION");
  try {
    return std::make_shared<const Where>(parse_where(*expression, feather.value_or("")));
  } catch (const ExpressionError& error) {
    refuse(text, fmt::format("where, at character {}: {}", error.at() + 1, error.what()));
  } catch (const Error& error) {
    refuse(text, error.what());
  }
}

/// Refuses a part that gives a parameter no value.
[[noreturn]] void refuse_part(std::string_view text, std::string_view part, const Filter& filter) {
  if (const Param* param = find(filter.params, part))
    refuse(text,
           fmt::format("'{0}' is not key=value; write {0}={1}", part, value_text(*param, param->value)));
  refuse(text,
         fmt::format("'{}' is not key=value; {} has: {}", part, filter.name, instead(part, keys_of(filter))));
}

}  // namespace

std::span<const Filter* const> all_filters() {
  return kFilters;
}

std::string value_text(const Param& param, double value) {
  if (!param.names.empty()) return std::string(param.names[static_cast<std::size_t>(value)]);
  if (param.measure == Measure::colour) return name_of_colour(value);
  return fmt::format("{}", value);
}

FilterCall parse_filter(std::string_view text) {
  std::string_view rest = text;
  const std::string_view name = next_part(rest);
  const Filter* const* filter = find(all_filters(), name);
  if (!filter) refuse_name(text, name);
  const std::span<const Param> params = (*filter)->params;
  FilterCall call{*filter, (*filter)->defaults()};
  std::vector<const Param*> given;
  std::optional<std::string_view> where, feather;
  const std::vector<std::string> keys = keys_of(**filter);
  while (!rest.empty()) {
    const std::string_view begun = rest.substr(0, std::min(rest.find('='), rest.size()));
    if (std::string* const words = words_in(call, begun); words && begun.size() < rest.size()) {
      if (!words->empty()) refuse(text, fmt::format("{} is given twice", begun));
      rest.remove_prefix(begun.size() + 1);
      *words = next_words(rest, keys);
      if (words->empty())
        refuse(text, fmt::format("no {} named after '{}='",
                                 words == &call.map_file && call.filter->map == MapKind::words ? "words are"
                                                                                               : "file is",
                                 begun));
      continue;
    }
    const std::string_view part = next_part(rest);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) refuse_part(text, part, **filter);
    const std::string_view key = part.substr(0, equals);
    if (key == kWhere || key == kFeather) {
      std::optional<std::string_view>& value = key == kWhere ? where : feather;
      if (value) refuse(text, fmt::format("{} is given twice", key));
      value = part.substr(equals + 1);
      continue;
    }
    const Param* param = find(params, key);
    if (!param)
      refuse(text, fmt::format("{} has no parameter '{}'; it has: {}", name, key, instead(key, keys)));
    if (std::find(given.begin(), given.end(), param) != given.end())
      refuse(text, fmt::format("{} is given twice", param->name));
    given.push_back(param);
    const Amount amount = parse_value(text, *param, part.substr(equals + 1));
    param->in(call.params) = amount.value;
    if (is_of_size(amount, *param)) call.of_size.push_back(param);
  }
  if (const std::string problem = call.filter->problem(call.params); !problem.empty()) refuse(text, problem);
  call.where = where_of(text, **filter, where, feather);
  return call;
}

std::vector<FilterCall> parse_filters(std::span<const std::string> texts) {
  std::vector<FilterCall> calls;
  for (const std::string& text : texts) calls.push_back(parse_filter(text));
  return calls;
}

std::string describe(std::span<const Filter* const> filters) {
  std::string text = "Filters:\n";
  for (const Filter* filter : filters) {
    text += fmt::format("  {}: {}\n", filter->name, filter->help);
    for (const Param& param : filter->params)
      text += fmt::format("    {}: {}; {}, {} if not given\n", param.name, param.help, values_text(param),
                          value_text(param, param.value));
    if (!filter->example.empty()) text += fmt::format("    such as {}:{}\n", filter->name, filter->example);
    if (filter->map != MapKind::none)
      text += fmt::format("    {0}: {1}: {0}={2}\n", name_of(filter->map), map_text(filter->map),
                          filter->map == MapKind::words ? "WORDS" : "FILE");
    if (filter->map == MapKind::words)
      text += fmt::format("    {0}: the letters' font; one of the system if not given: {0}=FILE\n", kFont);
  }
  return text +
         "\nEvery filter that leaves pixels in their places takes where=EXPRESSION, the part of the picture "
         "to change, as "
         "in\n"
         "where=depth>3m (`scanlens mask --help` explains it), and feather=, the width of its soft edge: in "
         "pixels,\nas in 24px, or in depth, as in 0.5m or 5%. The picture as it is read decides, whatever "
         "filters "
         "before change.\n"
         "\nNumbers of pixels may be percent of the picture's width, as in radius=2%, heights and rows of "
         "its "
         "height;\nshares may be percent, 80%. A colour is white, black, grey or #rrggbb.\n";
}

}  // namespace scanlens
