// Scans against sequential loops: every type, operator and kind, on every device.
#include "core/scan.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <cmath>
#include <stdexcept>

#include "core/cpu/interruption.h"
#include "core/graph.h"
#include "core/scan_axis.h"
#include "tests/unit/support/arrays.h"
#include "tests/unit/support/instruction_sets.h"
#include "tests/unit/support/scan_reference.h"

namespace scanlens {
namespace {

class Scan : public test::OnDevice {};

template <class In, class Out, class Op>
void scan(Context& context, bool inclusive, std::span<const In> in, std::span<Out> out, Op op) {
  if (inclusive)
    inclusive_scan(context, in, out, op);
  else
    exclusive_scan(context, in, out, op);
}

template <class Out, class In, class Op>
std::vector<Out> reference(bool inclusive, const std::vector<In>& in, Op op) {
  std::vector<Out> out(in.size());
  Out running = test::identity<Out>(op);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Out before = running;
    running = test::combined<Out>(op, running, static_cast<Out>(in[i]));
    out[i] = inclusive ? running : before;
  }
  return out;
}

/// Sums of floats, within the bound that core/scan.h states, of sums with far more digits.
template <class T>
void expect_within_bound(const std::vector<T>& actual, bool inclusive, const std::vector<T>& in,
                         const std::string& what) {
  using Exact = std::conditional_t<std::is_same_v<T, float>, double, long double>;
  ASSERT_EQ(actual.size(), in.size()) << what;
  const double roundings = 24 + std::log2(static_cast<double>(std::max<std::size_t>(in.size(), 1)));
  Exact sum = 0, magnitude = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Exact before = sum, magnitude_before = magnitude;
    sum += in[i];
    magnitude += std::abs(in[i]);
    const Exact error = std::abs(static_cast<Exact>(actual[i]) - (inclusive ? sum : before));
    const Exact bound = static_cast<Exact>(roundings) * std::numeric_limits<T>::epsilon() *
                        (inclusive ? magnitude : magnitude_before);
    ASSERT_LE(error, bound) << what << ": element " << i << " of " << in.size();
  }
}

/// Input on which the reference is exact whatever the order, or nearly all of it lies within the bound.
template <class In, class Op>
std::vector<In> input(std::int64_t n, Op) {
  std::vector<In> values = test::random_values<In>(n);
  if constexpr (std::is_same_v<Op, Product> && std::is_floating_point_v<In>) {
    // Powers of two, and signs, so that every product of neighbours is one too and stays in range.
    int exponent = 0;
    for (In& value : values) {
      const auto next = static_cast<int>(test::generator()() % 17);
      value = std::ldexp(value < 0 ? In{-1} : In{1}, next - exponent);
      exponent = next;
    }
  } else if constexpr (std::is_same_v<Op, Product>) {
    for (In& value : values) value |= 1;  // or all would be 0 before long
  }
  return values;
}

template <class In, class Out, class Op>
void check(Context& context, std::int64_t n, bool inclusive, Op op, std::int64_t in_shift = 0,
           std::int64_t out_shift = 0) {
  const std::vector<In> values = input<In>(n, op);
  const std::string what = std::string(inclusive ? "inclusive" : "exclusive") + ", n = " + std::to_string(n) +
                           ", shifted by " + std::to_string(in_shift) + " and " + std::to_string(out_shift);
  const auto expect_right = [&](const std::vector<Out>& actual, const std::string& how) {
    if constexpr (std::is_same_v<Op, Sum> && std::is_floating_point_v<Out>)
      expect_within_bound<Out>(actual, inclusive, values, what + how);
    else
      test::expect_same(actual, reference<Out>(inclusive, values, op), what + how);
  };

  test::GuardedArray<In> in(context, values, in_shift);
  test::GuardedArray<Out> out(context, std::vector<Out>(values.size(), Out{77}), out_shift);
  scan<In, Out>(context, inclusive, in, out, op);
  expect_right(out.contents(), "");
  test::expect_same(in.contents(), values, what + ", the input afterwards");

  if constexpr (std::is_same_v<In, Out>) {
    scan<In, Out>(context, inclusive, in, in, op);
    const std::vector<Out> in_place = in.contents();
    expect_right(in_place, ", in place");
  }
}

