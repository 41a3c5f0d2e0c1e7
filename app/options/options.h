// Commands and their options as data: names, help, targets and checks of values. Nothing here parses.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/options/target.h"

namespace scanlens {

/// Judges a word of a value, and may rewrite it. Returns "", or a complaint that begins with "takes".
struct Check {
  using Judge = std::function<std::string(std::string&)>;

  Check() = default;
  template <std::convertible_to<Judge> Lambda>
  Check(Lambda by, std::vector<std::string> accepted = {})
      : judge(std::move(by)), words(std::move(accepted)) {}

  std::string operator()(std::string& text) const { return judge(text); }
  explicit operator bool() const { return static_cast<bool>(judge); }

  Judge judge;
  std::vector<std::string> words;  ///< that completion offers; none: those of Option::complete
};

/// Words that a shell may offer in the place of a word that is begun.
struct Completion {
  struct Word {
    std::string text;
    std::string help = {};
  };
  std::vector<Word> words;
  std::optional<std::string> files = {};  ///< names of files, too, behind this part of what is begun
};
using Complete = std::function<Completion(const std::string& begun)>;

/// Number of words that an option takes as values, and their separator.
enum class Values {
  by_target,  ///< one, or as many as follow where the target is a vector
  pair,       ///< two, or one with a comma
  separated,  ///< as many as follow, or one with commas
  each,       ///< one, each time that the option is given
};

/// Returns true if a word of a command line is an option: "-q", "--size=3x4".
inline bool is_option(const std::string& word) {
  return word.size() > 1 && word.front() == '-';
}

/// Returns the name of an option without its value: "--size" of "--size=3x4".
inline std::string name_in(const std::string& word) {
  return word.substr(0, word.find('='));
}

/// Parts of help.
enum class Group {
  options,
  depth,
  lens,
  look,
  camera,
  inputs,
  output,
  sequence,
  clip,
  run,
  statistics,
  quality,
  session
};

/// Returns what stands above it.
std::string_view heading(Group group);

struct Option {
  /// `spelling` is "-o,--output FILE": names, then what help calls the value; or "IMAGE", a name without
  /// dashes, whose value is known by its place.
  Option(std::string_view spelling, Target target, std::string help, Group group);

  Option& check(Check by) { return judge = std::move(by), *this; }
  Option& completes(Complete by) { return complete = std::move(by), *this; }
  Option& takes(Values how) { return values = how, *this; }
  Option& keeps() { return keeps_file = true, *this; }  ///< its file, in presets
  Option& also(std::string_view words) { return others_words = words, *this; }
  Option& required() { return is_required = true, *this; }
  Option& shows(std::string text) { return default_text = std::move(text), *this; }
  Option& shows_target();  ///< shows what its variable holds now
  Option& excludes(const Option& other) { return excluded.push_back(&other), *this; }
  Option& needs(const Option& other) { return needed.push_back(&other), *this; }

  /// The name that messages use: "--output".
  const std::string& name() const;
  bool has_name(std::string_view name) const;
  bool given() const { return !typed.empty(); }
  bool is_flag() const { return target.is_flag; }
  bool takes_many() const { return values == Values::pair || target.is_list; }  ///< words each time
  /// Returns true if it has no name on the command line: its value is known by its place.
  bool is_placed() const { return !names.front().starts_with('-'); }

  /// Returns the words of the value that its target holds; none where that is what it held when the option
  /// was declared.
  std::vector<std::string> value() const;
  std::vector<std::string> words() const;  ///< these behind its name, as they are typed

  std::vector<std::string> names;  ///< "-o", "--output"
  std::string type;                ///< of the value, as help calls it
  Target target;
  std::vector<std::string> defaults;  ///< the words that the target held when it was declared
  std::string help;
  Group group;
  Check judge;
  Complete complete;  ///< null: the words of the check, or files where the target is a path
  Values values = Values::by_target;
  std::function<bool(const std::string&)> goes_on;  ///< true for words that a comma could join; may be null
  bool is_required = false, keeps_file = false;
  std::string others_words;  ///< names that other programs have for it, between blanks
  std::string default_text;  ///< shown by help
  std::vector<const Option*> excluded, needed;
  std::vector<std::string> typed;    ///< the words that it was given
  std::vector<std::string> preset;   ///< the words that a preset has for it
  std::string preset_file;           ///< name of that preset; "" where the command line gave the words
  std::vector<std::string> results;  ///< these, as its check left them
};

class Command {
 public:
  Command(std::string name, std::string help);
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Adds an option, whose address stays.
  Option& add(std::string_view spelling, Target target, std::string help, Group group = Group::options);
  void remove(std::string_view name);

  /// Returns the option that has this name. If there is no such option, `find` returns null and `at` throws.
  const Option* find(std::string_view name) const;
  Option& at(std::string_view name);
  const Option& at(std::string_view name) const;
  bool given(std::string_view name) const;

  /// Returns the words of all options.
  std::vector<std::string> words() const;

  /// The options; --help is the first.
  const std::list<Option>& options() const { return options_; }
  std::list<Option>& options() { return options_; }

  const std::string name, help;
  std::string footer;  ///< below the options of --help-all; examples come last
  /// The options that --help explains, by how often they are used. Empty: all but those for help.
  std::vector<std::string> often;
  std::string brief;         ///< below the options of --help: a list that they refer to, a note
  std::function<int()> run;  ///< returns the program's exit code

 private:
  std::list<Option> options_;
};

/// Returns the words that make options of these, which `declare(options, command)` adds to a command.
template <class Options, class Declare>
std::vector<std::string> words_of(const Options& options, const Declare& declare) {
  Options held;
  Command command("", "");
  declare(held, command);
  held = options;
  return command.words();
}

/// Adds options to one part of help.
class OptionGroup {
 public:
  OptionGroup(Command& command, Group group) : command_(command), group_(group) {}

  Option& add(std::string_view spelling, Target target, std::string help) const {
    return command_.add(spelling, std::move(target), std::move(help), group_);
  }

 private:
  Command& command_;
  Group group_;
};

/// Returns the groups of a command's options, in their order; Group::options is the first.
std::vector<Group> groups_of(const Command& command);

/// The program: commands, and the options that stand before them.
class Program : public Command {
 public:
  /// --version prints `version_text`.
  Program(std::string name, std::string help, std::string version_text);

  Command& add_command(std::string name, std::string help);
  const std::list<Command>& commands() const { return commands_; }
  std::list<Command>& commands() { return commands_; }

  const std::string version_text;

 private:
  std::list<Command> commands_;
};

/// Throws Error (usage) "OPTION why" for the first option of these groups that was given and would have no
/// effect. `heeded` passes, whatever its group.
void refuse_options(const Command& command, std::initializer_list<Group> groups, const std::string& why,
                    const std::string& heeded = "--overwrite");

}  // namespace scanlens
