// Values of options: what a person may write for them, and one sentence about what is none. A check's
// sentence begins with "takes"; the option's name is put in front of it.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scanlens {

/// Accepts numbers from `least` to `most`, and not NaN.
CLI::Validator within(double least, double most);

/// Accepts whole numbers from `least` to `most`.
CLI::Validator whole_within(std::int64_t least, std::int64_t most);

/// Accepts these words alone.
CLI::Validator one_of(std::vector<std::string> words);

// Turn a count, 1 or more, into its digits. It may be written as 1500000, 1.5e6 or with a unit: 1.5MB.
CLI::Validator count_of_bytes();
CLI::Validator count_of_pixels();

/// Turns a name into the value that it stands for, as CLI11 converts enumerations. The value's number is no
/// name.
template <class Enum>
CLI::Validator named(const std::vector<std::pair<std::string, Enum>>& choices) {
  std::vector<std::string> words;
  for (const auto& choice : choices) words.push_back(choice.first);
  return CLI::Validator(
      [choices, is_known = one_of(words)](std::string& text) {
        std::string complaint = is_known(text);
        for (const auto& [name, value] : choices)
          if (complaint.empty() && name == text) {
            text = std::to_string(static_cast<std::int64_t>(value));
            break;
          }
        return complaint;
      },
      "");
}

/// The same, where the names stand in the order of the values, 0, 1, ...
template <class Enum, std::size_t kNames>
CLI::Validator named(const std::string_view (&names)[kNames]) {
  std::vector<std::pair<std::string, Enum>> choices;
  for (const std::string_view name : names) choices.emplace_back(name, static_cast<Enum>(choices.size()));
  return named<Enum>(choices);
}

/// Adds --size WIDTHxHEIGHT. `size` holds what counts where it is not given, and help shows.
void add_size_option(CLI::App& command, std::pair<int, int>& size, const std::string& help);

/// Throws Error (usage) "OPTION why" for the first option of these groups that was given and would not be
/// heeded. `heeded` passes, whatever its group.
void refuse_options(const CLI::App& command, const std::vector<std::string>& groups, const std::string& why,
                    const std::string& heeded = "--overwrite");

}  // namespace scanlens
