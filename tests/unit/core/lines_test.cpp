// Scans by LogSumExp, extremes with their places, and linear recurrences, against sequential loops.
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/arg_scan.h"
#include "core/graph.h"
#include "core/linear_recurrence.h"
#include "core/log_sum_exp.h"
#include "core/scan.h"
#include "tests/unit/support/scan_reference.h"

namespace scanlens {
namespace {

using test::GuardedArray;

class ArgScan : public test::OnDevice {};
class LogScan : public test::OnDevice {};
class Recurrence : public test::OnDevice {};

std::int64_t below(std::int64_t limit) {
  return static_cast<std::int64_t>(test::generator()() % static_cast<std::uint64_t>(limit));
}

std::int64_t elements_of(const Axis& axis) {
  return axis.outer * axis.length * axis.inner;
}

/// Arrays of one line; many short lines; few inner elements and many; parts, tiles and strips cut anywhere.
const std::vector<Axis>& axes() {
  static const std::vector<Axis> all = [] {
    std::vector<Axis> axes;
    for (const std::int64_t n : test::lengths()) axes.push_back({1, n, 1});
    for (const std::int64_t inner : {1, 2, 3, 31, 32, 33, 257})
      for (const std::int64_t length : {1, 7, 15, 16, 121, 1009})
        for (const std::int64_t outer : {1, 3, 40})
          if (const Axis axis{outer, length, inner}; elements_of(axis) < 40000) axes.push_back(axis);
    for (const Axis& axis :
         {Axis{0, 5, 7}, Axis{5, 0, 7}, Axis{5, 7, 0}, Axis{1, 3840, 1}, Axis{1, 7681, 1}, Axis{3, 13331, 1},
          Axis{1, 20011, 3}, Axis{1, 2003, 33}, Axis{4001, 17, 1}, Axis{2, 3, 5003}})
      axes.push_back(axis);
    return axes;
  }();
  return all;
}
const std::vector<Axis>& long_axes() {
  static const std::vector<Axis> all = {{1, 1162689, 1}, {1, 100009, 7}, {1, 20011, 32},
                                        {2, 7001, 70},   {5, 100009, 1}, {140, 2011, 1}};
  return all;
}

std::string text(const Axis& axis, bool reverse) {
  return std::to_string(axis.outer) + " x " + std::to_string(axis.length) + " x " +
         std::to_string(axis.inner) + (reverse ? ", reverse" : "");
}

/// Calls visit(line, k, i) for each element i, k-th of its line in the order of the scan; fresh lines begin
/// at 0.
template <class Visit>
void for_lines(const Axis& axis, bool reverse, const Visit& visit) {
  for (std::int64_t line = 0; line < axis.outer * axis.inner; ++line)
    for (std::int64_t k = 0; k < axis.length; ++k) {
      const std::int64_t at = reverse ? axis.length - 1 - k : k;
      visit(
          k, at,
          static_cast<std::size_t>((line / axis.inner * axis.length + at) * axis.inner + line % axis.inner));
    }
}

/// Few values, so that many are equal; of floats one in 50 is special.
template <class T>
std::vector<T> values_with_ties(std::int64_t n, bool with_nan) {
  std::vector<T> values(static_cast<std::size_t>(n));
  for (T& value : values) {
    const std::int64_t small = below(90);
    if constexpr (test::kIsFloat<T>) {
      const float infinity = std::numeric_limits<float>::infinity();
      const std::int64_t special = below(150);
      value = static_cast<T>(special == 0               ? infinity
                             : special == 1             ? -infinity
                             : special == 2 && with_nan ? std::numeric_limits<float>::quiet_NaN()
                                                        : static_cast<float>(small - 40));
    } else {
      value = static_cast<T>(small - (std::is_signed_v<T> ? 40 : 0));
    }
  }
  return values;
}

/// As PyTorch's and NumPy's loops go.
template <class T>
void check_arg_scan(Context& context, const Axis& axis, bool greatest, Ties ties, bool reverse,
                    bool with_nan) {
  const std::vector<T> values = values_with_ties<T>(elements_of(axis), with_nan);
  std::vector<CombinedIn<T>> expected(values.size());
  std::vector<std::int64_t> expected_at(values.size());
  CombinedIn<T> running{};
  std::int64_t place = -1;
  for_lines(axis, reverse, [&](std::int64_t k, std::int64_t at, std::size_t i) {
    const auto value = static_cast<CombinedIn<T>>(values[i]);
    const bool is_nan = value != value, was_nan = running != running;
    bool takes = k == 0;
    if (k > 0 && ties == Ties::last)
      takes = is_nan || (!was_nan && (greatest ? value >= running : value <= running));
    if (k > 0 && ties == Ties::first)
      takes = !was_nan && (is_nan || (greatest ? value > running : value < running));
    if (takes) running = value, place = at;
    expected[i] = running;
    expected_at[i] = place;
  });
  GuardedArray<T> in(context, values, below(9));
  GuardedArray<T> out(context, std::vector<T>(values.size()), below(9));
  GuardedArray<std::int64_t> indices(context, std::vector<std::int64_t>(values.size()), below(5));
  const ScanOptions<T> options{.reverse = reverse};
  const auto call = [&](std::span<const T> from, std::span<T> to) {
    greatest ? argmax_scan_axis(context, from, to, indices, axis, ties, options)
             : argmin_scan_axis(context, from, to, indices, axis, ties, options);
  };
  const auto expect = [&](const GuardedArray<T>& found, const std::string& what) {
    const std::vector<T> actual = found.contents(what);
    const std::vector<std::int64_t> actual_at = indices.contents(what);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto value = static_cast<CombinedIn<T>>(actual[i]);
      ASSERT_TRUE(value == expected[i] || (value != value && expected[i] != expected[i]))
          << what << ": element " << i;
      ASSERT_EQ(actual_at[i], expected_at[i]) << what << ": element " << i;
    }
  };
  const std::string what = std::string(typeid(T).name()) + (greatest ? " greatest" : " least") +
                           (ties == Ties::first ? ", first, " : ", last, ") + text(axis, reverse);
  call(in, out);
  expect(out, what);
  call(in, in);
  expect(in, what + ", in place");
}

TEST_P(ArgScan, OfEveryAxis) {
  int k = 0;
  for (const Axis& axis : axes()) {
    check_arg_scan<float>(*context, axis, k % 2, k / 2 % 2 ? Ties::first : Ties::last, k / 4 % 2, k / 8 % 2);
    check_arg_scan<double>(*context, axis, k / 2 % 2, k % 2 ? Ties::first : Ties::last, k / 3 % 2,
                           k % 3 == 0);
    ++k;
    if (HasFatalFailure()) return;
  }
}
TEST_P(ArgScan, OfEveryType) {
  for (const Axis& axis : {Axis{1, 20011, 1}, Axis{7, 331, 5}, Axis{3, 97, 67}, Axis{301, 12, 1}})
    for (const bool greatest : {true, false})
      for (const Ties ties : {Ties::last, Ties::first})
        for (const bool reverse : {true, false}) {
#define SCANLENS_CHECK(T) check_arg_scan<T>(*context, axis, greatest, ties, reverse, reverse != greatest);
          SCANLENS_ARG_SCANNED_TYPES(SCANLENS_CHECK)
#undef SCANLENS_CHECK
          if (HasFatalFailure()) return;
        }
}
TEST_P(ArgScan, ManyTiles) {
  for (const Axis& axis : long_axes()) {
    check_arg_scan<float>(*context, axis, true, Ties::last, false, false);
    check_arg_scan<std::int64_t>(*context, axis, false, Ties::first, true, false);
    if (HasFatalFailure()) return;
  }
}
TEST_P(ArgScan, OfArraysOfOneLine) {
  GuardedArray<float> in(*context, std::vector<float>{1, 3, 3, 2}), out(*context, std::vector<float>(4));
  GuardedArray<std::int64_t> indices(*context, std::vector<std::int64_t>(4));
  argmax_scan(*context, in, out, indices);
  test::expect_same(indices.contents(), {0, 1, 2, 2}, "the last");
  argmax_scan(*context, in, out, indices, Ties::first);
  test::expect_same(indices.contents(), {0, 1, 1, 1}, "the first");
  argmin_scan(*context, in, out, indices);
  test::expect_same(out.contents(), {1, 1, 1, 1}, "the least");
}
TEST_P(ArgScan, RefusesWhatCannotBe) {
  GuardedArray<float> array(*context, std::vector<float>(100));
  GuardedArray<std::int64_t> places(*context, std::vector<std::int64_t>(100));
  const std::span<float> all = array;
  const std::span<std::int64_t> indices = places;
  const auto refused = [&](std::span<const float> in, std::span<float> out, std::span<std::int64_t> at,
                           const std::string& argument, const ScanOptions<float>& options = {}) {
    test::expect_usage_error([&] { argmax_scan(*context, in, out, at, Ties::last, options); }, "argmax_scan",
                             argument);
  };
  refused(all.first(40), all.last(39), indices.first(40), "values");
  refused(all.first(40), all.last(40), indices.first(39), "indices");
  refused(all.first(40), all.subspan(20, 40), indices.first(40), "values");
  refused({reinterpret_cast<const float*>(indices.data()), 40}, all.first(40), indices.first(40), "indices");
  refused(all.first(40), all.last(40), indices.first(40), "reverse", {.initial = 1.0f});
  EXPECT_NO_THROW(argmax_scan(*context, std::span<float>(), std::span<float>(), {}));
}

/// log(exp(a) + exp(b)), written anew.
template <class Wide>
Wide log_sum(Wide a, Wide b) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  const Wide high = std::max(a, b), low = std::min(a, b);
  return std::isinf(high) ? high : high + std::log1p(std::exp(low - high));
}

