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

/// Returns the words without a name, in brackets those that may be left out, and options that are required.
std::string usage_of(const Command& command, bool tells_options) {
  std::string words;
  for (const Option& option : command.options()) {
    if (!option.is_placed() && !(option.is_required && tells_options)) continue;
    std::string word = option.names.front();
    if (!option.is_placed()) word += " " + option.type;
    if (option.target.is_list && word.find("...") == std::string::npos) word += "...";
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

/// Returns the text with lines of at most `width` characters, as far as its words allow.
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

std::string described(const Option& option, bool tells_required) {
  std::string text = fmt::format("  {}", fmt::join(option.names, ","));
  if (!option.type.empty()) text += " " + option.type;
  if (!option.default_text.empty()) text += "=" + option.default_text;
  if (tells_required && option.is_required) text += " REQUIRED";
  text +=
      text.size() + 2 > kColumn ? "\n" + std::string(kColumn, ' ') : std::string(kColumn - text.size(), ' ');
  std::istringstream lines(wrapped(option.help, kWidth - kColumn));
  bool first = true;
  for (std::string line; std::getline(lines, line); first = false)
    text += (first ? "" : std::string(kColumn, ' ')) + line + "\n";
  return text;
}

/// Returns the options of a group, below its heading.
std::string group_of(const Command& command, Group group, bool placed) {
  std::string text;
  for (const Option& option : command.options())
    if (option.group == group && option.is_placed() == placed) text += described(option, true);
  return text;
}

}  // namespace

std::string short_help(const std::string& program, const Command& command) {
  std::string text = command.help + "\n\n";
  if (const std::string example = first_example(command.footer); !example.empty())
    text += "Example:\n" + example + "\n\n";
  text += fmt::format("Usage: {} {}{} [OPTION...]\n\n{}:\n", program, command.name, usage_of(command, true),
                      command.often.empty() ? "Options" : "Often used");
  for (const Option* option : shown_options(command)) text += described(*option, false);
  if (!command.brief.empty()) text += "\n" + command.brief;
  if (!command.often.empty())
    text += fmt::format("\n`{} {} --help-all` explains all {} options, with more examples.\n", program,
                        command.name, command.options().size());
  return text;
}

std::string whole_help(const std::string& program, const Command& command) {
  std::string text = fmt::format("{}\nUsage: {} {} [OPTIONS]{}\n\n", command.help, program, command.name,
                                 usage_of(command, false));
  if (const std::string placed = group_of(command, Group::options, true); !placed.empty())
    text += "Positionals:\n" + placed + "\n";
  std::vector<Group> groups = groups_of(command);
  for (const Group group : groups)
    text += fmt::format("{}{}:\n{}\n", group == groups.front() ? "" : "\n", heading(group),
                        group_of(command, group, false));
  return text + command.footer + "\n";
}

std::string program_help(const Program& program) {
  std::string text = fmt::format("{}\nUsage: {} [OPTIONS] [SUBCOMMAND]\n\nOptions:\n{}\nSubcommands:\n",
                                 program.help, program.name, group_of(program, Group::options, false));
  for (const Command& command : program.commands())
    text += fmt::format("  {:<28}{}\n", command.name, command.help);
  return text + "\n" + program.footer + "\n";
}

}  // namespace scanlens
