#include "app/options/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "app/options/target.h"
#include "core/error.h"

namespace scanlens {

Target::Target() : value_(std::make_shared<Value>()) {}
Target::Target(TakeText take) : value_(std::make_shared<Value>(std::move(take))) {}
Target::Target(TakeTexts take) : value_(std::make_shared<Value>(std::move(take))) {}

template <class Variable>
Target::Target(Variable* variable) : value_(std::make_shared<Value>(variable)) {}

template Target::Target(bool*);
template Target::Target(int*);
template Target::Target(std::int64_t*);
template Target::Target(std::uint64_t*);
template Target::Target(float*);
template Target::Target(double*);
template Target::Target(std::string*);
template Target::Target(std::filesystem::path*);
template Target::Target(std::optional<int>*);
template Target::Target(std::optional<float>*);
template Target::Target(std::optional<double>*);
template Target::Target(std::optional<std::string>*);
template Target::Target(std::optional<std::filesystem::path>*);
template Target::Target(std::vector<double>*);
template Target::Target(std::vector<std::string>*);
template Target::Target(std::vector<std::filesystem::path>*);

bool Target::is_flag() const {
  return std::holds_alternative<std::monostate>(value_->of) || std::holds_alternative<bool*>(value_->of);
}

bool Target::is_list() const {
  return std::holds_alternative<std::vector<double>*>(value_->of) ||
         std::holds_alternative<std::vector<std::string>*>(value_->of) ||
         std::holds_alternative<std::vector<std::filesystem::path>*>(value_->of);
}

bool Target::is_path() const {
  return std::holds_alternative<std::filesystem::path*>(value_->of) ||
         std::holds_alternative<std::optional<std::filesystem::path>*>(value_->of) ||
         std::holds_alternative<std::vector<std::filesystem::path>*>(value_->of);
}

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

Option& Option::shows_target() {
  const auto text_of = []<class T>(const T& held) {
    using Value = std::remove_pointer_t<T>;
    constexpr bool kIsNumber = std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>;
    if constexpr (kIsNumber || std::is_same_v<Value, std::string>)
      return fmt::format("{}", *held);
    else
      return std::string();
  };
  return shows(std::visit(text_of, target.value().of));
}

Command::Command(std::string command, std::string about) : name(std::move(command)), help(std::move(about)) {
  add("-h,--help", {}, "Print this help message and exit");
  add("--help-all", {}, "Print this help message with all options and exit");
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

Program::Program(std::string program, std::string about, std::string version)
    : Command(std::move(program), std::move(about)), version_text(std::move(version)) {
  add("--version", {}, "Display program version information and exit");
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