enum class Range { narrow, wide, with_infinity, with_all };

template <class T>
std::vector<T> log_values(std::int64_t n, Range range) {
  std::vector<T> values(static_cast<std::size_t>(n));
  const std::vector<float> uniform = test::random_values<float>(n);
  for (std::size_t i = 0; i < values.size(); ++i) {
    float value = uniform[i] * (range == Range::wide ? 200.0f : 3.0f);
    if (range >= Range::with_infinity && below(3) == 0) value = -std::numeric_limits<float>::infinity();
    if (range == Range::with_all && below(500) == 0) value = std::numeric_limits<float>::infinity();
    if (range == Range::with_all && below(1000) == 0) value = std::numeric_limits<float>::quiet_NaN();
    values[i] = static_cast<T>(value);
  }
  return values;
}

template <class T>
void check_log_scan(Context& context, const Axis& axis, bool inclusive, bool reverse, Range range,
                    bool with_initial) {
  using Value = CombinedIn<T>;
  const std::vector<T> values = log_values<T>(elements_of(axis), range);
  GuardedArray<T> in(context, values, below(9)), out(context, std::vector<T>(values.size()), below(9));
  ScanOptions<T> options{.reverse = reverse};
  if (with_initial) options.initial = static_cast<T>(1.5f);
  const auto call = [&](std::span<const T> from, std::span<T> to) {
    inclusive ? inclusive_scan_axis(context, from, to, axis, LogSumExp{}, options)
              : exclusive_scan_axis(context, from, to, axis, LogSumExp{}, options);
  };
  const auto expect = [&](const GuardedArray<T>& found, const std::string& what) {
    const std::vector<T> actual = found.contents(what);
    using Wide = std::conditional_t<std::is_same_v<Value, float>, double, long double>;
    Wide running = 0, greatest = 0;
    for_lines(axis, reverse, [&](std::int64_t k, std::int64_t, std::size_t i) {
      if (testing::Test::HasFatalFailure()) return;
      if (k == 0) {
        running = with_initial ? Wide{1.5} : -std::numeric_limits<Wide>::infinity();
        greatest = with_initial ? Wide{1.5} : 0;
      }
      const Wide before = running, value = static_cast<Value>(values[i]);
      running = log_sum(running, value);
      if (std::isfinite(value)) greatest = std::max(greatest, std::abs(value));
      const long double expected = inclusive ? running : before;
      const auto result = static_cast<long double>(static_cast<Value>(actual[i]));
      if (!std::isfinite(expected)) {
        ASSERT_TRUE(result == expected || (std::isnan(result) && std::isnan(expected)))
            << what << ": element " << i << " is " << static_cast<double>(result) << ", not "
            << static_cast<double>(expected);
        return;
      }
      const auto n = static_cast<long double>(k + 1);
      const long double bound =
          (64 + n / 64) * std::numeric_limits<Value>::epsilon() * (1 + std::log(n) + greatest);
      ASSERT_LE(std::abs(result - expected), bound + test::spacing<T>(std::abs(expected) + bound) / 2)
          << what << ": element " << i;
    });
  };
  const std::string what = std::string(typeid(T).name()) + (inclusive ? " inclusive, " : " exclusive, ") +
                           text(axis, reverse) + ", range " + std::to_string(static_cast<int>(range));
  call(in, out);
  expect(out, what);
  call(in, in);
  expect(in, what + ", in place");
}

