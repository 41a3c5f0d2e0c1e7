#include "app/commands/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/info.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <variant>

#include "app/about/version.h"
#include "app/commands/advice.h"
#include "app/commands/commands.h"
#include "app/io/format.h"
#include "app/lens/pulled.h"
#include "app/options/target.h"
#include "app/session/session.h"
#include "app/session/threads.h"
#include "core/error.h"
#include "filters/nearest.h"

namespace scanlens {
namespace {

using Words = std::vector<std::string>;

Words option_names(const Command& command) {
  Words names;
  for (const Option& option : command.options())
    for (const std::string& name : option.names)
      if (name.starts_with("--")) names.push_back(name);
  return names;
}

std::string did_you_mean(const std::string& word, const Words& candidates) {
  const std::string meant = nearest(word, candidates);
  return meant.empty() ? "" : fmt::format("; did you mean {}?", meant);
}

/// Holds the options that commands share, to be looked up; what they are set to counts for nothing.
class SharedOptions {
 public:
  SharedOptions() {
    options_.remove("--help");
    options_.remove("--help-all");
    add_options(options_, settings_);
  }
  const Option* find(const std::string& name) const { return options_.find(name); }
  Words names() const { return option_names(options_); }

 private:
  Settings settings_;
  Command options_{"", ""};
};

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorKind::usage, sentence);
}

[[noreturn]] void refuse_before_command(const Program& program, const SharedOptions& shared,
                                        const std::string& name) {
  std::string owners;
  Words known = shared.names();
  for (const Command& command : program.commands()) {
    const Words names = option_names(command);
    known.insert(known.end(), names.begin(), names.end());
    if (command.find(name)) owners += (owners.empty() ? "" : ", ") + command.name;
  }
  if (!owners.empty())
    refuse(fmt::format("{} must follow the command (it is an option of: {})", name, owners));
  refuse(fmt::format("there is no option {}{}", name, did_you_mean(name, known)));
}

const Command& command_named(const Program& program, const std::string& name) {
  Words names;
  for (const Command& command : program.commands()) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  if (const Words meant = commands_meant_by(name); !meant.empty())
    refuse(fmt::format("there is no command '{}'; did you mean {}?", name, fmt::join(meant, ", or ")));
  const std::string meant = did_you_mean(name, names);
  refuse(fmt::format("there is no command '{}'{}", name, meant.empty() ? ": see scanlens --help" : meant));
}

bool is_command(const Program& program, const std::string& word) {
  return std::any_of(program.commands().begin(), program.commands().end(),
                     [&](const Command& command) { return command.name == word; });
}

[[noreturn]] void refuse_missing_value(const Option& option) {
  refuse(fmt::format("{} needs a value: {}", option.name(), option.type));
}

/// Refuses an option in the place of another's value, which CLI11 would take for the value.
void refuse_missing_values(const Command& command, const Words& words) {
  for (std::size_t i = 0; i + 1 < words.size() && words[i] != "--"; ++i) {
    const Option* option = is_option(words[i]) ? command.find(words[i]) : nullptr;
    if (!option || option->is_flag()) continue;
    ++i;
    if (is_option(words[i]) && command.find(name_in(words[i]))) refuse_missing_value(*option);
  }
}

/// Refuses a value behind a flag, "--quiet=3", which CLI11 would take for a count.
void refuse_value_of_flag(const Option& option, const std::string& word) {
  if (option.is_flag() && word.find('=') != std::string::npos)
    refuse(fmt::format("{} takes no value", name_in(word)));
}

std::string no_option(const Command& command, const std::string& name) {
  return fmt::format("{} has no option {}{}", command.name, name, did_you_mean(name, option_names(command)));
}

