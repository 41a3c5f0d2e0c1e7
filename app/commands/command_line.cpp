#include "app/commands/command_line.h"

#include <fmt/format.h>
#include <tbb/info.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "app/commands/commands.h"
#include "app/session/pulled.h"
#include "app/session/session.h"
#include "app/session/threads.h"
#include "core/error.h"
#include "filters/nearest.h"

namespace scanlens {
namespace {

using Words = std::vector<std::string>;

bool is_option(const std::string& word) {
  return word.size() > 1 && word.front() == '-';
}

/// Returns the name of an option without its value: "--size" of "--size=3x4".
std::string name_in(const std::string& word) {
  return word.substr(0, word.find('='));
}

Words option_names(const CLI::App& command) {
  Words names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

std::string did_you_mean(const std::string& word, const Words& candidates) {
  const std::string meant = nearest(word, candidates);
  return meant.empty() ? "" : fmt::format("; did you mean {}?", meant);
}

/// Holds the options that commands share, to be looked up; what they are set to counts for nothing.
class SharedOptions {
 public:
  SharedOptions() {
    options_.set_help_flag();
    session_.add_options(options_);
  }
  const CLI::Option* find(const std::string& name) const { return options_.get_option_no_throw(name); }
  Words names() const { return option_names(options_); }

 private:
  Session session_;
  CLI::App options_;
};

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorKind::usage, sentence);
}

[[noreturn]] void refuse_before_command(const CLI::App& program, const SharedOptions& shared,
                                        const std::string& name) {
  std::string owners;
  Words known = shared.names();
  for (const CLI::App* command : commands_of(program)) {
    const Words names = option_names(*command);
    known.insert(known.end(), names.begin(), names.end());
    if (command->get_option_no_throw(name)) owners += (owners.empty() ? "" : ", ") + command->get_name();
  }
  if (!owners.empty())
    refuse(fmt::format("{} goes behind the command (it is an option of: {})", name, owners));
  refuse(fmt::format("there is no option {}{}", name, did_you_mean(name, known)));
}

/// Leaves out what CLI11 adds to an option's name: how many words its value has, what it excludes and needs,
/// and dots behind a name that has some.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_usage(const CLI::Option* option) const override {
    const std::string name = make_option_name(option, true);
    return name.find("...") != std::string::npos ? name : CLI::Formatter::make_option_usage(option);
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

const CLI::App& command_named(const CLI::App& program, const std::string& name) {
  Words names;
  for (const CLI::App* command : commands_of(program)) {
    if (command->get_name() == name) return *command;
    names.push_back(command->get_name());
  }
  const std::string meant = did_you_mean(name, names);
  refuse(fmt::format("there is no command '{}'{}", name, meant.empty() ? ": see scanlens --help" : meant));
}

[[noreturn]] void refuse_missing_value(const CLI::Option& option) {
  refuse(fmt::format("{} needs a value: {}", option.get_name(), option.get_type_name()));
}

/// Refuses an option in the place of another's value, which CLI11 would take for the value.
void refuse_missing_values(const CLI::App& command, const Words& words) {
  for (std::size_t i = 0; i + 1 < words.size() && words[i] != "--"; ++i) {
    const CLI::Option* option = is_option(words[i]) ? command.get_option_no_throw(words[i]) : nullptr;
    if (!option || option->get_items_expected_max() == 0) continue;
    ++i;
    if (is_option(words[i]) && command.get_option_no_throw(name_in(words[i]))) refuse_missing_value(*option);
  }
}

/// Refuses a value behind a flag, "--quiet=3", which CLI11 would take for a count.
void refuse_value_of_flag(const CLI::Option& option, const std::string& word) {
  if (option.get_items_expected_max() == 0 && word.find('=') != std::string::npos)
    refuse(fmt::format("{} takes no value", name_in(word)));
}

std::string no_option(const CLI::App& command, const std::string& name) {
  return fmt::format("{} has no option {}{}", command.get_name(), name,
                     did_you_mean(name, option_names(command)));
}

/// Refuses an option that the command does not have, before the word behind it is taken for something else.
void refuse_unknown_options(const CLI::App& command, const Words& words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string name = name_in(words[i]);
    if (!name.starts_with("--")) continue;
    const CLI::Option* option = command.get_option_no_throw(name);
    if (!option) refuse(no_option(command, name));
    refuse_value_of_flag(*option, words[i]);
    if (option->get_items_expected_max() > 0 && name == words[i]) ++i;
  }
}

/// Makes one word of the keys FRAME:VALUE that follow each other behind an option, as its value.
Words with_keys_joined(const Words& words) {
  Words joined;
  for (const std::string& word : words) {
    const std::string last = joined.empty() ? "" : joined.back().substr(joined.back().find_last_of("=,") + 1);
    const bool behind_option = joined.size() > 1 && is_option(joined[joined.size() - 2]);
    if (is_key(word) && is_key(last) && (behind_option || is_option(joined.back())))
      joined.back() += "," + word;
    else
      joined.push_back(word);
  }
  return joined;
}