TEST_P(LogScan, OfEveryAxis) {
  int k = 0;
  for (const Axis& axis : axes()) {
    const auto range = static_cast<Range>(k % 4);
    check_log_scan<float>(*context, axis, k % 2, k / 2 % 2, range, k % 3 == 0);
    check_log_scan<double>(*context, axis, k / 2 % 2, k % 2, range, k % 5 == 0);
    ++k;
    if (HasFatalFailure()) return;
  }
}
TEST_P(LogScan, OfHalves) {
  for (const Axis& axis : {Axis{1, 5003, 1}, Axis{7, 331, 5}, Axis{3, 97, 67}, Axis{301, 12, 1}})
    for (const bool inclusive : {true, false}) {
      check_log_scan<Half>(*context, axis, inclusive, !inclusive, Range::narrow, false);
      check_log_scan<BFloat16>(*context, axis, inclusive, inclusive, Range::with_infinity, true);
      if (HasFatalFailure()) return;
    }
}
TEST_P(LogScan, ManyTiles) {
  for (const Axis& axis : long_axes()) {
    check_log_scan<float>(*context, axis, true, false, Range::narrow, false);
    if (axis.inner > 1) check_log_scan<double>(*context, axis, false, true, Range::wide, true);
    if (HasFatalFailure()) return;
  }
}
TEST_P(LogScan, OfArraysWithLength) {
  const std::vector<float> values = log_values<float>(3001, Range::narrow);
  GuardedArray<float> in(*context, values), out(*context, std::vector<float>(values.size(), 7.0f));
  GuardedArray<std::uint64_t> length(*context, std::vector<std::uint64_t>{1234});
  inclusive_scan(*context, in, out, LogSumExp{}, {.length = length.data()});
  const std::vector<float> found = out.contents();
  double running = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < 1234; ++i) running = log_sum<double>(running, values[i]);
  EXPECT_NEAR(found[1233], running, 1e-4);
  EXPECT_EQ(found[1234], 7.0f);
}

