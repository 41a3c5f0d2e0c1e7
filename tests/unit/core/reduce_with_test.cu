// Reductions under a user's own operators, compiled by nvcc: both backends.
#include "core/graph.h"
#include "core/reduce.h"
#include "tests/unit/support/folds.h"
#include "tests/unit/support/reduce_operators.h"

namespace scanlens {
namespace {

using test::GuardedArray;

class ReduceWith : public test::OnDevice {};

TEST_P(ReduceWith, AnOperatorThatHoldsAValue) {
  for (const std::int64_t n : test::fold_lengths()) {
    const std::vector<std::uint32_t> in = test::any_values<std::uint32_t>(n);
    GuardedArray<std::uint32_t> array(*context, in, 1, 0);
    const test::SumModulo op{1000003};
    std::uint32_t expected = 0;
    for (const std::uint32_t x : in) expected = op(expected, x);
    ASSERT_EQ(
        test::result_of<std::uint32_t>(*context, [&](auto* to) { reduce(*context, array.in(), to, op); }),
        expected)
        << n;
  }
}

TEST_P(ReduceWith, BytesIntoALongerType) {
  const std::vector<std::uint8_t> in = test::any_values<std::uint8_t>(test::kLong);
  GuardedArray<std::uint8_t> array(*context, in, 1, 0);
  const test::SumModulo op{65521};
  std::uint32_t expected = 0;
  for (const std::uint8_t x : in) expected = op(expected, std::uint32_t{x});
  EXPECT_EQ(test::result_of<std::uint32_t>(*context, [&](auto* to) { reduce(*context, array.in(), to, op); }),
            expected);
}

TEST_P(ReduceWith, StructuresOfAnySize) {
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{5}, std::int64_t{100003}}) {
    const std::vector<float> numbers = test::any_values<float>(3 * n);
    std::vector<test::Point> points(n);
    test::Box expected;
    for (std::int64_t i = 0; i < n; ++i) {
      std::copy_n(&numbers[3 * i], 3, points[i].x);
      expected = test::Union{}(expected, static_cast<test::Box>(points[i]));
    }
    GuardedArray<test::Point> array(*context, points, 1, 0);
    const auto found = test::result_of<test::Box>(
        *context, [&](test::Box* to) { reduce(*context, array.in(), to, test::Union{}); });
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(found.least[i], expected.least[i]) << n;
      ASSERT_EQ(found.greatest[i], expected.greatest[i]) << n;
    }
  }
}

/// Types of the library go to the library.
TEST_P(ReduceWith, NamedOperatorsStillWork) {
  GuardedArray<float> array(*context, std::vector<float>(70001, 0.5f), 1, 0);
  EXPECT_EQ(test::result_of<float>(*context, [&](float* to) { reduce(*context, array.in(), to); }), 35000.5f);
}

TEST_P(ReduceWith, RefusesWrongArguments) {
  GuardedArray<std::uint32_t> array(*context, std::vector<std::uint32_t>(8), 0, 0);
  const auto call = [&](std::uint32_t* to) { reduce(*context, array.in(), to, test::SumModulo{7}); };
  EXPECT_THROW(call(nullptr), Error);
  EXPECT_THROW(call(array.data()), Error);
}

SCANLENS_ON_EVERY_DEVICE(ReduceWith);

}  // namespace
}  // namespace scanlens
