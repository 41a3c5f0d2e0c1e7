// Reductions against sequential loops.
#include "core/reduce.h"

#include <tbb/global_control.h>

#include <cmath>
#include <limits>
#include <thread>

#include "core/graph.h"
#include "core/reduce.h"
#include "tests/unit/support/folds.h"
#include "tests/unit/support/reduce_operators.h"

namespace scanlens {
namespace {

using test::GuardedArray;
using test::kLong;

class Reduce : public test::OnDevice {};

template <class In, class Out, class Op>
Out reduced(Context& context, const std::vector<In>& in, int shift) {
  GuardedArray<In> array(context, in, shift, 0);
  return test::result_of<Out>(context, [&](Out* result) { reduce(context, array.in(), result, Op()); });
}

/// Calls body(values, shift) for every length with every shift off a 16-byte boundary that matters.
template <class T, class Body>
void for_each_array(Body body) {
  for (const std::int64_t n : test::fold_lengths())
    for (const int shift : {0, 1, 3}) {
      SCOPED_TRACE(std::to_string(n) + " elements, shifted by " + std::to_string(shift));
      body(test::any_values<T>(n), shift);
      if (testing::Test::HasFatalFailure()) return;
    }
  SCOPED_TRACE(kLong);
  body(test::any_values<T>(kLong), 1);
}

template <class In, class Out, class Op>
void check_exact(Context& context) {
  for_each_array<In>([&](const std::vector<In>& in, int shift) {
    using Unsigned = std::make_unsigned_t<Out>;  // wraps around
    constexpr bool kWraps = std::is_same_v<Op, Sum> || std::is_same_v<Op, Product>;
    using Work = std::conditional_t<kWraps, Unsigned, Out>;
    Work expected = Op::template identity<Work>();
    for (const In x : in) expected = Op{}(expected, static_cast<Work>(x));
    ASSERT_EQ((reduced<In, Out, Op>(context, in, shift)), static_cast<Out>(expected));
  });
}

template <class T>
void check_all_exact(Context& context) {
  check_exact<T, T, Sum>(context);
  check_exact<T, T, Product>(context);
  check_exact<T, T, Min>(context);
  check_exact<T, T, Max>(context);
}

TEST_P(Reduce, IntegersEqualTheSequentialLoop) {
  check_all_exact<std::int32_t>(*context);
  check_all_exact<std::uint32_t>(*context);
  check_all_exact<std::int64_t>(*context);
  check_all_exact<std::uint64_t>(*context);
}

TEST_P(Reduce, ShortIntegersSumIntoLongOnes) {
  check_exact<std::uint8_t, std::uint64_t, Sum>(*context);
  check_exact<std::uint16_t, std::uint64_t, Sum>(*context);
  check_exact<std::uint32_t, std::uint64_t, Sum>(*context);
  check_exact<std::int8_t, std::int64_t, Sum>(*context);
  check_exact<std::int16_t, std::int64_t, Sum>(*context);
  check_exact<std::int32_t, std::int64_t, Sum>(*context);
  check_exact<std::uint8_t, std::int64_t, Sum>(*context);
  const std::vector<std::int16_t> least(kLong, -32768);
  EXPECT_EQ((reduced<std::int16_t, std::int64_t, Sum>(*context, least, 0)), -32768 * std::int64_t{kLong});
  const std::vector<std::uint16_t> greatest(kLong, 65535);
  EXPECT_EQ((reduced<std::uint16_t, std::uint64_t, Sum>(*context, greatest, 0)),
            65535u * std::uint64_t{kLong});
}

template <class In, class Out>
void check_float_sum(Context& context) {
  for_each_array<In>([&](const std::vector<In>& in, int shift) {
    long double sum = 0, sum_of_sizes = 0;
    for (const In x : in) sum += x, sum_of_sizes += std::abs(x);
    const double bound = (24 + std::log2(static_cast<double>(in.size()) + 1)) *
                         static_cast<double>(std::numeric_limits<In>::epsilon() * sum_of_sizes);
    ASSERT_NEAR((reduced<In, Out, Sum>(context, in, shift)), static_cast<double>(sum), bound);
  });
}

TEST_P(Reduce, FloatSumsKeepTheirBound) {
  check_float_sum<float, float>(*context);
  check_float_sum<float, double>(*context);
  check_float_sum<double, double>(*context);
}

/// Half and BFloat16 are added as floats, and rounded once.
template <class T>
void check_half_sum(Context& context, double epsilon) {
  for (const std::int64_t n : test::fold_lengths()) {
    std::vector<T> values;
    long double sum = 0, sum_of_sizes = 0;
    for (const float value : test::any_values<float>(n)) {
      values.push_back(T(value));
      sum += static_cast<float>(values.back());
      sum_of_sizes += std::abs(static_cast<float>(values.back()));
    }
    const double bound = (24 + std::log2(static_cast<double>(n) + 1)) *
                         static_cast<double>(std::numeric_limits<float>::epsilon() * sum_of_sizes);
    const auto total = static_cast<float>(reduced<T, T, Sum>(context, values, 3));
    ASSERT_NEAR(total, static_cast<double>(sum), bound + epsilon * std::abs(static_cast<double>(sum)))
        << n << " elements";
  }
}
TEST_P(Reduce, HalvesAreAddedAsFloats) {
  check_half_sum<Half>(*context, 0x1p-11);
  check_half_sum<BFloat16>(*context, 0x1p-8);
}

/// A plain float loop loses everything beyond 2^24 ones.
TEST_P(Reduce, FloatSumsOfManyEqualElementsAreExact) {
  const std::vector<float> ones(1 << 25, 1.0f);
  EXPECT_EQ((reduced<float, float, Sum>(*context, ones, 1)), 33554432.0f);
}

TEST_P(Reduce, InfiniteSumsAreInfinite) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> in(70000, 1.0f);
  in[69000] = kInfinity;
  EXPECT_EQ((reduced<float, float, Sum>(*context, in, 0)), kInfinity);
  EXPECT_EQ((reduced<float, double, Sum>(*context, in, 0)), kInfinity);
  in[3] = -kInfinity;
  EXPECT_TRUE(std::isnan(reduced<float, float, Sum>(*context, in, 0)));
  EXPECT_EQ((reduced<float, float, Sum>(*context, std::vector<float>(4000, 3e38f), 0)), kInfinity);
}

template <class T>
void check_float_extremes_and_product(Context& context) {
  for_each_array<T>([&](std::vector<T> in, int shift) {
    T least = Min::identity<T>(), greatest = Max::identity<T>();
    for (const T x : in) least = std::min(least, x), greatest = std::max(greatest, x);
    ASSERT_EQ((reduced<T, T, Min>(context, in, shift)), least);
    ASSERT_EQ((reduced<T, T, Max>(context, in, shift)), greatest);
    long double product = 1;
    for (T& x : in) product *= x = 1 + x / 1024;
    const double expected = static_cast<double>(product);
    const double epsilon = std::numeric_limits<T>::epsilon();
    ASSERT_NEAR((reduced<T, T, Product>(context, in, shift)), expected,
                expected * epsilon * (1 + static_cast<double>(in.size())));
  });
}

template <class T>
void check_nan_stays(Context& context) {
  for (const std::int64_t n : {1, 2, 3, 17, 1000, 70001})
    for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
      std::vector<T> in(static_cast<std::size_t>(n), T{1});
      in[static_cast<std::size_t>(at)] = std::numeric_limits<T>::quiet_NaN();
      ASSERT_TRUE(std::isnan(reduced<T, T, Min>(context, in, 1))) << at << " of " << n;
      ASSERT_TRUE(std::isnan(reduced<T, T, Max>(context, in, 0))) << at << " of " << n;
    }
}
TEST_P(Reduce, ExtremesOfNaNAreNaN) {
  check_nan_stays<float>(*context);
  check_nan_stays<double>(*context);
}

