// The combinations that tests choose hold what they promise.
#include "tests/unit/support/combinations.h"

#include <set>

namespace scanlens::test {
namespace {

std::size_t pairs_in(const std::vector<Choice>& choices) {
  std::set<Choice> pairs;
  for (const Choice& choice : choices)
    for (std::size_t i = 0; i < choice.size(); ++i)
      for (std::size_t j = i + 1; j < choice.size(); ++j) pairs.insert({i, j, choice[i], choice[j]});
  return pairs.size();
}

TEST(Combinations, PairwiseOnesHoldEveryPair) {
  for (const std::vector<std::size_t>& lengths :
       {Choice{2, 2}, {150, 3, 3, 4, 5}, {2, 2, 2, 2, 2, 2, 2}, {7, 6, 5, 4}, {1, 1, 9}}) {
    const std::vector<Choice> all = all_combinations(lengths), few = pairwise_combinations(lengths);
    EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
    EXPECT_EQ(pairs_in(few), pairs_in(all));
    EXPECT_LE(few.size(), all.size());
  }
  EXPECT_LT(pairwise_combinations({150, 3, 3, 4, 5}).size(), 1000u);
}

TEST(Combinations, OfOneListAreItsValues) {
  EXPECT_EQ(combinations({3}), (std::vector<Choice>{{0}, {1}, {2}}));
}

}  // namespace
}  // namespace scanlens::test
