#include "app/options/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "app/options/preset.h"
#include "core/error.h"
#include "filters/nearest.h"
#include "filters/registry.h"

namespace scanlens {
namespace {

using Words = std::vector<std::string>;

[[noreturn]] void refuse(const std::string& sentence) {
  throw Error(ErrorKind::usage, sentence);
}

/// Cuts a word at its commas where the option's values may be joined by them.
Words pieces(const Option& option, const std::string& word) {
  if (option.values != Values::pair && option.values != Values::separated) return {word};
  Words found;
  for (std::size_t at = 0; at < word.size();) {
    const std::size_t comma = std::min(word.find(',', at), word.size());
    if (comma > at) found.push_back(word.substr(at, comma - at));
    at = comma + 1;
  }
  return found.empty() ? Words{word} : found;
}

/// Gives each word to the option that takes it.
class Splitter {
 public:
  Splitter(Command& command, const Words& words, Parsed& parsed)
      : command_(command), words_(words), parsed_(parsed) {}

  void split() {
    while (at_ < words_.size()) {
      const std::string& word = words_[at_++];
      if (!only_values_ && word == "--")
        only_values_ = true;
      else if (!only_values_ && is_option(word))
        take_option(word);
      else
        place(word);
    }
  }

 private:
  void place(const std::string& word) {
    for (Option& option : command_.options())
      if (option.is_placed() && (option.target.is_list || !option.given()))
        return option.typed.push_back(word);
    if (only_values_ && !told_dashes_) parsed_.extra_words.emplace_back("--");
    told_dashes_ = only_values_;
    parsed_.extra_words.push_back(word);
  }

  void take_option(const std::string& word) {
    const bool is_long = word.starts_with("--");
    const std::string name = is_long ? name_in(word) : word.substr(0, 2);
    const Option* known = command_.find(name);
    if (!known) refuse(no_option(command_, name_in(word), value_behind(word)));
    Option& option = command_.at(name);
    if (option.is_flag()) {
      if (word != name) refuse(name + " takes no value");
      option.typed = {"true"};
      return;
    }
    if (word == name && !has_value()) refuse(fmt::format("{} needs a value: {}", option.name(), option.type));
    Words values =
        pieces(option, word == name ? words_[at_++] : word.substr(name.size() + (is_long ? 1 : 0)));
    take_more(option, values);
    option.typed.insert(option.typed.end(), values.begin(), values.end());
  }

  std::string value_behind(const std::string& word) const {
    if (const std::size_t equals = word.find('='); equals != std::string::npos)
      return word.substr(equals + 1);
    return at_ < words_.size() ? words_[at_] : "";
  }

  /// Takes the words behind a value that belong to it.
  void take_more(const Option& option, Words& values) {
    const auto goes_on = [&] { return option.goes_on && option.goes_on(words_[at_]); };
    const auto takes_next = [&] {
      if (option.values == Values::pair) return values.size() < 2 && has_value();
      return option.target.is_list && option.values != Values::each && !is_option(words_[at_]);
    };
    while (at_ < words_.size() && takes_next())
      for (std::string& piece : pieces(option, words_[at_++])) values.push_back(std::move(piece));
    if (values.empty() || !option.goes_on) return;
    const std::string last = values.back().substr(values.back().rfind(',') + 1);
    if (!option.goes_on(last)) return;
    while (at_ < words_.size() && goes_on()) values.back() += "," + words_[at_++];
  }

  /// Returns true if the next word is no option of the command.
  bool has_value() const {
    return at_ < words_.size() && !(is_option(words_[at_]) && command_.find(name_in(words_[at_])));
  }

