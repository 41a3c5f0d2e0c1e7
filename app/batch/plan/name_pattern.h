// Names made of other names: '{dir}/{stem}_depth.{ext}'.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace scanlens {

/// A text with fields that a picture's own name fills: {dir}, the folders between where the search began and
/// the picture; {name}, such as photo.jpg; {stem}, photo; {ext}, jpg. {{ and }} stand for braces.
class NamePattern {
 public:
  /// Throws Error (usage), which begins with `option`, for a field that there is not and for a single brace.
  NamePattern(std::string_view option, std::string_view text);

  /// Returns the name for a picture, by its path below where the search began. `extension`, unless empty,
  /// stands for {ext} instead of its own.
  std::filesystem::path name_for(const std::filesystem::path& relative,
                                 std::string_view extension = {}) const;

  const std::string& text() const { return text_; }

 private:
  enum class Field { none, dir, name, stem, ext };
  struct Part {
    std::string literal;  ///< before the field
    Field field;
  };
  Field field_named(std::string_view option, std::string_view name) const;

  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace scanlens