/// Coefficients near 1 in size, so that much of what lies far behind counts.
template <class T>
std::vector<T> factors(std::int64_t n) {
  std::vector<T> values(static_cast<std::size_t>(n));
  const std::vector<float> uniform = test::random_values<float>(n);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<T>(below(40) == 0  ? 0.0f
                               : below(3) == 0 ? uniform[i]
                                               : 1 - 0.01f * std::abs(uniform[i]));
  return values;
}

enum class Given { nowhere, in_the_call, on_the_device };

template <class T>
void check_recurrence(Context& context, const Axis& axis, bool reverse, Given given) {
  using Value = CombinedIn<T>;
  const std::int64_t n = elements_of(axis);
  const std::vector<T> a_values = factors<T>(n), b_values = test::scan_input<T>(n, Sum{});
  const std::int64_t shift = below(9);
  GuardedArray<T> a(context, a_values, shift), b(context, b_values, below(2) ? shift : below(9)),
      h(context, std::vector<T>(a_values.size()), below(9));
  GuardedArray<T> initial(context, std::vector<T>{static_cast<T>(-2.5f)}, below(4));
  ScanOptions<T> options{.reverse = reverse};
  if (given == Given::in_the_call) options.initial = static_cast<T>(-2.5f);
  if (given == Given::on_the_device) options.initial_at = initial.data();
  const auto expect = [&](const GuardedArray<T>& found, const std::string& what) {
    const std::vector<T> actual = found.contents(what);
    long double running = 0, size = 0;
    for_lines(axis, reverse, [&](std::int64_t k, std::int64_t, std::size_t i) {
      if (testing::Test::HasFatalFailure()) return;
      if (k == 0) {
        running = given == Given::nowhere ? 0 : -2.5L;
        size = std::abs(running);
      }
      const long double factor = static_cast<Value>(a_values[i]), term = static_cast<Value>(b_values[i]);
      running = factor * running + term;
      size = std::abs(factor) * size + std::abs(term);
      const long double bound =
          (2 * static_cast<long double>(k) + 64) * std::numeric_limits<Value>::epsilon() * size;
      ASSERT_LE(std::abs(static_cast<long double>(static_cast<Value>(actual[i])) - running),
                bound + test::spacing<T>(std::abs(running) + bound) / 2)
          << what << ": element " << i;
    });
  };
  const std::string what = std::string(typeid(T).name()) + ", " + text(axis, reverse);
  linear_recurrence_axis(context, a, b, h, axis, options);
  expect(h, what);
  linear_recurrence_axis(context, a, b, b, axis, options);
  expect(b, what + ", onto b");
  b.set(b_values);
  linear_recurrence_axis(context, a, b, a, axis, options);
  expect(a, what + ", onto a");
}

