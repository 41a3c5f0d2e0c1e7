// GuardedArray notices what the other tests rely on it to notice.
#include "tests/unit/support/guarded.h"

#include <gtest/gtest-spi.h>

namespace scanlens {
namespace {

using test::GuardedArray;

/// An array of 7 x 5 elements, 2 apart, in host memory.
class Guarded : public testing::Test {
 protected:
  Context context_ = Context::open("cpu");
  GuardedArray<std::uint16_t> array_{context_, 7, 5, 1, 2};
};

TEST_F(Guarded, AnUntouchedArrayPasses) {
  array_.check("untouched");
  test::expect_equal<std::uint16_t>(array_.image().view(), array_.expected(), "untouched");
}

TEST_F(Guarded, AWriteBesideTheArrayFails) {
  array_.data()[-1] ^= 1;
  EXPECT_NONFATAL_FAILURE(array_.image(), "written before the array");
}

TEST_F(Guarded, AWriteBehindTheArrayFails) {
  array_.data()[array_.view().extent()] ^= 1;
  EXPECT_NONFATAL_FAILURE(array_.contents(), "written behind the array");
}

TEST_F(Guarded, AWriteBetweenRowsFails) {
  array_.view().row(2)[-1] ^= 1;
  EXPECT_NONFATAL_FAILURE(array_.image(), "written before row 2");
}

TEST_F(Guarded, AnArrayWithoutMarginsEndsWithItsMemory) {
  const GuardedArray<float> array(context_, {1, 2, 3}, 0, 0);
  EXPECT_EQ(array.contents(), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(array.in().size(), 3u);
}

TEST_F(Guarded, RowsOfNothingHaveNothingBetweenThem) {
  const GuardedArray<std::uint16_t> array(context_, 0, 9, 0, 5);
  EXPECT_TRUE(array.contents().empty());
}

}  // namespace
}  // namespace scanlens
