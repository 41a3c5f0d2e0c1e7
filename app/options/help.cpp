#include "app/options/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

namespace scanlens {
namespace {

constexpr std::size_t kColumn = 30, kWidth = 120;

/// Returns the first example of a footer; "" without one.
std::string first_example(const std::string& footer) {
  const std::size_t heading = footer.find("Example");
  const std::size_t line = heading == std::string::npos ? heading : footer.find('\n', heading);
  if (line == std::string::npos) return "";
  return footer.substr(line + 1, footer.find('\n', line + 1) - line - 1);
}

std::string positionals(const Command& command) {
  std::string names;
  for (const Option& option : command.options())
    if (!option.name().starts_with("-")) names += " " + option.name();
  return names;
}

std::string described(const Option& option) {
  std::string text = "  " + fmt::format("{}", fmt::join(option.names, ","));
  if (!option.type.empty()) text += " " + option.type;
  if (option.is_required) text += " REQUIRED";
  text +=
      text.size() + 2 > kColumn ? "\n" + std::string(kColumn, ' ') : std::string(kColumn - text.size(), ' ');
  std::istringstream lines(wrapped(option.help, kWidth - kColumn));
  bool first = true;
  for (std::string line; std::getline(lines, line); first = false)
    text += (first ? "" : std::string(kColumn, ' ')) + line + "\n";
  return text;
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t width) {
  std::istringstream words(text);
  std::string lines;
  std::size_t used = 0;
  for (std::string word; words >> word; used += word.size()) {
    if (used > 0 && used + 1 + word.size() > width) {
      lines += "\n";
      used = 0;
    } else if (used > 0) {
      lines += " ";
      ++used;
    }
    lines += word;
  }
  return lines;
}

std::string short_help(const std::string& program, const Command& command) {
  std::string text = command.help + "\n\n";
  if (const std::string example = first_example(command.footer); !example.empty())
    text += "Example:\n" + example + "\n\n";
  text +=
      fmt::format("Usage: {} {} [OPTIONS]{}\n\nOften used:\n", program, command.name, positionals(command));
  for (const std::string& name : command.often) text += described(command.at(name));
  text += fmt::format("\n`{} {} --help-all` explains all {} options, with more examples.\n", program,
                      command.name, command.options().size());
  return text;
}

}  // namespace scanlens