/// Puts the shared options that stand before the command behind it, where the command knows them.
Words in_order(const CLI::App& program, const Words& words) {
  const SharedOptions shared;
  Words own, moved;
  std::size_t at = 0;
  while (at < words.size() && is_option(words[at])) {
    const std::string& word = words[at++];
    const std::string name = name_in(word);
    if (const CLI::Option* option = program.get_option_no_throw(name)) {  // --help and --version
      refuse_value_of_flag(*option, word);
      own.push_back(word);
      continue;
    }
    const CLI::Option* option = shared.find(name);
    if (!option) refuse_before_command(program, shared, name);
    refuse_value_of_flag(*option, word);
    moved.push_back(word);
    if (option->get_items_expected_max() == 0 || name != word) continue;
    if (at == words.size()) refuse_missing_value(*option);
    moved.push_back(words[at++]);
  }
  if (at == words.size()) {
    if (own.empty())
      refuse(fmt::format("a command is required{}: see scanlens --help",
                         words.empty() ? "" : " after " + words.back()));
    return own;
  }

  if (words[at] == "help" && at + 2 >= words.size()) {  // as in `scanlens help dof`
    if (at + 1 < words.size()) own.push_back(command_named(program, words[at + 1]).get_name());
    own.push_back("--help");
    return own;
  }

  const CLI::App& command = command_named(program, words[at]);
  const Words rest = with_keys_joined({words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end()});
  refuse_missing_values(command, rest);
  refuse_unknown_options(command, rest);
  Words ordered = std::move(own);
  ordered.push_back(words[at]);
  ordered.insert(ordered.end(), moved.begin(), moved.end());
  ordered.insert(ordered.end(), rest.begin(), rest.end());
  return ordered;
}

/// Returns what is wrong with words that the command has no use for; nothing where it has a use for all, or
/// `only_options` asks for no more than options.
std::string about_extras(const CLI::App& command, bool only_options) {
  const Words extras = command.remaining();
  const auto option = std::find_if(extras.begin(), extras.end(), is_option);
  if (option != extras.end()) return no_option(command, name_in(*option));
  if (only_options || extras.empty()) return "";
  return fmt::format("{} has no use for '{}': see scanlens {} --help", command.get_name(), extras.front(),
                     command.get_name());
}

/// Returns the option that a message of CLI11 names first, or null.
const CLI::Option* option_in(const CLI::App& command, const std::string& message) {
  const CLI::Option* found = nullptr;
  std::size_t first = std::string::npos;
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const std::size_t at = message.find(name), end = at + name.size();
    const bool whole =
        at != std::string::npos && (end == message.size() || message[end] == ' ' || message[end] == ':');
    if (!whole || at >= first) continue;
    first = at;
    found = option;
  }
  return found;
}

/// Says what an option's value is, by the name that --help gives it.
std::string kind_of_value(const CLI::Option& option) {
  static const std::map<std::string, std::string> kinds = {
      {"MM", "a number of millimetres"},
      {"METRES", "a number of metres"},
      {"METRES|0..1", "a number (metres, or 0 to 1 where depth has no unit)"},
      {"FAR,NEAR", "two numbers, as in 0.5,14"},
      {"X,Y", "two numbers, as in 420,310"}};
  if (option.get_items_expected_max() == 0) return "no value";
  const auto found = kinds.find(option.get_type_name());
  return found == kinds.end() ? "a number" : found->second;
}

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

std::string about_count(const CLI::Option& option) {
  const std::string name = option.get_name();
  if (option.results().empty()) refuse_missing_value(option);
  if (option.get_items_expected_max() <= 1) return name + " is given more than once";
  return fmt::format("{} takes {}, not '{}'", name, kind_of_value(option), joined(option.results()));
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  if (const std::size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), by);
  return text;
}

/// Returns one sentence about what the parser did not take.
std::string sentence_about(const CLI::App& program, const CLI::ParseError& error) {
  const std::string message = error.what();
  const auto parsed = program.get_subcommands();
  const CLI::App& command = parsed.empty() ? program : *parsed.front();
  const CLI::Option* option = option_in(command, message);
  if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    if (std::string extras = about_extras(command, false); !extras.empty()) return extras;
  } else if (dynamic_cast<const CLI::RequiredError*>(&error)) {
    if (std::string extras = about_extras(command, true); !extras.empty()) return extras;
    return fmt::format("{}: {}: see scanlens {} --help", command.get_name(), message, command.get_name());
  } else if (dynamic_cast<const CLI::ConversionError*>(&error) && option) {
    return fmt::format("{} takes {}, not '{}'", option->get_name(), kind_of_value(*option),
                       joined(option->results()));
  } else if (dynamic_cast<const CLI::ExcludesError*>(&error)) {
    return replaced(message, " excludes ", " does not go with ");
  } else if (dynamic_cast<const CLI::ValidationError*>(&error)) {
    return replaced(message, ": takes ", " takes ");
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) && option) {
    return about_count(*option);
  }
  return message;
}

}  // namespace

void add_commands(CLI::App& program, int& exit_code, const BenchRunner& bench) {
  program.parse_complete_callback([] { start_threads(tbb::info::default_concurrency()); });
  add_dof_command(program, exit_code);
  add_render_command(program);
  add_filter_command(program);
  add_batch_command(program, exit_code);
  add_report_command(program, exit_code);
  add_filters_command(program);
  add_depth_command(program);
  add_stats_command(program);
  add_compare_command(program, exit_code);
  add_bench_command(program, exit_code, bench);
  add_view_command(program);
  add_info_command(program);
}

void run_command_line(CLI::App& program, std::vector<std::string> words) {
  Words ordered = in_order(program, words);
  std::reverse(ordered.begin(), ordered.end());  // as CLI11 takes them
  try {
    program.parse(std::move(ordered));
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    refuse(sentence_about(program, error));
  }
}

std::shared_ptr<CLI::Formatter> help_formatter() {
  return std::make_shared<HelpFormatter>();
}

std::string shared_options() {
  std::string list;
  for (const std::string& name : SharedOptions().names()) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace scanlens
