#include "app/batch/plan/name_pattern.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"

namespace scanlens {

NamePattern::NamePattern(std::string_view option, std::string_view text) : text_(text) {
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
      parts_.push_back({std::exchange(literal, {}), field_named(option, text.substr(at + 1, end - at - 1))});
      at = end;
    } else if (c == '}') {
      throw Error(ErrorKind::usage, fmt::format("{}: '{}' has a }} without its {{", option, text));
    } else {
      literal += c;
    }
  }
  parts_.push_back({std::move(literal), Field::none});
}

NamePattern::Field NamePattern::field_named(std::string_view option, std::string_view name) const {
  constexpr std::pair<std::string_view, Field> kFields[] = {
      {"dir", Field::dir}, {"name", Field::name}, {"stem", Field::stem}, {"ext", Field::ext}};
  for (const auto& [known, field] : kFields)
    if (known == name) return field;
  throw Error(ErrorKind::usage,
              fmt::format("{}: there is no field {{{}}} in '{}': use {{dir}}, {{name}}, {{stem}}, {{ext}}",
                          option, name, text_));
}

std::filesystem::path NamePattern::name_for(const std::filesystem::path& relative,
                                            std::string_view extension) const {
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
      case Field::none:
        break;
    }
  }
  return std::filesystem::path(made).lexically_normal();
}

}  // namespace scanlens