template <class In, class Out, class Op>
void check_all_lengths(Context& context, Op op) {
  SCOPED_TRACE(testing::Message() << typeid(In).name() << " into " << typeid(Out).name() << ", "
                                  << typeid(Op).name());
  for (const std::int64_t n : test::lengths())
    for (const bool inclusive : {true, false}) {
      check<In, Out>(context, n, inclusive, op);
      if (testing::Test::HasFatalFailure()) return;
    }
  for (int i = 0; i < 12; ++i) {
    const auto shift = [] { return static_cast<std::int64_t>(test::generator()() % 17); };
    check<In, Out>(context, test::random_length(18), i % 2 == 0, op, shift(), shift());
    if (testing::Test::HasFatalFailure()) return;
  }
}

template <class T>
void check_sums_and_extremes(Context& context) {
  check_all_lengths<T, T>(context, Sum{});
  check_all_lengths<T, T>(context, Min{});
  check_all_lengths<T, T>(context, Max{});
}

TEST_P(Scan, OfInt32) {
  check_sums_and_extremes<std::int32_t>(*context);
  check_all_lengths<std::int32_t, std::int32_t>(*context, Product{});
}
TEST_P(Scan, OfUint32) {
  check_sums_and_extremes<std::uint32_t>(*context);
  check_all_lengths<std::uint32_t, std::uint32_t>(*context, Product{});
}
TEST_P(Scan, OfUint64) {
  check_all_lengths<std::uint64_t, std::uint64_t>(*context, Sum{});
}
TEST_P(Scan, OfFloat) {
  check_sums_and_extremes<float>(*context);
  check_all_lengths<float, float>(*context, Product{});
}
TEST_P(Scan, OfDouble) {
  check_sums_and_extremes<double>(*context);
}
TEST_P(Scan, OfBytesIntoWords) {
  check_all_lengths<std::uint8_t, std::uint32_t>(*context, Sum{});
}
TEST_P(Scan, OfHalfWordsIntoWords) {
  check_all_lengths<std::uint16_t, std::uint32_t>(*context, Sum{});
}

TEST_P(Scan, HoldsForManyTiles) {
  for (const std::int64_t n : {std::int64_t{2162687}, std::int64_t{2162689}, std::int64_t{6000011}}) {
    check<std::uint32_t, std::uint32_t>(*context, n, true, Sum{}, 1, 3);
    check<std::uint32_t, std::uint32_t>(*context, n, false, Sum{});
    check<float, float>(*context, n, true, Sum{});
    check<std::uint8_t, std::uint32_t>(*context, n, false, Sum{}, 5, 0);
    check<std::uint64_t, std::uint64_t>(*context, n, true, Sum{});
    if (HasFatalFailure()) return;
  }
}

/// Arrays larger than the cache are written past it, in a way of its own.
TEST_P(Scan, HoldsForResultsBeyondTheCache) {
  check<std::uint32_t, std::uint32_t>(*context, (std::int64_t{4} << 20) + 8191, true, Sum{}, 0, 5);
  check<double, double>(*context, (std::int64_t{2} << 20) + 33, false, Sum{}, 0, 1);
}

TEST_P(Scan, AnyAlignmentOfEitherSide) {
  for (std::int64_t in_shift = 0; in_shift < 18; ++in_shift)
    for (std::int64_t out_shift = 0; out_shift < 18; ++out_shift) {
      check<std::uint32_t, std::uint32_t>(*context, 5003, true, Sum{}, in_shift, out_shift);
      check<std::uint8_t, std::uint32_t>(*context, 5003, false, Sum{}, in_shift, out_shift);
      check<std::uint64_t, std::uint64_t>(*context, 30, false, Sum{}, in_shift, out_shift);
      if (HasFatalFailure()) return;
    }
}

/// The hardest input for a running sum in single precision: what comes late is lost on what came first.
TEST_P(Scan, FloatSumsKeepWhatComesLate) {
  for (const std::int64_t n : {1000, 100000, 3000000}) {
    std::vector<float> values(static_cast<std::size_t>(n), 1.0f / 3);
    values[0] = 1 << 20;
    test::GuardedArray<float> array(*context, values);
    inclusive_scan(*context, array, array);
    expect_within_bound<float>(array.contents(), true, values, "one large, many small");

    std::vector<double> fine(static_cast<std::size_t>(n), 0x5p-13);  // exact in the 64 bits of the reference
    fine[0] = 0x1p50;
    test::GuardedArray<double> doubles(*context, fine);
    inclusive_scan(*context, doubles, doubles);
    expect_within_bound<double>(doubles.contents(), true, fine, "one large, many small, double");
    if (HasFatalFailure()) return;
  }
}

