#include "app/options/parse.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "app/options/help.h"
#include "app/options/target.h"

namespace scanlens {
namespace {

/// Characters of a line that explains an option.
constexpr std::size_t kHelpWidth = 90;

/// Leaves out what CLI11 adds to an option's name: how many words its value has, what it excludes and needs,
/// and dots behind a name that has some.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_usage(const CLI::Option* option) const override {
    const std::string name = make_option_name(option, true);
    return name.find("...") != std::string::npos ? name : CLI::Formatter::make_option_usage(option);
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description(), kHelpWidth);
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    std::string text;
    if (option->get_items_expected_max() > 0 && !option->get_type_name().empty())
      text += " " + option->get_type_name();
    if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
    if (option->get_required()) text += " REQUIRED";
    return text;
  }
};

void require_taken(const Option& option, const std::string& complaint) {
  if (!complaint.empty()) throw CLI::ValidationError(option.name(), complaint);
}

/// Adds an option to CLI11's command, by the type of its target.
struct Adder {
  CLI::App& app;
  const Option& option;
  std::string names;

  CLI::Option* operator()(std::monostate) const {
    return app.get_option(option.name())->description(option.help);
  }
  CLI::Option* operator()(bool* flag) const { return app.add_flag(names, *flag, option.help); }

  template <class Variable>
  CLI::Option* operator()(Variable* variable) const {
    CLI::Option* added = app.add_option(names, *variable, option.help)->type_name(option.type);
    return option.values == Values::each ? added->allow_extra_args(false) : added;
  }

  CLI::Option* operator()(const TakeText& take) const {
    if (option.values != Values::each)
      return typed<std::string>(
          [&own = option, take](const std::string& text) { require_taken(own, take(text)); });
    return typed<std::vector<std::string>>([&own = option, take](const std::vector<std::string>& texts) {
             for (const std::string& text : texts) require_taken(own, take(text));
           })
        ->expected(1)
        ->take_all();
  }

  CLI::Option* operator()(const TakeTexts& take) const {
    return typed<std::vector<std::string>>(
        [&own = option, take](const std::vector<std::string>& texts) { require_taken(own, take(texts)); });
  }

  template <class Value>
  CLI::Option* typed(const std::function<void(const Value&)>& take) const {
    return app.add_option_function<Value>(names, take, option.help)->type_name(option.type);
  }
};

std::string joined(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
  return list;
}

/// CLI11 reads numbers only as a check leaves them.
void require_check_of_numbers(const Option& option) {
  const auto is_number = []<class T>(const T&) {
    using V = std::variant<int*, std::int64_t*, std::uint64_t*, float*, double*, std::optional<int>*,
                           std::optional<float>*, std::optional<double>*, std::vector<double>*>;
    return std::is_constructible_v<V, T>;
  };
  if (!option.judge && std::visit(is_number, option.target.value().of))
    throw std::logic_error(option.name() + " takes a number and declares no check");
}

void add(CLI::App& app, const Option& option) {
  require_check_of_numbers(option);
  CLI::Option& added = *std::visit(Adder{app, option, joined(option.names)}, option.target.value().of);
  added.group(option.group);
  added.required(option.is_required);
  if (option.judge) added.transform(CLI::Validator(option.judge.judge, ""));
  if (option.values == Values::pair) added.expected(2);
  if (option.values == Values::pair || option.values == Values::separated) added.delimiter(',');
  if (!option.default_text.empty()) added.default_str(option.default_text);
  for (const Option* other : option.excluded) added.excludes(app.get_option(other->name()));
  for (const Option* other : option.needed) added.needs(app.get_option(other->name()));
}

void add_all(CLI::App& app, const Command& command) {
  app.footer(command.footer);
  for (const Option& option : command.options()) add(app, option);
}

void note_results(const CLI::App& app, Command& command) {
  for (Option& option : command.options()) option.results = app.get_option(option.name())->results();
}

/// Returns the page of the command that is asked for help; nothing for the program.
std::optional<std::string> short_answer(const CLI::App& app, const Program& program) {
  for (const Command& command : program.commands())
    if (app.get_subcommand(command.name)->count() > 0) return short_help(program.name, command);
  return std::nullopt;
}

Misuse misuse_of(const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) return Misuse::extra_words;
  if (dynamic_cast<const CLI::RequiredError*>(&error)) return Misuse::missing_option;
  if (dynamic_cast<const CLI::ExcludesError*>(&error)) return Misuse::exclusion;
  if (dynamic_cast<const CLI::ValidationError*>(&error)) return Misuse::bad_value;
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) return Misuse::wrong_count;
  return Misuse::other;
}

}  // namespace

Parsed parse(Program& program, std::vector<std::string> words) {
  CLI::App app(program.help, program.name);
  app.formatter(std::make_shared<HelpFormatter>());
  app.set_version_flag("--version", program.version_text);
  app.set_help_all_flag("--help-all");
  app.require_subcommand(0, 1);
  add_all(app, program);
  for (const Command& command : program.commands())
    add_all(*app.add_subcommand(command.name, command.help), command);

  Parsed parsed;
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForAllHelp&) {
    parsed.answer = app.help();
  } catch (const CLI::CallForHelp&) {
    parsed.answer = short_answer(app, program);
    if (!parsed.answer) parsed.answer = app.help();
  } catch (const CLI::CallForVersion& version) {
    parsed.answer = std::string(version.what()) + "\n";
  } catch (const CLI::ParseError& error) {
    parsed.misuse = misuse_of(error);
    parsed.message = error.what();
  }
  parsed.extra_words = app.remaining();
  note_results(app, program);
  for (Command& command : program.commands()) {
    const CLI::App& own = *app.get_subcommand(command.name);
    if (own.count() == 0) continue;
    parsed.command = &command;
    parsed.extra_words = own.remaining();
    note_results(own, command);
  }
  return parsed;
}

}  // namespace scanlens
