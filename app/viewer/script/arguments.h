// The words of a step behind its name, taken one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/viewer/script/script.h"
#include "app/viewer/script/words.h"

namespace scanlens {

/// Whatever is not as expected throws Error (usage) with the cause alone.
class Arguments {
 public:
  /// `usage` is how the step is written, which has to stay, as the words.
  Arguments(std::span<const Word> words, std::string_view usage) : words_(words), usage_(usage) {}

  bool empty() const { return words_.empty(); }

  double number(std::string_view what, double least, double most);
  std::int64_t count(std::string_view what, std::int64_t least = 1, std::int64_t most = kMostCount);
  double place(std::string_view what);  ///< a coordinate, which may lie outside of the window
  std::string text(std::string_view what);
  std::filesystem::path file();
  Value value();  ///< a number, or text if it is not one or stands in quotes

  /// Takes the next word where it is this one, not in quotes.
  bool take(std::string_view word);

  /// Takes a mouse button where the next word is one.
  MouseButton button();

  /// After the last word that has a place.
  void end() const;

 private:
  Word next(std::string_view what);

  std::span<const Word> words_;
  std::string_view usage_;
  std::vector<std::string> asked_;  ///< words that could have stood where the next one stands
};

}  // namespace scanlens
