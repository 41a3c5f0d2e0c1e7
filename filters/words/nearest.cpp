#include "filters/nearest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

namespace scanlens {
namespace {

/// Counts the letters to insert, drop, replace or swap with their neighbour that lead from `a` to `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row_before, row(b.size() + 1), next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], row_before[j - 2] + 1);
    }
    row_before = row;
    std::swap(row, next);
  }
  return row[b.size()];
}

/// Returns the letters and digits in lower case: an option's dashes do not count for its nearness.
std::string letters_of(std::string_view word) {
  std::string letters;
  for (const unsigned char c : word)
    if (std::isalnum(c)) letters += static_cast<char>(std::tolower(c));
  return letters;
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr std::size_t kMostEdits = 3, kLettersPerEdit = 3;
  std::string best;
  const std::string letters = letters_of(word);
  std::size_t least = std::min(kMostEdits, std::max<std::size_t>(letters.size() / kLettersPerEdit, 1)) + 1;
  for (const std::string& candidate : candidates) {
    const std::string others = letters_of(candidate);
    const std::size_t edits = edit_distance(letters, others);
    if (edits >= least || edits >= std::min(letters.size(), others.size())) continue;
    least = edits;
    best = candidate;
  }
  return best;
}

bool is_among(std::string_view word, std::string_view words) {
  const auto between_blanks = [](std::string_view text) { return " " + std::string(text) + " "; };
  return between_blanks(words).find(between_blanks(word)) != std::string::npos;
}

}  // namespace scanlens
