#include "app/commands/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/info.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "app/about/version.h"
#include "app/commands/advice.h"
#include "app/commands/commands.h"
#include "app/io/format.h"
#include "app/options/help.h"
#include "app/options/parse.h"
#include "app/options/preset.h"
#include "app/session/session.h"
#include "app/session/threads.h"
#include "core/error.h"

namespace scanlens {
namespace {

using Words = std::vector<std::string>;

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

/// Takes the words apart: the program's own options, those that commands share, the command and its own.
struct Order {
  Words own, rest;
  std::string command;  ///< "" for none

  Order(const Program& program, const Words& words) {
    const SharedOptions shared;
    std::size_t at = 0;
    while (at < words.size() && is_option(words[at]) && words[at] != "--") {
      const std::string& word = words[at++];
      const std::string name = name_in(word);
      const Option* of_program = program.find(name);  // --help and --version
      const Option* option = of_program ? of_program : shared.find(name);
      if (!option) refuse_before_command(program, shared, name);
      refuse_value_of_flag(*option, word);
      Words& taken = of_program ? own : rest;
      taken.push_back(word);
      if (option->is_flag() || name != word) continue;
      if (at == words.size()) refuse_missing_value(*option);
      taken.push_back(words[at++]);
    }
    if (at == words.size()) {
      if (own.empty())
        refuse(fmt::format("a command is required{}: see scanlens --help",
                           words.empty() ? "" : " after " + words.back()));
      return;
    }
    if (words[at] == "help" && at + 2 >= words.size()) {  // as in `scanlens help dof`
      own = {"--help"};
      if (at + 1 < words.size()) command = command_named(program, words[at + 1]).name;
      return;
    }
    // A picture or a folder in the command's place is shown.
    const bool shows = words[at] == "--" || (!is_command(program, words[at]) && names_a_picture(words[at]));
    command = command_named(program, shows ? "view" : words[at]).name;
    rest.insert(rest.end(), words.begin() + static_cast<std::ptrdiff_t>(at) + (shows ? 0 : 1), words.end());
  }
};

/// Returns what is wrong with words that the command has no use for; nothing where it has a use for all, or
/// where `only_dashes` asks for those behind -- alone.
std::string about_extras(const Command& command, const Words& extras, bool only_dashes) {
  const auto dashes = std::find(extras.begin(), extras.end(), "--");
  if (dashes != extras.end() && dashes + 1 != extras.end())
    return fmt::format("{}: unexpected argument '{}' after --, which ends the options", command.name,
                       dashes[1]);
  if (only_dashes || extras.empty()) return "";
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

/// Throws Error (usage), one sentence, for words that the command has no use for, or one that is missing.
void require_all(const Command& command, const Parsed& parsed) {
  if (std::string extras = about_extras(command, parsed.extra_words, parsed.missing); !extras.empty())
    refuse(extras);
  if (!parsed.missing) return;
  refuse_folder_of_pictures(command, ErrorKind::usage);
  const std::string& name = parsed.missing->name();
  refuse(fmt::format("{}: {} is required; {}", command.name, name,
                     name == "--output" ? fmt::format("write -o {}", output_among(parsed.extra_words))
                                        : fmt::format("see scanlens {} --help", command.name)));
}

/// Returns what a command line without words means: the empty window, or without a display the list of
/// commands.
Words words_of_none() {
  const auto is_set = [](const char* name) {
    const char* const value = std::getenv(name);
    return value && *value;
  };
  return {is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") ? "view" : "--help"};
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

CommandLine parse_command_line(Program& program, const std::vector<std::string>& words) {
  const Order order(program, words);
  const auto asks_for = [&](const char* option) {
    return std::find(order.own.begin(), order.own.end(), option) != order.own.end();
  };
  if (asks_for("--version")) return {.answer = program.version_text + "\n"};
  if (order.command.empty()) return {.answer = program_help(program)};
  const auto is_named = [&](const Command& command) { return command.name == order.command; };
  Command& command = *std::find_if(program.commands().begin(), program.commands().end(), is_named);
  if (asks_for("--help-all")) return {.answer = whole_help(program.name, command)};
  if (!order.own.empty()) return {.answer = short_help(program.name, command)};
  const Parsed parsed = parse(command, order.rest);
  if (parsed.help == Parsed::Help::all) return {.answer = whole_help(program.name, command)};
  if (parsed.help == Parsed::Help::usual) return {.answer = short_help(program.name, command)};
  require_all(command, parsed);
  return {&command};
}

int run_command_line(Program& program, const std::vector<std::string>& words) {
  if (asks_for_version_as_json(words)) {
    fmt::print("{}\n", version_facts("version").dump(2));
    return 0;
  }
  const CommandLine line = parse_command_line(program, words.empty() ? words_of_none() : words);
  if (line.answer) {
    std::fputs(line.answer->c_str(), stdout);
    return 0;
  }
  start_threads(tbb::info::default_concurrency());
  const int code = line.command->run();
  if (code == 0) save_preset(*line.command);
  return code;
}

std::string shared_options() {
  std::string list;
  for (const std::string& name : SharedOptions().names()) list += (list.empty() ? "" : ", ") + name;
  return list;
}

}  // namespace scanlens