TEST_P(Recurrence, OfEveryAxis) {
  int k = 0;
  for (const Axis& axis : axes()) {
    check_recurrence<float>(*context, axis, k % 2, static_cast<Given>(k % 3));
    check_recurrence<double>(*context, axis, k / 2 % 2, static_cast<Given>(k / 2 % 3));
    ++k;
    if (HasFatalFailure()) return;
  }
}
TEST_P(Recurrence, OfHalves) {
  for (const Axis& axis : {Axis{1, 5003, 1}, Axis{7, 331, 5}, Axis{3, 97, 67}, Axis{301, 12, 1}}) {
    check_recurrence<Half>(*context, axis, axis.outer == 7, Given::in_the_call);
    check_recurrence<BFloat16>(*context, axis, axis.outer == 3, Given::nowhere);
    if (HasFatalFailure()) return;
  }
}
TEST_P(Recurrence, ManyTiles) {
  for (const Axis& axis : long_axes()) {
    check_recurrence<float>(*context, axis, axis.outer == 2, Given::in_the_call);
    if (axis.inner > 1) check_recurrence<double>(*context, axis, axis.inner == 7, Given::nowhere);
    if (HasFatalFailure()) return;
  }
}
TEST_P(Recurrence, HasTheSameBitsOnEveryRun) {
  constexpr std::int64_t n = 1200007;
  GuardedArray<float> a(*context, factors<float>(n)), b(*context, test::random_values<float>(n)),
      h(*context, std::vector<float>(n));
  linear_recurrence(*context, a, b, h);
  const std::vector<float> first = h.contents();
  Graph graph(*context, [&] { linear_recurrence(*context, a, b, h); });
  graph.replay(2);
  test::expect_same(h.contents(), first, "the second run");
}
TEST_P(Recurrence, RefusesWhatCannotBe) {
  GuardedArray<float> array(*context, std::vector<float>(200));
  const std::span<float> all = array;
  const auto refused = [&](std::span<const float> a, std::span<const float> b, std::span<float> h,
                           const std::string& argument, const ScanOptions<float>& options = {}) {
    test::expect_usage_error([&] { linear_recurrence(*context, a, b, h, options); }, "linear_recurrence",
                             argument);
  };
  refused(all.first(40), all.subspan(50, 40), all.last(39), "h");
  refused(all.first(40), all.subspan(50, 39), all.last(40), "b");
  refused(all.first(40), all.subspan(50, 40), all.subspan(60, 40), "h");
  const std::uint64_t length = 1;
  refused(all.first(40), all.subspan(50, 40), all.last(40), "length", {.length = &length});
  test::expect_usage_error(
      [&] {
        linear_recurrence_axis(*context, all.first(40), all.subspan(50, 40), all.last(40), Axis{3, 3, 3});
      },
      "linear_recurrence", "a");
  const std::span<float> none;
  EXPECT_NO_THROW(linear_recurrence(*context, none, none, none));
}

SCANLENS_ON_EVERY_DEVICE(ArgScan);
SCANLENS_ON_EVERY_DEVICE(LogScan);
SCANLENS_ON_EVERY_DEVICE(Recurrence);

}  // namespace
}  // namespace scanlens
