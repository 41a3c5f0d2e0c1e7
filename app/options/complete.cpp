#include "app/options/complete.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "filters/registry.h"

namespace scanlens {
namespace {

using Words = std::vector<std::string>;

/// Returns the first clause of a help text's first line, as a shell shows it beside a word.
std::string shortened(const std::string& help) {
  int open = 0;
  for (std::size_t i = 0; i < help.size(); ++i) {
    if (help[i] == '\n' || (help[i] == ';' && open == 0)) return help.substr(0, i);
    open += help[i] == '(' ? 1 : help[i] == ')' ? -1 : 0;
  }
  return help;
}

Completion completion_of(const Option& option, const std::string& begun) {
  if (option.complete) return option.complete(begun);
  Completion offered;
  for (const std::vector<std::string>& words : {option.judge.words, option.target.choices})
    if (offered.words.empty())
      for (const std::string& word : words) offered.words.push_back({word});
  if (option.target.is_path) offered.files = "";
  return offered;
}

/// Puts `prefix` before all that is offered.
Completion behind(const std::string& prefix, Completion offered) {
  for (Completion::Word& word : offered.words) word.text = prefix + word.text;
  if (offered.files) *offered.files = prefix + *offered.files;
  return offered;
}

void add_names(Completion& offered, const Command& command, const Words& given) {
  const auto was_given = [&](const Option& option) {
    return option.values != Values::each && !option.target.is_list &&
           std::any_of(given.begin(), given.end(),
                       [&](const std::string& word) { return option.has_name(name_in(word)); });
  };
  for (const Option& option : command.options())
    if (option.name().starts_with("--") && !was_given(option))
      offered.words.push_back({option.name(), shortened(option.help)});
}

Completion complete_commands(const Program& program) {
  Completion offered;
  for (const Command& command : program.commands()) offered.words.push_back({command.name, command.help});
  return offered;
}

/// Returns the word's value where it is "--name=value" of a known option, with the name before all offers.
std::optional<Completion> complete_joined(const Command& command, const std::string& begun) {
  const std::size_t equals = begun.find('=');
  if (!begun.starts_with("--") || equals == std::string::npos) return std::nullopt;
  const Option* option = command.find(begun.substr(0, equals));
  if (!option) return Completion();
  return behind(begun.substr(0, equals + 1), completion_of(*option, begun.substr(equals + 1)));
}

/// Follows the words behind a command's name.
class Reader {
 public:
  explicit Reader(const Command& command) : command_(command) {}

  void read(const std::string& word) {
    if (!only_words_ && word == "--") {
      only_words_ = true;
      takes_value_ = nullptr;
    } else if (takes_value_ && !is_option(word)) {
      if (!takes_value_->takes_many()) takes_value_ = nullptr;
    } else if (!only_words_ && is_option(word)) {
      const Option* option = word.find('=') == std::string::npos ? command_.find(word) : nullptr;
      takes_value_ = option && !option->is_flag() ? option : nullptr;
      is_first_value_ = true;
      return;
    } else {
      ++placed_;
    }
    is_first_value_ = false;
  }

  Completion complete(const std::string& begun, const Words& given) const {
    if (takes_value_ && (is_first_value_ || !begun.starts_with('-')))
      return completion_of(*takes_value_, begun);
    Completion offered;
    if (!only_words_ && begun.starts_with('-')) {
      if (auto joined = complete_joined(command_, begun)) return *joined;
      add_names(offered, command_, given);
      return offered;
    }
    if (const Option* place = next_place()) return completion_of(*place, begun);
    if (!only_words_) add_names(offered, command_, given);
    return offered;
  }

 private:
  /// Returns the option without dashes that takes the next word; null where none does.
  const Option* next_place() const {
    std::size_t left = placed_;
    for (const Option& option : command_.options()) {
      if (option.name().starts_with('-')) continue;
      if (option.target.is_list || left == 0) return &option;
      --left;
    }
    return nullptr;
  }

  const Command& command_;
  const Option* takes_value_ = nullptr;
  bool is_first_value_ = false, only_words_ = false;
  std::size_t placed_ = 0;
};

}  // namespace

Completion complete(const Program& program, const Words& words) {
  if (words.empty()) return {};
  const std::string& begun = words.back();
  const Words before(words.begin(), words.end() - 1);
  const Option* takes_value = nullptr;
  auto at = before.begin();
  for (; at != before.end(); ++at) {
    if (takes_value) {
      takes_value = nullptr;
      continue;
    }
    if (!is_option(*at)) break;
    const Option* option = program.find(*at);
    takes_value = option && !option->is_flag() ? option : nullptr;
  }
  if (at == before.end()) {
    if (takes_value) return completion_of(*takes_value, begun);
    if (auto joined = complete_joined(program, begun)) return *joined;
    Completion offered = complete_commands(program);
    // A picture in the command's place is shown.
    if (!begun.starts_with('-')) return offered.files = "", offered;
    offered.words.clear();
    add_names(offered, program, before);
    return offered;
  }
  if (*at == "help") return at + 1 == before.end() ? complete_commands(program) : Completion();
  const auto named = std::find_if(program.commands().begin(), program.commands().end(),
                                  [&](const Command& command) { return command.name == *at; });
  const auto view = std::find_if(program.commands().begin(), program.commands().end(),
                                 [](const Command& command) { return command.name == "view"; });
  if (named == program.commands().end() && view == program.commands().end()) return {};
  Reader reader(named != program.commands().end() ? *named : *view);
  const Words given(at + 1, before.end());
  for (const std::string& word : given) reader.read(word);
  return reader.complete(begun, given);
}

Completion complete_filter(const std::string& begun) {
  Completion offered;
  const std::size_t colon = begun.find(':');
  const auto has_more = [](const Filter& filter) {
    return !filter.params.empty() || filter.map != MapKind::none || !changes_geometry(filter);
  };
  for (const Filter* filter : all_filters()) {
    const std::string name(filter->name);
    if (colon == std::string::npos) {
      offered.words.push_back({name + (has_more(*filter) ? ":" : ""), std::string(filter->help)});
      continue;
    }
    if (begun.substr(0, colon) != name) continue;
    const std::size_t part = begun.rfind(':') + 1;
    const std::size_t equals = begun.find('=', part);
    const std::string key = begun.substr(part, equals - part);
    const std::string map(name_of(filter->map));
    const bool has_words = filter->map == MapKind::words;
    if (equals != std::string::npos && !map.empty() && key == (has_words ? "font" : map)) {
      offered.files = begun.substr(0, equals + 1);
      continue;
    }
    for (const Param& param : filter->params) {
      const std::string own(param.name);
      if (equals != std::string::npos && key == own)
        for (const std::string_view choice : param.names)
          offered.words.push_back({begun.substr(0, equals + 1) + std::string(choice)});
      if (equals == std::string::npos && begun.find(":" + own + "=") == std::string::npos)
        offered.words.push_back({begun.substr(0, part) + own + "=", std::string(param.help)});
    }
    if (equals != std::string::npos) continue;
    if (!map.empty())
      offered.words.push_back({begun.substr(0, part) + map + "=", has_words ? "the words" : "a file"});
    if (has_words) offered.words.push_back({begun.substr(0, part) + "font=", "a file"});
    if (changes_geometry(*filter)) continue;
    offered.words.push_back({begun.substr(0, part) + "where=", "the part to change, as in depth>3m"});
    offered.words.push_back({begun.substr(0, part) + "feather=", "width of its soft edge, 24px or 0.5m"});
  }
  return offered;
}

}  // namespace scanlens
