// argmin, argmax and moments against sequential loops.
#include <cmath>
#include <limits>

#include "core/reduce.h"
#include "tests/unit/support/folds.h"

namespace scanlens {
namespace {

using test::GuardedArray;

class Arg : public test::OnDevice {};
class MomentsOn : public test::OnDevice {};

template <class T>
void check_places(Context& context, const std::vector<T>& in, int shift) {
  Located<T> least{Min::identity<T>(), in.size()}, greatest{Max::identity<T>(), in.size()};
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (in[i] < least.value || i == 0) least = {in[i], i};
    if (in[i] > greatest.value || i == 0) greatest = {in[i], i};
    if (in[i] != in[i]) {  // the first NaN is what is found
      least = greatest = {in[i], i};
      break;
    }
  }
  GuardedArray<T> array(context, in, shift, 0);
  const auto low = test::result_of<Located<T>>(context, [&](auto* to) { argmin(context, array.in(), to); });
  const auto high = test::result_of<Located<T>>(context, [&](auto* to) { argmax(context, array.in(), to); });
  ASSERT_EQ(low.index, least.index);
  ASSERT_TRUE(test::same_number(low.value, least.value));
  ASSERT_EQ(high.index, greatest.index);
  ASSERT_TRUE(test::same_number(high.value, greatest.value));
}

/// Few different values, so that the lowest index decides; and all values of the type.
template <class T>
void check_lengths(Context& context) {
  for (const std::int64_t n : test::fold_lengths())
    for (const int shift : {0, 1, 3}) {
      SCOPED_TRACE(std::to_string(n) + " elements, shifted by " + std::to_string(shift));
      check_places(context, test::any_values<T>(n), shift);
      std::vector<T> few(n);
      for (T& x : few) x = static_cast<T>(test::generator()() % 5);
      check_places(context, few, shift);
      if (testing::Test::HasFatalFailure()) return;
    }
  check_places(context, test::any_values<T>(test::kLong), 1);
}

TEST_P(Arg, EqualsTheSequentialLoop) {
  check_lengths<std::int32_t>(*context);
  check_lengths<std::uint32_t>(*context);
  check_lengths<std::int64_t>(*context);
  check_lengths<std::uint64_t>(*context);
  check_lengths<float>(*context);
  check_lengths<double>(*context);
}

TEST_P(Arg, FindsTheOneAtEveryPlace) {
  for (int n = 1; n < 80; n += 3)
    for (int i = 0; i < n; ++i) {
      std::vector<float> in(n, 2.0f);
      in[i] = 1;
      check_places(*context, in, n % 4);
    }
  std::vector<double> in(test::kLong, 2.0);
  in[test::kLong - 1] = 1;
  check_places(*context, in, 1);
  for (std::size_t i = 0; i < in.size(); ++i)
    in[i] = -static_cast<double>(i);  // each better than the one before
  check_places(*context, in, 0);
}

TEST_P(Arg, FindsElementsEqualToTheIdentity) {
  for (const int n : {1, 4, 100, 70001}) {
    check_places(*context, std::vector<float>(n, std::numeric_limits<float>::infinity()), 0);
    check_places(*context, std::vector<float>(n, -std::numeric_limits<float>::infinity()), 1);
    check_places(*context, std::vector<std::uint32_t>(n, 0xFFFFFFFF), 1);
    check_places(*context, std::vector<std::int32_t>(n, std::numeric_limits<std::int32_t>::min()), 1);
  }
}

/// The zeros are equal, so the first of them is found, whatever its sign.
TEST_P(Arg, FindsTheFirstOfBothZeros) {
  for (const int n : {2, 33, 1000, 70001})
    for (const float first : {0.0f, -0.0f}) {
      std::vector<float> in(n, 1.0f);
      in[n / 3] = first;
      in[n - 1] = -first;
      check_places(*context, in, 1);
      for (float& x : in) x = -x;
      check_places(*context, in, 0);
    }
}

template <class T>
void check_first_nan(Context& context) {
  for (const T nan : {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::quiet_NaN()})
    for (const int n : {1, 2, 3, 4, 5, 31, 100, 70001}) {
      std::vector<T> in(n, nan);
      check_places(context, in, 1);
      for (int i = 0; i < n; ++i) in[i] = i % 2 ? T{1} / 0 : -T{1} / 0;
      in[n - 1] = nan;
      check_places(context, in, 0);
      in[n / 2] = -nan;
      check_places(context, in, 1);
    }
}
TEST_P(Arg, FindsTheFirstNaN) {
  check_first_nan<float>(*context);
  check_first_nan<double>(*context);
}

template <class T>
void check_moments(Context& context, const std::vector<T>& in, int shift) {
  long double sum = 0, sum_of_sizes = 0, squares = 0;
  double least = std::numeric_limits<double>::infinity(), greatest = -least;
  for (const T x : in) {
    sum += x;
    sum_of_sizes += std::abs(static_cast<long double>(x));
    least = std::min(least, static_cast<double>(x));
    greatest = std::max(greatest, static_cast<double>(x));
  }
  const long double count = std::max<long double>(1, in.size());
  const long double mean = sum / count;
  for (const T x : in) squares += (x - mean) * (x - mean);

  GuardedArray<T> array(context, in, shift, 0);
  const auto found =
      test::result_of<Moments>(context, [&](Moments* to) { moments(context, array.in(), to); });
  ASSERT_EQ(found.count, in.size());
  ASSERT_EQ(found.least, least);
  ASSERT_EQ(found.greatest, greatest);
  ASSERT_NEAR(found.mean, static_cast<double>(mean), 1e-14 * static_cast<double>(sum_of_sizes / count));
  // The error of the deviations by the mean's own rounding: count * (epsilon * mean)^2, and a mixed term.
  const double slack = 1e-15 * static_cast<double>(sum_of_sizes / count);
  ASSERT_NEAR(
      found.squared_deviations, static_cast<double>(squares),
      1e-12 * static_cast<double>(squares) +
          static_cast<double>(count) * slack * (slack + std::sqrt(static_cast<double>(squares / count))));
}

template <class T>
void check_moments_of_lengths(Context& context) {
  for (const std::int64_t n : test::fold_lengths())
    for (const int shift : {0, 1, 3}) {
      SCOPED_TRACE(std::to_string(n) + " elements, shifted by " + std::to_string(shift));
      check_moments(context, test::any_values<T>(n), shift);
      if (testing::Test::HasFatalFailure()) return;
    }
  check_moments(context, test::any_values<T>(test::kLong), 1);
}

TEST_P(MomentsOn, EqualTheSequentialLoop) {
  check_moments_of_lengths<std::uint8_t>(*context);
  check_moments_of_lengths<std::uint16_t>(*context);
  check_moments_of_lengths<std::uint32_t>(*context);
  check_moments_of_lengths<float>(*context);
  check_moments_of_lengths<double>(*context);
}

/// Sums of squares would have lost all digits.
TEST_P(MomentsOn, ALargeMeanCostsNothing) {
  std::vector<double> in = test::any_values<double>(test::kLong);
  for (double& x : in) x += 1e9;
  check_moments(*context, in, 1);
  std::vector<float> floats = test::any_values<float>(test::kLong);
  for (float& x : floats) x += 1e6f;
  check_moments(*context, floats, 1);
  floats[0] = 1e30f;  // the first is nothing special
  check_moments(*context, floats, 0);
}

/// The first elements of threads, blocks and chunks are far from the mean of all, or the mean drifts away
/// from them.
TEST_P(MomentsOn, TheFirstElementsAreNothingSpecial) {
  for (const int special : {1, 4, 5000, 70000}) {
    std::vector<double> close = test::any_values<double>(test::kLong);
    for (double& x : close) x = 1000 + x / 1024;
    for (int i = 0; i < special; ++i) close[i] = 0;
    check_moments(*context, close, 1);
    std::vector<std::uint16_t> words(test::kLong, 65535);
    for (int i = 0; i < special; ++i) words[i] = 0;
    check_moments(*context, words, 1);
  }
  std::vector<double> rising(test::kLong);
  for (std::size_t i = 0; i < rising.size(); ++i) rising[i] = 1e3 * static_cast<double>(i);
  check_moments(*context, rising, 0);
}

/// Elements that are farther apart than the largest float.
TEST_P(MomentsOn, ElementsFarApart) {
  for (const float far : {-3e38f, -1e38f}) {
    std::vector<float> floats(std::size_t{1} << 17, 3e38f);
    std::fill_n(floats.begin(), 512, far);
    check_moments(*context, floats, 1);
  }
}

TEST_P(MomentsOn, NearlyEqualElements) {
  std::vector<std::uint32_t> integers(test::kLong, 4294967293);
  for (std::size_t i = 0; i < integers.size(); i += 1000) ++integers[i];
  check_moments(*context, integers, 1);
  std::vector<float> floats(test::kLong, 16777213.0f);
  floats[floats.size() / 2] = 16777214.0f;
  check_moments(*context, floats, 1);
}

TEST_P(MomentsOn, EqualElementsDoNotDeviate) {
  const std::vector<float> in(test::kLong, 16777213.0f);
  GuardedArray<float> array(*context, in, 0, 0);
  const auto found =
      test::result_of<Moments>(*context, [&](Moments* to) { moments(*context, array.in(), to); });
  EXPECT_EQ(found.mean, 16777213.0);
  EXPECT_EQ(found.variance(), 0.0);
}

TEST_P(MomentsOn, ExtremesPassOverNaN) {
  std::vector<float> in(1000, 3.0f);
  in[0] = in[999] = std::nanf("");
  in[500] = -1;
  GuardedArray<float> array(*context, in, 0, 0);
  const auto found =
      test::result_of<Moments>(*context, [&](Moments* to) { moments(*context, array.in(), to); });
  EXPECT_TRUE(std::isnan(found.mean));
  EXPECT_EQ(found.least, -1.0);
  EXPECT_EQ(found.greatest, 3.0);
}

SCANLENS_ON_EVERY_DEVICE(Arg);
SCANLENS_ON_EVERY_DEVICE(MomentsOn);

}  // namespace
}  // namespace scanlens