TEST_P(Scan, FloatSumsAreTheSameBitsEveryTime) {
  for (const std::int64_t n : {1000, 70001, 2500003, 9000001}) {
    test::GuardedArray<float> in(*context, test::random_values<float>(n));
    test::GuardedArray<float> out(*context, std::vector<float>(static_cast<std::size_t>(n)));
    inclusive_scan(*context, in, out);
    const std::vector<float> first = out.contents();
    for (int run = 0; run < 5; ++run) {
      inclusive_scan(*context, in, out);
      const std::vector<float> again = out.contents();
      ASSERT_EQ(std::memcmp(first.data(), again.data(), first.size() * sizeof(float)), 0)
          << n << ", run " << run;
    }
  }
}

TEST_P(Scan, InfinitySpreadsFromWhereItIs) {
  for (const std::size_t n : {std::size_t{40000}, std::size_t{3000000}}) {  // and over many tiles
    std::vector<double> values(n, 1);
    values[35000] = std::numeric_limits<double>::infinity();
    test::GuardedArray<double> array(*context, values);
    inclusive_scan(*context, array, array);
    const std::vector<double> sums = array.contents();
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(sums[i], i < 35000 ? static_cast<double>(i + 1) : values[35000]) << i << " of " << n;
  }
}

/// Lengths around those of vectors, tiles and pieces; arrays of one column, and of three.
template <class T, class Op>
void check_nan_spreads(Context& context) {
  for (const std::int64_t n : {1, 3, 17, 100, 4099, 300001})
    for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
      std::vector<T> in(static_cast<std::size_t>(n));
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(test::generator()() % 1000);
      in[static_cast<std::size_t>(at)] = std::numeric_limits<T>::quiet_NaN();
      test::GuardedArray<T> array(context, in, 1, 0);
      for (const std::int64_t columns : {1, 3}) {
        const Axis axis{1, n / columns, columns};
        if (axis.length * columns != n) continue;
        test::GuardedArray<T> out(context, std::vector<T>(in.size()), 0, 0);
        inclusive_scan_axis(context, array.in(), out.span(), axis, Op());
        std::vector<bool> spoilt(static_cast<std::size_t>(columns), false);
        const std::vector<T> found = out.contents();
        for (std::int64_t i = 0; i < n; ++i) {
          if (i == at) spoilt[static_cast<std::size_t>(i % columns)] = true;
          ASSERT_EQ(std::isnan(found[static_cast<std::size_t>(i)]),
                    spoilt[static_cast<std::size_t>(i % columns)])
              << i << " of " << n << ", NaN at " << at;
        }
      }
    }
}
TEST_P(Scan, NaNSpreadsFromWhereItIs) {
  check_nan_spreads<float, Min>(*context);
  check_nan_spreads<float, Max>(*context);
  check_nan_spreads<double, Min>(*context);
  check_nan_spreads<double, Max>(*context);
}

/// A call that is ended leaves the context as it was.
TEST(Interrupted, ScanEnds) {
  Context context = Context::open("cpu");
  std::vector<double> in(1 << 22, 1), out(in.size());
  const auto scan_for_long = [&] {
    const Interruption interruption([] { throw std::runtime_error("enough"); });
    for (int i = 0; i < 10000; ++i) inclusive_scan(context, in, out);
  };
  EXPECT_THROW(scan_for_long(), std::runtime_error);
  inclusive_scan(context, in, out);
  EXPECT_EQ(out.back(), static_cast<double>(in.size()));
}

TEST_P(Scan, ReplaysOnNewInput) {
  constexpr std::int64_t n = 150001;
  test::GuardedArray<std::uint32_t> in(*context, test::random_values<std::uint32_t>(n));
  test::GuardedArray<std::uint32_t> out(*context, std::vector<std::uint32_t>(n));
  test::GuardedArray<std::uint32_t> twice(*context, std::vector<std::uint32_t>(n));
  Graph graph(*context, [&] {
    inclusive_scan(*context, in, out);
    exclusive_scan(*context, out, twice, Max{});
  });
  for (int run = 0; run < 4; ++run) {
    const std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(n);
    in.set(values);
    graph.replay(run + 1);
    const std::vector<std::uint32_t> sums = reference<std::uint32_t>(true, values, Sum{});
    test::expect_same(out.contents(), sums, "replay " + std::to_string(run));
    test::expect_same(twice.contents(), reference<std::uint32_t>(false, sums, Max{}), "and the maxima");
  }
}

