// Scans over ranks under operators that do not commute, compiled by nvcc for both backends.
#include "core/ranks_with.h"
#include "tests/unit/support/own_types.h"
#include "tests/unit/support/ranks.h"

namespace scanlens::test {
namespace {

class RanksWith : public OnDevice {};
SCANLENS_ON_EVERY_DEVICE(RanksWith);

/// Each element follows the one before: any two out of order break the chain.
TEST_P(RanksWith, KeepTheOrderOfOperandsThatDoNotCommute) {
  using Link = Stretch<2>;
  const std::uint64_t first_seed = generator()();
  for (const int count : {1, 2, 3, 7, 64}) {
    Ranks ranks = Ranks::simulated(*context, count);
    for (std::uint64_t seed = first_seed; seed < first_seed + (context->on_cuda() ? 4 : 40); ++seed) {
      SCOPED_TRACE("ranks " + std::to_string(count) + ", case of seed " + std::to_string(seed));
      RankCase one(count, seed, 60000);
      std::vector<Link> links;
      for (std::uint32_t i = 0; i < one.count; ++i) links.push_back(Link::of(i + 1, i + 2));
      const Spread<Link> in(ranks, one.ends, links), out(ranks, one.ends, links);
      inclusive_scan<Link, Link>(ranks, in.in(), out.parts(), Join{});
      out.for_each([](const Link& link, std::size_t i) {
        ASSERT_EQ(link, Link::of(1, static_cast<std::uint32_t>(i) + 2)) << "element " << i;
      });
      exclusive_scan<Link, Link>(ranks, in.in(), in.parts(), Join{});
      in.for_each([](const Link& link, std::size_t i) {
        ASSERT_EQ(link, i == 0 ? Link::of(0, 0) : Link::of(1, static_cast<std::uint32_t>(i) + 1))
            << "element " << i;
      });
    }
  }
}

}  // namespace
}  // namespace scanlens::test