TEST_P(Reduce, FloatExtremesAndProductsEqualTheSequentialLoop) {
  check_float_extremes_and_product<float>(*context);
  check_float_extremes_and_product<double>(*context);
}

TEST_P(Reduce, FloatSumsHaveTheSameBitsEveryRun) {
  const std::vector<float> in = test::any_values<float>(kLong);
  const auto first = reduced<float, double, Sum>(*context, in, 0);
  for (int run = 0; run < 5; ++run) ASSERT_EQ((reduced<float, double, Sum>(*context, in, 0)), first);
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  EXPECT_EQ((reduced<float, double, Sum>(*context, in, 0)), first);
}

TEST_P(Reduce, EightThreadsWithAContextEach) {
  const std::vector<std::uint32_t> in = test::any_values<std::uint32_t>(300007);
  std::uint64_t expected = 0;
  for (const std::uint32_t x : in) expected += x;
  std::vector<std::thread> threads;
  std::vector<int> wrong(8, 0);
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      Context own = Context::open(GetParam());
      for (int run = 0; run < 20; ++run)
        wrong[t] += reduced<std::uint32_t, std::uint64_t, Sum>(own, in, 0) != expected;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(8, 0));
}

TEST_P(Reduce, ReplaysWithOtherInput) {
  GuardedArray<std::uint32_t> array(*context, std::vector<std::uint32_t>(kLong), 0, 0),
      result(*context, {0, 0, 0}, 0, 0);
  GuardedArray<Located<std::uint32_t>> least(*context, std::vector<Located<std::uint32_t>>(1), 0, 0);
  Graph graph(*context, [&] {
    reduce(*context, array.in(), result.data());
    reduce(*context, array.in().first(40001), result.data() + 1, Max());
    reduce(*context, array.in().first(100), result.data() + 2);
    argmin(*context, array.in(), least.data());
  });
  for (int run = 0; run < 5; ++run) {
    const std::vector<std::uint32_t> in = test::any_values<std::uint32_t>(kLong);
    copy(*context, View<const std::uint32_t>(in.data(), kLong, 1),
         View<std::uint32_t>(array.data(), kLong, 1));
    graph.replay(1 + run % 3);
    std::uint32_t sum = 0, sum100 = 0;
    for (const std::uint32_t x : in) sum += x;
    for (int i = 0; i < 100; ++i) sum100 += in[i];
    const std::vector<std::uint32_t> expected = {sum, *std::max_element(in.begin(), in.begin() + 40001),
                                                 sum100};
    ASSERT_EQ(result.contents(), expected);
    ASSERT_EQ(least.contents()[0].index,
              static_cast<std::uint64_t>(std::min_element(in.begin(), in.end()) - in.begin()));
  }
}

