// Several host threads, each with a context of its own; and recorded work that is replayed a thousand times.
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>

#include "core/compact.h"
#include "core/graph.h"
#include "core/scan.h"
#include "tests/unit/support/arrays.h"

namespace scanlens {
namespace {

class Concurrency : public test::OnDevice {};

using Words = std::vector<std::uint32_t>;

constexpr Compare<std::uint32_t> kUpperHalf{Compare<std::uint32_t>::greater_equal, std::uint32_t{1} << 31};

/// Values that need no generator shared between threads.
Words values_of(std::int64_t n, std::uint32_t seed) {
  Words values(static_cast<std::size_t>(n));
  for (std::uint32_t state = seed; std::uint32_t & value : values)
    value = state = state * 1664525 + 1013904223;
  return values;
}

/// The work of a thread: sums, segments and survivors of arrays of its own, each compared with a sequential
/// loop.
void scan_and_compact(const char* device, int thread) {
  Context context = Context::open(device);
  for (int round = 0; round < 12; ++round) {
    const std::int64_t n = 1 + (thread * 7919 + round * round * 3571) % 300007;
    const Words values = values_of(n, static_cast<std::uint32_t>(thread * 1000 + round));
    const std::string what = "thread " + std::to_string(thread) + ", round " + std::to_string(round);

    test::GuardedArray<std::uint32_t> in(context, values), sums(context, values),
        kept(context, Words(values.size()));
    test::GuardedArray<std::uint64_t> count(context, {0});
    inclusive_scan(context, in, sums);
    compact_if(context, sums, kUpperHalf, kept, count.span().data());

    Words expected_sums(values.size()), expected_kept;
    std::partial_sum(values.begin(), values.end(), expected_sums.begin());
    for (const std::uint32_t sum : expected_sums)
      if (sum >= kUpperHalf.bound) expected_kept.push_back(sum);
    test::expect_same(sums.contents(), expected_sums, what + ", sums");
    ASSERT_EQ(count.contents()[0], expected_kept.size()) << what;
    Words survivors = kept.contents();
    survivors.resize(expected_kept.size());
    test::expect_same(survivors, expected_kept, what + ", survivors");
  }
}

TEST_P(Concurrency, EightThreadsOnContextsOfTheirOwn) {
  const char* device = GetParam();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([=] { scan_and_compact(device, i); });
  for (std::thread& thread : threads) thread.join();
}

/// Each replay works on what the last one left, so that a single slip shows in the end.
TEST_P(Concurrency, AThousandReplaysOfScanAndCompaction) {
  constexpr std::int64_t n = 100003;
  Words values = values_of(n, 1), kept_values(n, 5);
  test::GuardedArray<std::uint32_t> array(*context, values), kept(*context, kept_values);
  test::GuardedArray<std::uint64_t> count(*context, {0});
  Graph graph(*context, [&] {
    inclusive_scan(*context, array, array);
    compact_if(*context, array, kUpperHalf, kept, count.span().data());
    exclusive_scan(*context, kept, array);
  });
  array.set(values);  // recording ran the work once
  kept.set(kept_values);

  std::size_t survivors = 0;
  for (int replay = 1; replay <= 1000; ++replay) {
    graph.replay();
    std::partial_sum(values.begin(), values.end(), values.begin());
    survivors = 0;
    for (const std::uint32_t value : values)
      if (value >= kUpperHalf.bound) kept_values[survivors++] = value;
    std::exclusive_scan(kept_values.begin(), kept_values.end(), values.begin(), std::uint32_t{0});
    if (replay % 100 != 0) continue;
    test::expect_same(array.contents(), values, "replay " + std::to_string(replay));
    test::expect_same(kept.contents(), kept_values, "replay " + std::to_string(replay) + ", kept");
    ASSERT_EQ(count.contents()[0], survivors) << "replay " << replay;
  }
}

SCANLENS_ON_EVERY_DEVICE(Concurrency);

}  // namespace
}  // namespace scanlens
