// Selections as they are joined; tests of statistics hold what they choose against loops.
#include "filters/selection.h"

#include <gtest/gtest.h>

#include "core/error.h"

namespace scanlens {
namespace {

TEST(Selection, HasALimit) {
  const Selection one = compare(Quantity::x, Compare<float>::less, 1);
  Selection chain = one;
  for (int i = 1; i < Selection::kMostComparisons; ++i) chain = i % 2 ? both(one, chain) : either(chain, one);
  EXPECT_EQ(chain.count, 2 * Selection::kMostComparisons - 1);
  EXPECT_EQ(chain.depth, 2);
  EXPECT_THROW(both(chain, one), Error);
  EXPECT_EQ(both({}, one).count, 1);
  EXPECT_TRUE(either({}, one).chooses_all());
  EXPECT_THROW(complement({}), Error);
}

TEST(Selection, ABalancedTreeFitsTheStack) {
  Selection tree = compare(Quantity::x, Compare<float>::less, 1);
  while (tree.count < Selection::kMostComparisons) tree = both(tree, tree);
  EXPECT_EQ(tree.depth, Selection::kMostDepth);
}

}  // namespace
}  // namespace scanlens