TEST_P(Reduce, RefusesWrongArguments) {
  GuardedArray<float> array(*context, std::vector<float>(8), 0, 0),
      result(*context, std::vector<float>(1), 0, 0);
  const auto call = [&](std::span<const float> in, float* to) { reduce(*context, in, to); };
  EXPECT_THROW(call({static_cast<const float*>(nullptr), 8}, result.data()), Error);
  EXPECT_THROW(call(array.in(), nullptr), Error);
  EXPECT_THROW(call(array.in(), array.data() + 3), Error);
  EXPECT_NO_THROW(call({}, result.data()));
  EXPECT_NO_THROW(call(array.in().first(7), array.data() + 7));
  EXPECT_THROW(argmin(*context, array.in(), nullptr), Error);
  EXPECT_THROW(moments(*context, array.in(), nullptr), Error);
}

TEST_P(Reduce, OperatorsOfYourOwnCompiledWithoutNvccRunOnTheCpuOnly) {
  const std::vector<std::uint32_t> in = test::any_values<std::uint32_t>(100003);
  GuardedArray<std::uint32_t> array(*context, in, 0, 0);
  std::uint32_t expected = 0;
  const test::SumModulo op{1000003};
  for (const std::uint32_t x : in) expected = op(expected, x);
  const auto call = [&](std::uint32_t* result) { reduce(*context, array.in(), result, op); };
  if (context->on_cuda())
    EXPECT_THROW(test::result_of<std::uint32_t>(*context, call), Error);
  else
    EXPECT_EQ(test::result_of<std::uint32_t>(*context, call), expected);
}

TEST_P(Reduce, HoldsBeyond2To31Elements) {
  SCANLENS_NEEDS_A_LARGE_MACHINE();
  const std::int64_t n = (std::int64_t{1} << 32) + 77;
  Image<std::uint8_t> host(n, 1);
  std::uint64_t expected = 0;
  for (std::int64_t i = 0; i < n; ++i)
    expected += host.view().data[i] =
        static_cast<std::uint8_t>(static_cast<std::uint64_t>(i) * 2654435761u >> 13);
  const Image<std::uint8_t> bytes = upload(*context, std::move(host));
  const auto sum = test::result_of<std::uint64_t>(
      *context, [&](std::uint64_t* result) { reduce(*context, std::span(bytes.view().data, n), result); });
  EXPECT_EQ(sum, expected);
}

SCANLENS_ON_EVERY_DEVICE(Reduce);

}  // namespace
}  // namespace scanlens
