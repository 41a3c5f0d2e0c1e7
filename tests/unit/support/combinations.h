// Combinations of many choices, few enough for every day.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/unit/support/support.h"

namespace scanlens::test {

using Choice = std::vector<std::size_t>;  ///< an index into each of several lists

/// Every combination of indices into lists of these lengths.
inline std::vector<Choice> all_combinations(const std::vector<std::size_t>& lengths) {
  std::vector<Choice> all = {{}};
  for (const std::size_t length : lengths) {
    std::vector<Choice> longer;
    for (const Choice& choice : all)
      for (std::size_t value = 0; value < length; ++value) {
        longer.push_back(choice);
        longer.back().push_back(value);
      }
    all = std::move(longer);
  }
  return all;
}

/// Combinations that hold each pair of values of two lists, the rest of each drawn by generator(). Each
/// begins with a pair that is missing and takes, list by list, a value that makes most of the missing pairs.
inline std::vector<Choice> pairwise_combinations(const std::vector<std::size_t>& lengths) {
  const std::size_t lists = lengths.size();
  std::vector<std::size_t> begin(lists + 1, 0);  // of each list's values, one behind the other
  for (std::size_t i = 0; i < lists; ++i) begin[i + 1] = begin[i] + lengths[i];
  const std::size_t values = begin[lists];
  std::vector<char> missing(values * values, 0);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  std::vector<std::size_t> list_of(values);
  for (std::size_t i = 0; i < lists; ++i)
    std::fill_n(list_of.begin() + static_cast<std::ptrdiff_t>(begin[i]), lengths[i], i);
  for (std::size_t a = 0; a < values; ++a)
    for (std::size_t b = a + 1; b < values; ++b)
      if (list_of[a] != list_of[b]) {
        missing[a * values + b] = missing[b * values + a] = 1;
        pairs.emplace_back(a, b);
      }
  std::shuffle(pairs.begin(), pairs.end(), generator());

  std::vector<Choice> chosen;
  for (const auto& [a, b] : pairs) {
    if (!missing[a * values + b]) continue;
    std::vector<std::size_t> row = {a, b};
    for (std::size_t i = 0; i < lists; ++i) {
      if (i == list_of[a] || i == list_of[b]) continue;
      const std::size_t first = generator()() % lengths[i];
      std::size_t best = begin[i] + first, most = 0;
      for (std::size_t k = 0; k < lengths[i]; ++k) {
        const std::size_t value = begin[i] + (first + k) % lengths[i];
        const auto made = static_cast<std::size_t>(std::count_if(
            row.begin(), row.end(), [&](std::size_t other) { return missing[value * values + other]; }));
        if (made > most) best = value, most = made;
      }
      row.push_back(best);
    }
    Choice choice(lists);
    for (const std::size_t value : row) {
      choice[list_of[value]] = value - begin[list_of[value]];
      for (const std::size_t other : row) missing[value * values + other] = 0;
    }
    chosen.push_back(std::move(choice));
  }
  return chosen;
}

/// Every combination when tests/run --nightly asks for them, else pairwise ones.
inline std::vector<Choice> combinations(const std::vector<std::size_t>& lengths) {
  return is_set("SCANLENS_NIGHTLY") || lengths.size() < 2 ? all_combinations(lengths)
                                                          : pairwise_combinations(lengths);
}

}  // namespace scanlens::test
