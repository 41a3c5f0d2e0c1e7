#include "app/options/options.h"

#include <algorithm>
#include <stdexcept>

#include "core/error.h"

namespace scanlens {

Option::Option(std::string_view spelling, Target to, std::string about, std::string heading)
    : target(std::move(to)), help(std::move(about)), group(std::move(heading)) {
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

bool Option::is_flag() const {
  return std::holds_alternative<std::monostate>(target) || std::holds_alternative<bool*>(target);
}

bool Option::takes_many() const {
  const bool is_list = std::holds_alternative<std::vector<double>*>(target) ||
                       std::holds_alternative<std::vector<std::string>*>(target) ||
                       std::holds_alternative<std::vector<std::filesystem::path>*>(target);
  return values == Values::pair || is_list;
}

Command::Command(std::string command, std::string about) : name(std::move(command)), help(std::move(about)) {
  add("-h,--help", {}, "");
}

Option& Command::add(std::string_view spelling, Target target, std::string about, const char* group) {
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

Option& Command::at(std::string_view option_name) {
  for (Option& option : options_)
    if (option.has_name(option_name)) return option;
  throw std::logic_error(name + " declares no option " + std::string(option_name));
}

bool Command::given(std::string_view option_name) const {
  const Option* option = find(option_name);
  return option && option->given();
}

Program::Program(std::string program, std::string about, std::string version)
    : Command(std::move(program), std::move(about)), version_text(std::move(version)) {
  add("--version", {}, "");
}

Command& Program::add_command(std::string command, std::string about) {
  return commands_.emplace_back(std::move(command), std::move(about));
}

void refuse_options(const Command& command, const std::vector<std::string>& groups, const std::string& why,
                    const std::string& heeded) {
  for (const Option& option : command.options())
    if (option.given() && option.name() != heeded &&
        std::find(groups.begin(), groups.end(), option.group) != groups.end())
      throw Error(ErrorKind::usage, option.name() + " " + why);
}

}  // namespace scanlens
