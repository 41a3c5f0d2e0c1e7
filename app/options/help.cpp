#include "app/options/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <vector>

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

/// Returns the words that a command line has at least, in brackets those that may be left out.
std::string usage_of(const Command& command) {
  std::string words;
  for (const Option& option : command.options()) {
    if (!option.is_required && !option.is_placed()) continue;
    std::string word = option.names.front();
    if (!option.is_placed()) word += " " + option.type;
    if (option.target.is_list() && word.find("...") == std::string::npos) word += "...";
    words += option.is_required ? " " + word : " [" + word + "]";
  }
  return words;
}

/// Returns the options of the page, in their order.
std::vector<const Option*> shown_options(const Command& command) {
  std::vector<const Option*> shown;
  for (const std::string& name : command.often) shown.push_back(&command.at(name));
  if (shown.empty())
    for (const Option& option : command.options())
      if (!option.name().starts_with("--help")) shown.push_back(&option);
  return shown;
}

std::string described(const Option& option) {
  std::string text = "  " + fmt::format("{}", fmt::join(option.names, ","));
  if (!option.type.empty()) text += " " + option.type;
  if (!option.default_text.empty()) text += "=" + option.default_text;
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
  text += fmt::format("Usage: {} {}{} [OPTION...]\n\n{}:\n", program, command.name, usage_of(command),
                      command.often.empty() ? "Options" : "Often used");
  for (const Option* option : shown_options(command)) text += described(*option);
  if (!command.brief.empty()) text += "\n" + command.brief;
  if (!command.often.empty())
    text += fmt::format("\n`{} {} --help-all` explains all {} options, with more examples.\n", program,
                        command.name, command.options().size());
  return text;
}

}  // namespace scanlens