/// Refuses an option that the command does not have, before the word behind it is taken for something else.
void refuse_unknown_options(const Command& command, const Words& words) {
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string name = name_in(words[i]);
    if (!name.starts_with("--")) continue;
    const Option* option = command.find(name);
    if (!option) refuse(no_option(command, name));
    refuse_value_of_flag(*option, words[i]);
    if (!option->is_flag() && name == words[i]) ++i;
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
Words in_order(const Program& program, const Words& words) {
  const SharedOptions shared;
  Words own, moved;
  std::size_t at = 0;
  while (at < words.size() && is_option(words[at]) && words[at] != "--") {
    const std::string& word = words[at++];
    const std::string name = name_in(word);
    if (const Option* option = program.find(name)) {  // --help and --version
      refuse_value_of_flag(*option, word);
      own.push_back(word);
      continue;
    }
    const Option* option = shared.find(name);
    if (!option) refuse_before_command(program, shared, name);
    refuse_value_of_flag(*option, word);
    moved.push_back(word);
    if (option->is_flag() || name != word) continue;
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
    if (at + 1 < words.size()) own.push_back(command_named(program, words[at + 1]).name);
    own.push_back("--help");
    return own;
  }

  // A picture or a folder in the command's place is shown.
  const bool shows = words[at] == "--" || (!is_command(program, words[at]) && names_a_picture(words[at]));
  const Command& command = command_named(program, shows ? "view" : words[at]);
  const Words rest =
      with_keys_joined({words.begin() + static_cast<std::ptrdiff_t>(at) + (shows ? 0 : 1), words.end()});
  refuse_missing_values(command, rest);
  refuse_unknown_options(command, rest);
  Words ordered = std::move(own);
  ordered.push_back(command.name);
  ordered.insert(ordered.end(), moved.begin(), moved.end());
  ordered.insert(ordered.end(), rest.begin(), rest.end());
  return ordered;
}

/// Returns what is wrong with words that the command has no use for; nothing where it has a use for all, or
/// `only_options` asks for no more than options.
std::string about_extras(const Command& command, const Words& extras, bool only_options) {
  const auto dashes = std::find(extras.begin(), extras.end(), "--");
  if (dashes != extras.end() && dashes + 1 != extras.end())
    return fmt::format("{}: unexpected argument '{}' after --, which ends the options", command.name,
                       dashes[1]);
  const auto option = std::find_if(extras.begin(), extras.end(), is_option);
  if (option != extras.end()) return no_option(command, name_in(*option));
  if (only_options || extras.empty()) return "";
  if (const Option* picture = command.find("IMAGE"); picture && names_a_picture(extras.front())) {
    Words pictures = picture->results;
    pictures.insert(pictures.end(), extras.begin(), extras.end());
    const std::string batch = batch_like(command, pictures);
    if (!batch.empty())
      return fmt::format("{} takes one picture, not '{}' too; for many: {}", command.name, extras.front(),
                         batch);
  }
  return fmt::format("{}: unexpected argument '{}'; see scanlens {} --help", command.name, extras.front(),
                     command.name);
}

/// Returns the word that was probably meant for the output's name, or FILE.
std::string output_among(const Words& extras) {
  const auto named = std::find_if(extras.begin(), extras.end(), [](const std::string& word) {
    const Format format = format_by_name(word);
    return format != Format::unknown && traits_of(format).writes;
  });
  return named == extras.end() ? "FILE" : *named;
}

/// Returns the option that a message of CLI11 names first, or null.
const Option* option_in(const Command& command, const std::string& message) {
  const Option* found = nullptr;
  std::size_t first = std::string::npos;
  for (const Option& option : command.options()) {
    const std::size_t at = message.find(option.name()), end = at + option.name().size();
    const bool whole =
        at != std::string::npos && (end == message.size() || message[end] == ' ' || message[end] == ':');
    if (!whole || at >= first) continue;
    first = at;
    found = &option;
  }
  return found;
}

/// Says what is wrong with the number of an option's values.
std::string about_count(const Option& option) {
  if (!option.given()) refuse_missing_value(option);
  if (const auto* take = std::get_if<TakeTexts>(&option.target.value().of))
    return fmt::format("{} {}", option.name(), (*take)(option.results));
  return option.name() + " is given more than once";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  if (const std::size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), by);
  return text;
}

/// Returns one sentence about what the parser did not take.
std::string sentence_about(const Program& program, const Parsed& parsed) {
  const std::string& message = parsed.message;
  const Command& command = parsed.command ? static_cast<const Command&>(*parsed.command) : program;
  const Option* option = option_in(command, message);
  switch (*parsed.misuse) {
    case Misuse::extra_words:
      if (std::string extras = about_extras(command, parsed.extra_words, false); !extras.empty())
        return extras;
      break;
    case Misuse::missing_option:
      if (std::string extras = about_extras(command, parsed.extra_words, true); !extras.empty())
        return extras;
      refuse_folder_of_pictures(command, ErrorKind::usage);
      return fmt::format("{}: {}; {}", command.name, message,
                         option && option->name() == "--output"
                             ? fmt::format("write -o {}", output_among(parsed.extra_words))
                             : fmt::format("see scanlens {} --help", command.name));
    case Misuse::exclusion:
      return replaced(message, " excludes ", " cannot be used with ") + "; leave one of them out";
    case Misuse::bad_value:
      return replaced(message, ": takes ", " takes ");
    case Misuse::wrong_count:
      if (option) return about_count(*option);
      break;
    case Misuse::other:
      break;
  }
  return replaced(message, " requires ", " needs ");
}

/// Returns true if a command line is --version --json, in either order.
bool asks_for_version_as_json(const Words& words) {
  return words == Words{"--version", "--json"} || words == Words{"--json", "--version"};
}

}  // namespace

void add_commands(Program& program, const BenchRunner& bench) {
  add_dof_command(program);  // by how often they are used, as help lists them
  add_view_command(program);
  add_render_command(program);
  add_filter_command(program);
  add_batch_command(program);
  add_report_command(program);
  add_depth_command(program);
  add_stats_command(program);
  add_filters_command(program);
  add_info_command(program);
  add_compare_command(program);
  add_bench_command(program, bench);
  add_completion_command(program);
}

Parsed parse_command_line(Program& program, const std::vector<std::string>& words) {
  Parsed parsed = parse(program, in_order(program, words));
  if (parsed.misuse) refuse(sentence_about(program, parsed));
  return parsed;
}

int run_command_line(Program& program, const std::vector<std::string>& words) {
  if (asks_for_version_as_json(words)) {
    fmt::print("{}\n", version_facts("version").dump(2));
    return 0;
  }
  const Parsed parsed = parse_command_line(program, words);
  if (parsed.answer) {
    std::fputs(parsed.answer->c_str(), stdout);
    return 0;
  }
  start_threads(tbb::info::default_concurrency());
  return parsed.command->run();
}

std::string shared_options() {
  std::string list;
  for (const std::string& name : SharedOptions().names()) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace scanlens