  Command& command_;
  const Words& words_;
  Parsed& parsed_;
  std::size_t at_ = 0;
  bool only_values_ = false, told_dashes_ = false;
};

[[noreturn]] void refuse_value(const Option& option, const std::string& problem) {
  const std::string from = option.preset_file.empty() ? "" : option.preset_file + ": ";
  refuse(fmt::format("{}{} {}", from, option.name(), problem));
}

void take_values(Option& option) {
  if (!option.judge && option.target.is_number)
    throw std::logic_error(option.name() + " takes a number and declares no check");
  option.results = option.typed;
  if (!option.given() || !option.target.take) return;
  const bool takes_one = option.values == Values::by_target && !option.target.is_list;
  if (takes_one && option.typed.size() > 1) refuse_value(option, "is given more than once");
  std::string complaint;
  for (std::string& word : option.results)
    if (complaint.empty() && option.judge) complaint = option.judge(word);
  if (complaint.empty()) complaint = option.target.take(option.results);
  if (!complaint.empty()) refuse_value(option, complaint);
}

/// Returns an option that is given and does not go with this one.
const Option* opponent_of(const Command& command, const Option& option) {
  const auto excludes = [](const Option& one, const Option& other) {
    return std::find(one.excluded.begin(), one.excluded.end(), &other) != one.excluded.end();
  };
  for (const Option& other : command.options())
    if (other.given() && (excludes(option, other) || excludes(other, option))) return &other;
  return nullptr;
}

/// Gives options the words that the preset has for them, but where the command line gave them, or another
/// that excludes them.
void use_preset(Command& command) {
  std::vector<Option*> used;
  for (Option& option : command.options())
    if (!option.preset.empty() && !option.given() && !opponent_of(command, option))
      used.push_back(&option);
    else
      option.preset_file.clear();
  for (Option* option : used)
    for (const std::string& word : option->preset)
      for (std::string& piece : pieces(*option, word)) option->typed.push_back(std::move(piece));
  for (Option* option : used)
    if (!std::all_of(option->needed.begin(), option->needed.end(),
                     [](auto* other) { return other->given(); }))
      option->typed.clear();
}

/// Returns a required option that is missing.
const Option* check_company(const Command& command) {
  for (const Option& option : command.options()) {
    if (option.is_required && !option.given()) return &option;
    if (!option.given()) continue;
    for (const Option* needed : option.needed)
      if (!needed->given()) refuse_value(option, "needs " + needed->name());
    if (const Option* other = opponent_of(command, option))
      refuse_value(option, fmt::format("cannot be used with {}; leave one of them out", other->name()));
  }
  return nullptr;
}

/// Returns the filter that a word means, with the value; "" for none.
std::string filter_meant_by(std::string word, const std::string& value) {
  std::replace(word.begin(), word.end(), '-', '_');
  const auto found = std::find_if(all_filters().begin(), all_filters().end(),
                                  [&](const Filter* filter) { return filter->name == word; });
  const std::vector<std::string> meant = filters_meant_by(word);
  if (found == all_filters().end() && meant.empty()) return "";
  const Filter& filter = found != all_filters().end() ? **found : *parse_filter(meant.front()).filter;
  const std::string_view key = filter.example.substr(0, filter.example.find('='));
  const std::string text = fmt::format("{}:{}={}", filter.name, key, value);
  try {
    parse_filter(text);
    return text;
  } catch (const Error&) {
    return fmt::format("{}{}{}", filter.name, filter.example.empty() ? "" : ":", filter.example);
  }
}

}  // namespace

Parsed parse(Command& command, const Words& words) {
  Parsed parsed;
  Splitter(command, words, parsed).split();
  if (command.given("--help-all")) parsed.help = Parsed::Help::all;
  if (command.given("--help")) parsed.help = Parsed::Help::usual;
  if (parsed.help != Parsed::Help::none) return parsed;
  read_preset(command);
  use_preset(command);
  for (Option& option : command.options()) take_values(option);
  parsed.missing = check_company(command);
  return parsed;
}

std::string did_you_mean(const std::string& word, const Words& candidates) {
  const std::string meant = nearest(word, candidates);
  return meant.empty() ? "" : fmt::format("; did you mean {}?", meant);
}

Words option_names(const Command& command) {
  Words names;
  for (const Option& option : command.options())
    for (const std::string& name : option.names)
      if (name.starts_with("--")) names.push_back(name);
  return names;
}

std::string no_option(const Command& command, const std::string& name, const std::string& value) {
  const std::string word = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  std::string meant;
  for (const Option& option : command.options())
    if (is_among(word, option.others_words)) meant = fmt::format("; did you mean {}?", option.name());
  const std::string filter = filter_meant_by(word, value);
  if (meant.empty() && !filter.starts_with(word)) meant = did_you_mean(name, option_names(command));
  if (meant.empty() && !filter.empty())
    meant = fmt::format("; write {}--filter {}",
                        command.find("--filter") ? "" : "scanlens filter IMAGE -o FILE ", filter);
  return fmt::format("{} has no option {}{}", command.name, name, meant);
}

}  // namespace scanlens
