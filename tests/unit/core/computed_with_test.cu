// Scans, reductions and compactions of elements that are computed where they are read.
#include <gtest/gtest.h>

#include <numeric>

#include "core/compact.h"
#include "core/reduce.h"
#include "core/scan.h"
#include "tests/unit/support/arrays.h"
#include "tests/unit/support/folds.h"
#include "tests/unit/support/guarded.h"

namespace scanlens {
namespace {

using test::GuardedArray;

class ComputedElements : public test::OnDevice {};

struct Square {
  std::uint64_t modulus = 1 << 20;
  SCANLENS_HOST_DEVICE std::uint64_t operator()(std::uint32_t x) const {
    return std::uint64_t{x} * x % modulus;
  }
};
struct IsOdd {
  SCANLENS_HOST_DEVICE bool operator()(std::uint64_t x) const { return x % 2 != 0; }
};

TEST_P(ComputedElements, AreThoseOfTheArrayTheyStandFor) {
  for (const std::int64_t n : {0, 1, 5, 511, 8193, 70001, 300007}) {
    const std::vector<std::uint32_t> in = test::random_values<std::uint32_t>(n);
    std::vector<std::uint64_t> squares(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) squares[i] = Square()(in[i]);
    const GuardedArray<std::uint32_t> from(*context, in);
    const GuardedArray<std::uint64_t> memory(*context, squares), out(*context, squares),
        expected(*context, squares);
    const auto computed = transformed(from, Square());
    for (const bool reverse : {false, true}) {
      const ScanOptions<std::uint64_t> options{.initial = 7, .reverse = reverse};
      inclusive_scan(*context, computed, out, Sum(), options);
      inclusive_scan(*context, memory, expected, Sum(), options);
      ASSERT_EQ(out.contents(), expected.contents()) << n;
      exclusive_scan(*context, computed, out, Max(), options);
      exclusive_scan(*context, memory, expected, Max(), options);
      ASSERT_EQ(out.contents(), expected.contents()) << n;
    }
    ASSERT_EQ(test::result_of<std::uint64_t>(*context, [&](auto* to) { reduce(*context, computed, to); }),
              std::accumulate(squares.begin(), squares.end(), std::uint64_t{0}))
        << n;
    const GuardedArray<std::uint64_t> rest(*context, squares), other(*context, squares);
    const auto count = test::result_of<std::uint64_t>(
        *context, [&](auto* to) { partition_if(*context, computed, IsOdd(), out, rest, to); });
    const auto same = test::result_of<std::uint64_t>(
        *context, [&](auto* to) { partition_if(*context, memory, IsOdd(), expected, other, to); });
    ASSERT_EQ(count, same) << n;
    ASSERT_EQ(out.contents(), expected.contents()) << n;
    ASSERT_EQ(rest.contents(), other.contents()) << n;
    ASSERT_EQ(test::result_of<std::uint64_t>(
                  *context,
                  [&](auto* to) {
                    compact_if(*context, computed, {Compare<std::uint64_t>::less, 1000}, out, to);
                  }),
              std::count_if(squares.begin(), squares.end(), [](std::uint64_t x) { return x < 1000; }))
        << n;
  }
}

TEST_P(ComputedElements, CountAndStride) {
  const GuardedArray<std::int64_t> out(*context, std::vector<std::int64_t>(1000));
  inclusive_scan(*context, counting<std::int64_t>(1000, 1), out);
  EXPECT_EQ(out.contents().back(), 500500);
  const GuardedArray<float> in(*context, std::vector<float>{1, 9, 2, 9, 3, 9});
  EXPECT_EQ(
      test::result_of<float>(*context, [&](float* to) { reduce(*context, strided(in.data(), 2, 3), to); }),
      6);
}

/// As with arrays, threads and pieces change no bit.
TEST_P(ComputedElements, FloatsHaveTheSameBitsEveryRun) {
  const GuardedArray<float> in(*context, test::random_values<float>(1000003));
  const GuardedArray<float> first(*context, std::vector<float>(1000003)),
      again(*context, std::vector<float>(1000003));
  inclusive_scan(*context, strided(in.data(), 1, 1000003), first);
  inclusive_scan(*context, strided(in.data(), 1, 1000003), again);
  EXPECT_EQ(first.contents(), again.contents());
}

TEST_P(ComputedElements, WrongArgumentsAreErrors) {
  const GuardedArray<std::int64_t> out(*context, std::vector<std::int64_t>(10));
  test::expect_usage_error([&] { inclusive_scan(*context, counting(11), out); }, "inclusive_scan", "out");
  test::expect_usage_error([&] { inclusive_scan(*context, counting(-1), out); }, "inclusive_scan", "in");
  test::expect_usage_error([&] { reduce(*context, counting(-1), out.data()); }, "reduce", "in");
  test::expect_usage_error(
      [&] { compact_if(*context, counting(11), IsOdd(), out, reinterpret_cast<std::uint64_t*>(out.data())); },
      "compact_if", "out");
}

SCANLENS_ON_EVERY_DEVICE(ComputedElements);

}  // namespace
}  // namespace scanlens
