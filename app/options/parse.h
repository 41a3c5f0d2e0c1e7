// Reads a command line by the options that a program declares. CLI11 does it, behind parse.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options/options.h"

namespace scanlens {

/// Reasons to refuse words of a command line.
enum class Misuse { extra_words, missing_option, exclusion, bad_value, wrong_count, other };

struct Parsed {
  Command* command = nullptr;         ///< named by the words
  std::optional<std::string> answer;  ///< the text that --help or --version ask for
  std::optional<Misuse> misuse;
  std::string message;                   ///< of a misuse, as CLI11 has it
  std::vector<std::string> extra_words;  ///< that no option of the command takes
};

/// Puts the values of the words behind the program's name into the options' targets, and the words into their
/// results. Throws what a check throws.
Parsed parse(Program& program, std::vector<std::string> words);

}  // namespace scanlens
