#include "app/options/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "app/io/text.h"
#include "app/options/values.h"
#include "core/error.h"

namespace scanlens {

std::string_view heading(Group group) {
  constexpr std::string_view kHeadings[] = {"Options",    "Depth",   "Lens",         "Look", "Camera",
                                            "Inputs",     "Output",  "Sequence",     "Clip", "The run",
                                            "Statistics", "Quality", "Where and how"};
  return kHeadings[static_cast<std::size_t>(group)];
}

Option::Option(std::string_view spelling, Target to, std::string about, Group part)
    : target(std::move(to)), help(std::move(about)), group(part) {
  if (target.words) defaults = target.words();
  if (!target.choices.empty()) judge = one_of(target.choices);
  std::string_view rest = spelling;
  if (const std::size_t space = rest.find(' '); rest.starts_with('-') && space != std::string_view::npos) {
    type = rest.substr(space + 1);
    rest = rest.substr(0, space);
  }
  for (std::size_t comma = 0; comma != std::string_view::npos; rest.remove_prefix(comma + 1)) {
    comma = rest.find(',');
    names.emplace_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) break;
  }
}

const std::string& Option::name() const {
  const auto is_long = [](const std::string& name) { return name.starts_with("--"); };
  const auto found = std::find_if(names.begin(), names.end(), is_long);
  return found == names.end() ? names.front() : *found;
}

bool Option::has_name(std::string_view name) const {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Option& Option::shows_target() {
  return shows(fmt::format("{}", fmt::join(defaults, ",")));
}

std::vector<std::string> Option::value() const {
  std::vector<std::string> held = target.words ? target.words() : defaults;
  if (held == defaults) return {};
  if (target.is_path)
    for (std::string& file : held) file = file_word(file);
  return held;
}

std::vector<std::string> Option::words() const {
  const std::vector<std::string> held = value();
  if (held.empty() || is_placed()) return held;
  if (is_flag()) return {name()};
  if (values != Values::each) return {name(), fmt::format("{}", fmt::join(held, ","))};
  std::vector<std::string> repeated;
  for (const std::string& word : held) repeated.insert(repeated.end(), {name(), word});
  return repeated;
}

Command::Command(std::string command, std::string about) : name(std::move(command)), help(std::move(about)) {
  add("-h,--help", {}, "Print this help message and exit");
  add("--help-all", {}, "Print this help message with all options and exit");
}

Option& Command::add(std::string_view spelling, Target target, std::string about, Group group) {
  return options_.emplace_back(spelling, std::move(target), std::move(about), group);
}

void Command::remove(std::string_view option_name) {
  options_.remove_if([&](const Option& option) { return option.has_name(option_name); });
}

const Option* Command::find(std::string_view option_name) const {
  for (const Option& option : options_)
    if (option.has_name(option_name)) return &option;
  return nullptr;
}

const Option& Command::at(std::string_view option_name) const {
  if (const Option* option = find(option_name)) return *option;
  throw std::logic_error(name + " declares no option " + std::string(option_name));
}

Option& Command::at(std::string_view option_name) {
  return const_cast<Option&>(std::as_const(*this).at(option_name));
}

bool Command::given(std::string_view option_name) const {
  const Option* option = find(option_name);
  return option && option->given();
}

std::vector<std::string> Command::words() const {
  std::vector<std::string> all;
  for (const Option& option : options_)
    for (std::string& word : option.words()) all.push_back(std::move(word));
  return all;
}

std::vector<Group> groups_of(const Command& command) {
  std::vector<Group> groups = {Group::options};
  for (const Option& option : command.options())
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) groups.push_back(option.group);
  return groups;
}

Program::Program(std::string program, std::string about, std::string version)
    : Command(std::move(program), std::move(about)), version_text(std::move(version)) {
  add("--version", {}, "Display program version information and exit");
}

Command& Program::add_command(std::string command, std::string about) {
  return commands_.emplace_back(std::move(command), std::move(about));
}

void refuse_options(const Command& command, std::initializer_list<Group> groups, const std::string& why,
                    const std::string& heeded) {
  for (const Option& option : command.options())
    if (option.given() && option.name() != heeded &&
        std::find(groups.begin(), groups.end(), option.group) != groups.end())
      throw Error(ErrorKind::usage, option.name() + " " + why);
}

}  // namespace scanlens
