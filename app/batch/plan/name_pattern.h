// Names made of other names: '{dir}/{stem}_depth.{ext}'.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace scanlens {

/// Facts about an output that its input's name does not tell.
struct NameFacts {
  std::int64_t number = 0;  ///< among all outputs, from 1
  std::int64_t width = 0;
  std::string date;  ///< "2024-05-17"
};

/// A text with fields that a picture fills: {dir}, the folders between where the search began and the
/// picture; {name}, such as photo.jpg; {stem}, photo; {ext}, jpg. Names of outputs also have {n}, {n:04} with
/// zeros before it, {date} and {width}. {{ and }} stand for braces.
class NamePattern {
 public:
  /// Throws Error (usage), which begins with `option`, for a field that there is not and for a single brace.
  /// `has_facts`: true if there are fields of NameFacts.
  NamePattern(std::string_view option, std::string_view text, bool has_facts = false);

  /// Returns the name for a picture, by its path below where the search began. `extension`, unless empty,
  /// stands for {ext} instead of its own.
  std::filesystem::path name_for(const std::filesystem::path& relative, std::string_view extension = {},
                                 const NameFacts& facts = {}) const;

  /// Returns true if date or width is a part of the name.
  bool asks_for_facts() const;

  const std::string& text() const { return text_; }

 private:
  enum class Field { none, dir, name, stem, ext, number, date, width };
  struct Part {
    std::string literal;  ///< before the field
    Field field;
    int digits = 1;  ///< that a number has at least
  };
  Part part_named(std::string_view option, std::string_view name, bool has_facts) const;

  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace scanlens
