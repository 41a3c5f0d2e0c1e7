#include "app/batch/plan/name_pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "core/error.h"

namespace scanlens {

NamePattern::NamePattern(std::string_view option, std::string_view text, bool has_facts) : text_(text) {
  std::string literal;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if ((c == '{' || c == '}') && text.substr(at, 2) == std::string(2, c)) {
      literal += c;
      ++at;
    } else if (c == '{') {
      const std::size_t end = text.find('}', at);
      if (end == std::string_view::npos)
        throw Error(ErrorKind::usage, fmt::format("{}: '{}' has a {{ without its }}", option, text));
      parts_.push_back(part_named(option, text.substr(at + 1, end - at - 1), has_facts));
      parts_.back().literal = std::exchange(literal, {});
      at = end;
    } else if (c == '}') {
      throw Error(ErrorKind::usage, fmt::format("{}: '{}' has a }} without its {{", option, text));
    } else {
      literal += c;
    }
  }
  parts_.push_back({std::move(literal), Field::none});
}

NamePattern::Part NamePattern::part_named(std::string_view option, std::string_view name,
                                          bool has_facts) const {
  constexpr std::pair<std::string_view, Field> kFields[] = {
      {"dir", Field::dir},  {"name", Field::name}, {"stem", Field::stem},  {"ext", Field::ext},
      {"n", Field::number}, {"date", Field::date}, {"width", Field::width}};
  constexpr std::size_t kOfNames = 4;
  Part part{"", Field::none};
  std::string_view known = name;
  if (name.size() == 4 && name.starts_with("n:0") && name[3] >= '1' && name[3] <= '9') {
    known = "n";
    part.digits = name[3] - '0';
  }
  for (const auto& [field_name, field] : std::span(kFields).first(has_facts ? std::size(kFields) : kOfNames))
    if (field_name == known) part.field = field;
  if (part.field != Field::none) return part;
  throw Error(ErrorKind::usage,
              fmt::format("{}: there is no field {{{}}} in '{}': use {{dir}}, {{name}}, {{stem}}, {{ext}}{}",
                          option, name, text_, has_facts ? ", {n}, {n:04}, {date}, {width}" : ""));
}

bool NamePattern::asks_for_facts() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const Part& part) { return part.field >= Field::date; });
}

std::filesystem::path NamePattern::name_for(const std::filesystem::path& relative, std::string_view extension,
                                            const NameFacts& facts) const {
  const std::string folder = relative.parent_path().string(), name = relative.filename().string(),
                    stem = relative.stem().string(), own = relative.extension().string();
  std::string made;
  for (const Part& part : parts_) {
    made += part.literal;
    switch (part.field) {
      case Field::dir:
        made += folder.empty() ? "." : folder;
        break;
      case Field::name:
        made += name;
        break;
      case Field::stem:
        made += stem;
        break;
      case Field::ext:
        made += !extension.empty() ? extension : own.empty() ? own : std::string_view(own).substr(1);
        break;
      case Field::number:
        made += fmt::format("{:0{}}", facts.number, part.digits);
        break;
      case Field::date:
        made += facts.date;
        break;
      case Field::width:
        made += fmt::format("{}", facts.width);
        break;
      case Field::none:
        break;
    }
  }
  return std::filesystem::path(made).lexically_normal();
}

}  // namespace scanlens
