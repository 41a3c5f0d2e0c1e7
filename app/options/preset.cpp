#include "app/options/preset.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "app/io/file.h"
#include "app/io/json.h"
#include "app/io/text.h"
#include "app/options/parse.h"
#include "core/error.h"

namespace scanlens {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kMostBytes = 1 << 20;
constexpr const char *kRead = "--preset", *kSave = "--save-preset";

Json parsed(const std::string& file, std::string_view text) {
  const std::optional<Json> json = Json::parse(without_mark(text));
  if (!json || !json->is_object())
    throw Error(ErrorKind::usage,
                file + ": not a preset; a preset is a JSON object of options, as --save-preset writes it");
  return *json;
}

std::string text_of(const std::string& file) {
  const Memory memory = read_file(file, kMostBytes);
  return {reinterpret_cast<const char*>(memory.data()), memory.bytes()};
}

/// Returns the words that a value stands for; nothing for what no option takes.
std::optional<Words> words_of(const Json& value) {
  if (value.truth()) return *value.truth() ? Words{"true"} : Words();
  if (value.is_string()) return Words{value.text()};
  if (value.number()) return Words{value.dump()};
  Words words;
  for (const Json& one : value.elements()) {
    if (!one.is_string() && !one.number()) return std::nullopt;
    words.push_back(one.is_string() ? one.text() : one.dump());
  }
  return words.empty() ? std::nullopt : std::optional(words);
}

/// Returns a word as a number where that is written in the same way.
Json value_of(const std::string& word) {
  const std::optional<Json> json = Json::parse(word);
  return json && json->number() && json->dump() == word ? *json : Json(word);
}

Json value_of(const Option& option) {
  if (option.is_flag()) return true;
  if (option.typed.size() == 1) return value_of(option.typed.front());
  Json values = Json::array();
  for (const std::string& word : option.typed) values.push_back(value_of(word));
  return values;
}

bool may_be_in_presets(const Option& option) {
  return !option.is_placed() && option.target.take && !option.has_name(kRead) && !option.has_name(kSave);
}

/// Returns false for what belongs to one run: its files, how it is run, and what it may replace.
bool is_saved(const Option& option) {
  constexpr Group kOfRun[] = {Group::session, Group::run, Group::sequence};
  for (const char* name : {"--overwrite", "--force", "--no-clobber", "--skip-existing"})
    if (option.has_name(name)) return false;
  return may_be_in_presets(option) && option.given() && !option.is_required &&
         (!option.target.is_path || option.keeps_file) &&
         std::find(std::begin(kOfRun), std::end(kOfRun), option.group) == std::end(kOfRun);
}

}  // namespace

void add_preset_options(Command& command) {
  Target file([](const std::string&) { return std::string(); });
  file.is_path = true;
  command.add(std::string(kRead) + " FILE", file,
              "take options from a file that --save-preset wrote; those on the command line override it",
              Group::session);
  command.add(std::string(kSave) + " FILE", file,
              "write the options that are given, as JSON, but for files and what belongs to one run",
              Group::session);
}

void take_preset(Command& command, const std::string& file, std::string_view text) {
  const Json preset = parsed(file, text);
  for (const auto& [key, value] : preset.members()) {
    const Option* known = command.find("--" + key);
    const auto refuse = [&](const std::string& problem) {
      throw Error(ErrorKind::usage, fmt::format("{}: {}", file, problem));
    };
    if (!known) refuse(no_option(command, "--" + key, ""));
    if (!may_be_in_presets(*known)) refuse(known->name() + " has no place in a preset; remove it");
    const std::optional<Words> words = words_of(value);
    if (!words || known->is_flag() != value.truth().has_value())
      refuse(fmt::format("{} takes {}, not {}", known->name(),
                         known->is_flag() ? "true or false" : "a number, a text, or an array of them",
                         value.dump()));
    Option& option = command.at(known->name());
    option.preset = *words;
    option.preset_file = file;
  }
}

void read_preset(Command& command) {
  std::error_code error;
  if (const Option* save = command.find(kSave); save && save->given()) {
    const std::string& file = save->typed.front();
    check_target(file);
    if (std::filesystem::exists(file, error)) parsed(file, text_of(file));
  }
  if (const Option* preset = command.find(kRead); preset && preset->given())
    take_preset(command, preset->typed.front(), text_of(preset->typed.front()));
}

void save_preset(const Command& command) {
  const Option* save = command.find(kSave);
  if (!save || !save->given()) return;
  Json preset = Json::object();
  for (const Option& option : command.options())
    if (is_saved(option)) preset[option.name().substr(2)] = value_of(option);
  const std::string text = preset.dump(2) + "\n";
  write_file(save->typed.front(), std::as_bytes(std::span(text)));
}

}  // namespace scanlens