TEST_P(Scan, RefusesWrongArrays) {
  test::GuardedArray<std::uint32_t> array(*context, std::vector<std::uint32_t>(100));
  test::GuardedArray<std::uint8_t> bytes(*context, std::vector<std::uint8_t>(400));
  const std::span<std::uint32_t> all = array;
  const std::span<const std::uint32_t> nowhere(static_cast<const std::uint32_t*>(nullptr), 50);
  for (const bool inclusive : {true, false}) {
    const std::string name = inclusive ? "inclusive_scan" : "exclusive_scan";
    const auto refused = [&](std::span<const std::uint32_t> in, std::span<std::uint32_t> out,
                             const std::string& argument) {
      test::expect_usage_error([&] { scan(*context, inclusive, in, out, Sum{}); }, name, argument);
    };
    refused(all.first(50), all.last(49), "out");
    refused(nowhere, all.first(50), "in");
    refused(all.first(50), std::span<std::uint32_t>(static_cast<std::uint32_t*>(nullptr), 50), "out");
    refused(all.first(50), all.subspan(1, 50), "out");
    refused(all.subspan(49, 50), all.first(50), "in");
    // The first byte is the same, but an element is not.
    const std::span<const std::uint8_t> narrow(reinterpret_cast<const std::uint8_t*>(all.data()), 100);
    test::expect_usage_error(
        [&] { scan<std::uint8_t, std::uint32_t>(*context, inclusive, narrow, all, Sum{}); }, name, "out");
    EXPECT_NO_THROW(scan<std::uint32_t>(*context, inclusive, {}, std::span<std::uint32_t>(), Sum{}));
  }
  context->synchronize();
  test::expect_same(array.contents(), std::vector<std::uint32_t>(100), "after refused calls");
}

TEST_P(Scan, HoldsBeyond2To32Elements) {
  SCANLENS_NEEDS_A_LARGE_MACHINE();
  const std::int64_t n = (std::int64_t{1} << 32) + 4099;
  const auto value = [](std::int64_t i) {
    return static_cast<std::uint8_t>(static_cast<std::uint64_t>(i) * 2654435761 >> 13);
  };
  Image<std::uint8_t> in(n, 1);
  for (std::int64_t i = 0; i < n; ++i) in.view().data[i] = value(i);
  in = upload(*context, std::move(in));
  Image<std::uint32_t> out(*context, n, 1);
  exclusive_scan(*context, std::span(in.view().data, static_cast<std::size_t>(n)),
                 std::span(out.view().data, static_cast<std::size_t>(n)));
  out = download(*context, std::move(out));
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < n; sum += value(i++)) ASSERT_EQ(out.view().data[i], sum) << i;
}

SCANLENS_ON_EVERY_DEVICE(Scan);

TEST(ScanOnTheCpu, HoldsForEveryInstructionSet) {
  Context context = Context::open("cpu");
  test::for_every_instruction_set([&] {
    check_all_lengths<std::uint32_t, std::uint32_t>(context, Sum{});
    check_all_lengths<std::uint8_t, std::uint32_t>(context, Sum{});
    check_all_lengths<std::uint16_t, std::uint32_t>(context, Sum{});
    check_all_lengths<float, float>(context, Sum{});
    check_all_lengths<double, double>(context, Sum{});
    check_all_lengths<std::int32_t, std::int32_t>(context, Min{});
    check_all_lengths<std::uint64_t, std::uint64_t>(context, Sum{});
    check_all_lengths<double, double>(context, Max{});
  });
}

TEST(ScanOnTheCpu, FloatSumsAreTheSameBitsOnAnyNumberOfThreads) {
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 16);
  Context context = Context::open("cpu");
  const std::vector<float> values = test::random_values<float>(1000003);
  std::vector<float> sums(values.size());
  const auto sums_on = [&](int threads) {
    tbb::task_arena(threads).execute([&] { inclusive_scan(context, values, sums); });
    return sums;
  };
  const std::vector<float> alone = sums_on(1);
  for (const int threads : {2, 3, 16}) {
    const std::vector<float> together = sums_on(threads);
    EXPECT_EQ(std::memcmp(together.data(), alone.data(), alone.size() * sizeof(float)), 0)
        << threads << " threads";
  }
}

}  // namespace
}  // namespace scanlens
