// Ranks that are simulated on one context give what one context gives, however the array is cut.
#include "core/ranks.h"

#include "tests/unit/support/ranks.h"

namespace scanlens::test {
namespace {

class RanksTest : public OnDevice {
 protected:
  /// `each` random cases for each number of ranks, fewer where every call costs many launches.
  void compare(int each, void (*one_case)(Ranks&, RankCase&)) {
    const std::uint64_t first_seed = generator()();
    for (const int count : {1, 2, 3, 7, 64}) {
      Ranks ranks = Ranks::simulated(*context, count);
      const int cases = (context->on_cuda() ? each / 20 : each) / (count == 64 ? 8 : 1) + 1;
      for (int i = 0; i < cases; ++i) {
        const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(i);
        SCOPED_TRACE("ranks " + std::to_string(count) + ", case of seed " + std::to_string(seed));
        RankCase one(count, seed);
        one_case(ranks, one);
        if (HasFatalFailure() || HasNonfatalFailure()) return;
      }
    }
  }
};
SCANLENS_ON_EVERY_DEVICE(RanksTest);

TEST_P(RanksTest, ScansAreThoseOfOneContext) {
  compare(800, compare_random_scan);
}
TEST_P(RanksTest, ReductionsAreThoseOfOneContext) {
  compare(800, compare_random_reduction);
}
TEST_P(RanksTest, SortsAreThoseOfOneContext) {
  compare(500, compare_random_sort);
}
TEST_P(RanksTest, TablesAreThoseOfOneContext) {
  compare(300, compare_random_table);
}

TEST_P(RanksTest, SortsManyEqualKeys) {
  Ranks ranks = Ranks::simulated(*context, 7);
  RankCase one(7, 5);
  one.count = 100000;
  one.ends = one.cut(7);
  const Spread<std::uint32_t> in(ranks, one.ends, std::vector<std::uint32_t>(one.count, 42));
  const Spread<std::uint32_t> out(ranks, one.cut(7), std::vector<std::uint32_t>(one.count));
  sort_keys<std::uint32_t>(ranks, in.in(), out.parts());
  out.for_each([](std::uint32_t key, std::size_t) { ASSERT_EQ(key, 42u); });
}

TEST_P(RanksTest, RefusesWrongParts) {
  Ranks ranks = Ranks::simulated(*context, 2);
  const std::vector<std::size_t> ends = {2, 5};
  const Spread<std::uint32_t> in(ranks, ends, std::vector<std::uint32_t>(5));
  const Spread<std::uint32_t> shifted(ranks, {3, 5}, std::vector<std::uint32_t>(5));
  const Spread<std::uint32_t> longer(ranks, {3, 6}, std::vector<std::uint32_t>(6));
  EXPECT_THROW((inclusive_scan<std::uint32_t, std::uint32_t>(ranks, in.in().first(1), in.parts())), Error);
  EXPECT_THROW((inclusive_scan<std::uint32_t, std::uint32_t>(ranks, in.in(), shifted.parts())), Error);
  EXPECT_THROW((sort_keys<std::uint32_t>(ranks, in.in(), longer.parts())), Error);
  EXPECT_NO_THROW((sort_keys<std::uint32_t>(ranks, in.in(), shifted.parts())));
  Ranks many = Ranks::simulated(*context, 129);
  const Spread<std::uint32_t> none(many, std::vector<std::size_t>(129), {});
  EXPECT_THROW((sort_keys(many, none.in(), none.parts())), Error);
}

TEST_P(RanksTest, FindsRanksThatDisagree) {
  RanksOptions options;
  options.check = true;
  Ranks ranks = Ranks::simulated(*context, 2, options);
  const Spread<std::uint32_t> in(ranks, {2, 5}, std::vector<std::uint32_t>(5, 1));
  EXPECT_NO_THROW((inclusive_scan<std::uint32_t, std::uint32_t>(ranks, in.in(), in.parts())));
  EXPECT_EQ(in.host(), (std::vector<std::uint32_t>{1, 2, 3, 4, 5}));
}

TEST(Ranks, NeedNcclForSeveralProcesses) {
  Context context = Context::open("cpu");
  EXPECT_THROW(Ranks::join(context, {}, 0, 2), Error);
  EXPECT_THROW(Ranks::join(context, {}, 2, 2), Error);
  EXPECT_THROW(Ranks::simulated(context, 0), Error);
}

}  // namespace
}  // namespace scanlens::test
