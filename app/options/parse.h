// Reads the words of a command line by the options that a command declares.
#pragma once

#include <string>
#include <vector>

#include "app/options/options.h"

namespace scanlens {

struct Parsed {
  enum class Help { none, usual, all } help = Help::none;  ///< asked for; then no value is taken
  const Option* missing = nullptr;                         ///< required, and not given
  /// Words that no option takes; "--" before the first that stands behind it.
  std::vector<std::string> extra_words;
};

/// Puts the values of the words behind a command's name into its options' targets. Throws Error (usage), one
/// sentence: for an unknown option, for a value that is wrong or missing, for options that exclude each
/// other.
Parsed parse(Command& command, const std::vector<std::string>& words);

/// Returns "; did you mean CANDIDATE?" for a mistyped word; nothing where none is near.
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

/// Returns the long names of a command's options.
std::vector<std::string> option_names(const Command& command);

/// Says that a command has no option of this name, and what was meant. `value` is the word behind it.
std::string no_option(const Command& command, const std::string& name, const std::string& value);

}  // namespace scanlens
