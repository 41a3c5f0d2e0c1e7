#include "app/commands/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tbb/info.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
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

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorKind::usage, sentence);
}

[[noreturn]] void refuse_before_command(const Program& program, const std::string& name) {
  std::string owners;
  Words known = option_names(program);
  for (const Command& command : program.commands()) {
    const Words names = option_names(command);
    known.insert(known.end(), names.begin(), names.end());
    if (command.find(name)) owners += (owners.empty() ? "" : ", ") + command.name;
  }
  if (!owners.empty())
    refuse(fmt::format("{} must follow the command (it is an option of: {})", name, owners));
  refuse(fmt::format("there is no option {}{}", name, did_you_mean(name, known)));
}

Command& command_named(Program& program, const std::string& name) {
  Words names;
  for (Command& command : program.commands()) {
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

/// Returns the place of the word behind the options that stand before a command.
std::size_t end_of_options(const Program& program, const Words& words) {
  std::size_t at = 0;
  while (at < words.size() && is_option(words[at]) && words[at] != "--") {
    const std::string name = name_in(words[at]);
    const Option* option = program.find(name);
    if (!option) refuse_before_command(program, name);
    at += option->is_flag() || name != words[at] ? 1 : 2;
  }
  return std::min(at, words.size());
}

/// Answers words without a command.
std::string answer_of(Program& program, const Words& words) {
  const Parsed parsed = parse(program, words);
  if (program.given("--version")) return program.version_text + "\n";
  if (parsed.help == Parsed::Help::none)
    refuse(fmt::format("a command is required{}: see scanlens --help",
                       words.empty() ? "" : " after " + words.back()));
  return program_help(program);
}

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
  const auto unused = std::make_shared<Settings>();  // the words go to the command
  add_options(program, *unused);
  program.run = [unused] { return 0; };
  add_dof_command(program);  // by how often they are used, as help lists them
  add_view_command(program);
  add_render_command(program);
  add_filter_command(program);
  add_batch_command(program);
  add_report_command(program);
  add_depth_command(program);
  add_mask_command(program);
  add_stats_command(program);
  add_filters_command(program);
  add_info_command(program);
  add_compare_command(program);
  add_bench_command(program, bench);
  add_completion_command(program);
}

CommandLine parse_command_line(Program& program, const std::vector<std::string>& words) {
  const std::size_t at = end_of_options(program, words);
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at);
  Words rest(words.begin(), begin);
  const bool asks_for_version = std::find(rest.begin(), rest.end(), "--version") != rest.end();
  if (at == words.size() || asks_for_version) return {.answer = answer_of(program, rest)};
  if (words[at] == "help" && at + 2 >= words.size()) {  // as in `scanlens help dof`
    if (at + 1 == words.size()) return {.answer = program_help(program)};
    return {.answer = short_help(program.name, command_named(program, words[at + 1]))};
  }
  // A picture or a folder in the command's place is shown.
  const bool shows = words[at] == "--" || (!is_command(program, words[at]) && names_a_picture(words[at]));
  Command& command = command_named(program, shows ? "view" : words[at]);
  rest.insert(rest.end(), begin + (shows ? 0 : 1), words.end());
  const Parsed parsed = parse(command, rest);
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

}  // namespace scanlens
