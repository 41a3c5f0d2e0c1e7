// Scans with options, of every type, along every axis, against sequential loops.
#include "core/graph.h"
#include "core/scan.h"
#include "tests/unit/support/scan_reference.h"

namespace scanlens {
namespace {

using test::GuardedArray;
using test::ScanCase;

class ScanOptionsOf : public test::OnDevice {};
class AxisScan : public test::OnDevice {};

std::int64_t below(std::int64_t limit) {
  return static_cast<std::int64_t>(test::generator()() % static_cast<std::uint64_t>(limit));
}

/// The way in which the initial value is given.
enum class Given { nowhere, in_the_call, on_the_device };

template <class Out>
Out some_initial() {
  if constexpr (test::kIsFloat<Out>)
    return static_cast<Out>(-2.5f);
  else
    return static_cast<Out>(37);
}

/// Calls what the case says, out of place and in place, with both arrays anywhere.
template <class In, class Out, class Op>
void check(Context& context, ScanCase<Out> scan, Op op, Given given, bool by_axis, std::int64_t in_shift,
           std::int64_t out_shift) {
  const std::int64_t n = scan.axis.outer * scan.axis.length * scan.axis.inner;
  const std::vector<In> values = test::scan_input<In>(n, op);
  GuardedArray<In> in(context, values, in_shift);
  GuardedArray<Out> out(context, test::scan_input<Out>(n, op), out_shift);
  const std::vector<Out> untouched = out.contents();
  GuardedArray<Out> initial(context, std::vector<Out>{some_initial<Out>()}, below(4));
  GuardedArray<std::uint64_t> length(context, std::vector<std::uint64_t>{scan.length.value_or(0)});
  ScanOptions<Out> options;
  options.reverse = scan.reverse;
  if (given != Given::nowhere) scan.initial = some_initial<Out>();
  if (given == Given::in_the_call) options.initial = scan.initial;
  if (given == Given::on_the_device) options.initial_at = initial.data();
  if (scan.length) options.length = length.data();
  const auto call = [&](std::span<const In> from, std::span<Out> to) {
    if constexpr (AxisScanInLibrary<In, Out, Op>)
      if (by_axis)
        return scan.inclusive ? inclusive_scan_axis(context, from, to, scan.axis, op, options)
                              : exclusive_scan_axis(context, from, to, scan.axis, op, options);
    scan.inclusive ? inclusive_scan(context, from, to, op, options)
                   : exclusive_scan(context, from, to, op, options);
  };
  const std::string how = std::string(typeid(In).name()) + " into " + typeid(Out).name() + ", " +
                          typeid(Op).name() + ", shifted by " + std::to_string(in_shift) + " and " +
                          std::to_string(out_shift);
  call(in, out);
  test::expect_scan(out.contents(how), values, untouched, scan, op, how);
  if constexpr (std::is_same_v<In, Out>) {
    call(in, in);
    test::expect_scan(in.contents(how), values, values, scan, op, how + ", in place");
  }
}

template <class Out>
ScanCase<Out> line(std::int64_t n, bool inclusive, bool reverse, std::optional<std::uint64_t> length = {}) {
  return {{1, n, 1}, inclusive, reverse, {}, length};
}

/// Every length of tests' list, with options in turn.
template <class In, class Out, class Op>
void check_lengths(Context& context, Op op) {
  int k = 0;
  for (const std::int64_t n : test::lengths()) {
    const auto given = static_cast<Given>(k % 3);
    check<In, Out>(context, line<Out>(n, k % 2 == 0, k / 2 % 2 == 0), op, given, false, below(17), below(17));
    const auto length = static_cast<std::uint64_t>(below(n + 9));  // perhaps more than there is
    check<In, Out>(context, line<Out>(n, k % 2 == 1, k / 3 % 2 == 0, length), op, given, false, below(17), 0);
    ++k;
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_P(ScanOptionsOf, EveryLength) {
  check_lengths<std::uint32_t, std::uint32_t>(*context, Sum{});
  check_lengths<std::uint8_t, std::uint32_t>(*context, Sum{});
  check_lengths<std::int64_t, std::int64_t>(*context, Max{});
  check_lengths<float, float>(*context, Sum{});
  check_lengths<double, double>(*context, Sum{});
  check_lengths<Half, Half>(*context, Sum{});
}

/// Every type and operator that the library holds, plainly and with all options.
TEST_P(ScanOptionsOf, EveryType) {
#define SCANLENS_CHECK(name, In, Out, Op)                                                               \
  for (const std::int64_t n : {1, 33, 5003, 70001})                                                     \
    for (const bool inclusive : {true, false}) {                                                        \
      check<In, Out>(*context, line<Out>(n, inclusive, false), Op{}, Given::nowhere, false, below(17),  \
                     below(17));                                                                        \
      check<In, Out>(*context, line<Out>(n, inclusive, true, static_cast<std::uint64_t>(below(n + 1))), \
                     Op{}, Given::on_the_device, false, below(17), below(17));                          \
      if (HasFatalFailure()) return;                                                                    \
    }
  SCANLENS_SCANS(SCANLENS_CHECK)
  SCANLENS_CHECK(, std::int32_t, std::int32_t, Sum)
  SCANLENS_CHECK(, std::int64_t, std::int64_t, Sum)
  SCANLENS_CHECK(, std::int64_t, std::int64_t, Product)
  SCANLENS_CHECK(, std::int8_t, std::int64_t, Sum)
  SCANLENS_CHECK(, std::int32_t, std::int64_t, Sum)
  SCANLENS_CHECK(, std::uint8_t, std::int64_t, Sum)
#undef SCANLENS_CHECK
}

TEST_P(ScanOptionsOf, ManyTiles) {
  for (const std::int64_t n : {std::int64_t{2162687}, std::int64_t{6000011}})
    for (const bool reverse : {true, false}) {
      check<std::uint32_t, std::uint32_t>(*context, line<std::uint32_t>(n, true, reverse), Sum{},
                                          Given::on_the_device, false, below(5), below(5));
      const auto most = static_cast<std::uint64_t>(n);
      for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{12289}, most - 5, most, most + 5})
        check<std::uint32_t, std::uint32_t>(*context, line<std::uint32_t>(n, false, reverse, length), Sum{},
                                            Given::in_the_call, false, below(5), below(5));
      check<std::uint64_t, std::uint64_t>(*context, line<std::uint64_t>(n, true, reverse, most - 9), Sum{},
                                          Given::in_the_call, false, 1, 0);
      check<float, float>(*context, line<float>(n, false, reverse), Sum{}, Given::in_the_call, false, 0, 3);
      check<BFloat16, BFloat16>(*context, line<BFloat16>(n, true, reverse, most / 2), Sum{}, Given::nowhere,
                                false, 3, 0);
      if (HasFatalFailure()) return;
    }
}

TEST_P(ScanOptionsOf, ReplaysWithOtherLengthAndInitialValue) {
  constexpr std::int64_t n = 150001;
  GuardedArray<std::uint32_t> in(*context, test::random_values<std::uint32_t>(n));
  GuardedArray<std::uint32_t> out(*context, std::vector<std::uint32_t>(n)),
      initial(*context, std::vector<std::uint32_t>{7});
  GuardedArray<std::uint64_t> length(*context, std::vector<std::uint64_t>{n});
  Graph graph(*context, [&] {
    inclusive_scan(*context, in, out, Sum{}, {.initial_at = initial.data(), .length = length.data()});
  });
  for (std::uint32_t run = 0; run < 4; ++run) {
    ScanCase<std::uint32_t> scan = line<std::uint32_t>(n, true, false, n - 40000 * run);
    scan.initial = 1000 + run;
    initial.set({*scan.initial});
    length.set({*scan.length});
    const std::vector<std::uint32_t> before = out.contents();
    graph.replay(static_cast<int>(run) + 1);
    test::expect_scan(out.contents(), in.contents(), before, scan, Sum{}, "replay");
  }
}

TEST_P(ScanOptionsOf, SegmentsBeginWithTheInitialValue) {
  for (const std::int64_t n : {1, 31, 33, 4099, 200003}) {
    const std::vector<std::uint32_t> words = test::random_values<std::uint32_t>(n);
    const std::vector<std::uint8_t> heads = test::random_flags(n, 0.02);
    GuardedArray<std::uint8_t> flags(*context, heads, 3);
    GuardedArray<std::uint32_t> in(*context, words, below(5)), out(*context, words, below(5));
    const auto count = static_cast<std::uint64_t>(below(n) + 1);
    GuardedArray<std::uint64_t> length(*context, std::vector<std::uint64_t>{count});
    for (const bool inclusive : {true, false}) {
      const ScanOptions<std::uint32_t> options{.initial = 5u, .length = length.data()};
      out.set(words);
      if (inclusive)
        inclusive_segmented_scan(*context, in, flags, out, Sum{}, options);
      else
        exclusive_segmented_scan(*context, in, flags, out, Sum{}, options);
      std::vector<std::uint32_t> expected = words;
      std::uint32_t running = 5;
      for (std::size_t i = 0; i < count; ++i) {
        if (heads[i]) running = 5;
        const std::uint32_t before = running;
        running += words[i];
        expected[i] = inclusive ? running : before;
      }
      test::expect_same(out.contents(), expected, "segments of " + std::to_string(n));
    }
  }
}

TEST_P(ScanOptionsOf, RefusesWhatCannotBe) {
  GuardedArray<std::uint32_t> array(*context, std::vector<std::uint32_t>(100)),
      other(*context, std::vector<std::uint32_t>{1});
  GuardedArray<std::uint8_t> heads(*context, std::vector<std::uint8_t>(100));
  GuardedArray<std::uint64_t> length(*context, std::vector<std::uint64_t>{50});
  const std::span<std::uint32_t> all = array;
  const auto refused = [&](const ScanOptions<std::uint32_t>& options, const std::string& argument) {
    test::expect_usage_error([&] { inclusive_scan(*context, all, all, {}, options); }, "inclusive_scan",
                             argument);
  };
  refused({.initial = 1u, .initial_at = other.data()}, "initial_at");
  refused({.initial_at = all.data() + 50}, "initial_at");
  refused({.length = reinterpret_cast<const std::uint64_t*>(all.data() + 10)}, "length");
  test::expect_usage_error(
      [&] { inclusive_segmented_scan(*context, all, heads, all, {}, {.reverse = true}); },
      "inclusive_segmented_scan", "reverse");
  test::expect_usage_error(
      [&] {
        inclusive_scan_axis(*context, all, all, {1, 100, 1}, {}, {.length = length.data()});
      },
      "inclusive_scan_axis", "length");
  test::expect_usage_error(
      [&] {
        exclusive_scan_axis(*context, all, all, {3, 33, 1});
      },
      "exclusive_scan_axis", "in");
  const View<std::uint32_t> view(all.data(), 10, 10);
  test::expect_usage_error(
      [&] { inclusive_scan_rows<std::uint32_t>(*context, view, view, {}, {.length = length.data()}); },
      "inclusive_scan_rows", "length");
}

template <class In, class Out, class Op>
void check_axis(Context& context, const Axis& axis, Op op, int k) {
  const ScanCase<Out> scan{axis, k % 2 == 0, k / 2 % 2 == 1, {}, {}};
  check<In, Out>(context, scan, op, static_cast<Given>(k % 3), true, below(17), below(17));
}

TEST_P(AxisScan, OfEveryShape) {
  int k = 0;
  for (const std::int64_t inner : {1, 2, 3, 4, 5, 7, 8, 11, 15, 16, 17, 31, 32, 33, 40, 63, 65, 100, 300})
    for (const std::int64_t length : {1, 2, 3, 16, 31, 32, 33, 100, 511, 513, 4099})
      for (const std::int64_t outer : {1, 2, 3, 33, 700}) {
        if (inner * length * outer > 300000) continue;
        check_axis<std::uint32_t, std::uint32_t>(*context, {outer, length, inner}, Sum{}, ++k);
        if (k % 3 == 0) check_axis<std::uint64_t, std::uint64_t>(*context, {outer, length, inner}, Max{}, k);
        if (k % 3 == 1) check_axis<float, float>(*context, {outer, length, inner}, Sum{}, k);
        if (k % 3 == 2) check_axis<std::int8_t, std::int64_t>(*context, {outer, length, inner}, Sum{}, k);
        if (HasFatalFailure()) return;
      }
}

TEST_P(AxisScan, OfManyTiles) {
  int k = 0;
  for (const std::int64_t inner : {1, 2, 3, 8, 31, 32, 33}) {
    check_axis<std::uint32_t, std::uint32_t>(*context, {1, 3000017 / inner, inner}, Sum{}, ++k);
    check_axis<double, double>(*context, {2, 500009 / inner, inner}, Sum{}, ++k);
    check_axis<Half, Half>(*context, {3, 400009 / inner, inner}, Sum{}, ++k);
    check_axis<std::uint8_t, std::uint64_t>(*context, {2, 1000003 / inner, inner}, Sum{}, ++k);
    if (HasFatalFailure()) return;
  }
}

TEST_P(AxisScan, OfEveryType) {
  int k = 0;
#define SCANLENS_CHECK(name, In, Out, Op)           \
  for (const Axis& axis : {Axis{1, 5003, 1},        \
                           {7, 1000, 1},            \
                           {40, 20011, 1},          \
                           {1, 30011, 2},           \
                           {5, 700, 3},             \
                           {300, 17, 6},            \
                           {2, 501, 40}}) {         \
    check_axis<In, Out>(*context, axis, Op{}, ++k); \
    if (HasFatalFailure()) return;                  \
  }
  SCANLENS_AXIS_SCANS(SCANLENS_CHECK)
  SCANLENS_CHECK(, std::int64_t, std::int64_t, Sum)
  SCANLENS_CHECK(, std::int16_t, std::int64_t, Sum)
#undef SCANLENS_CHECK
}

TEST_P(AxisScan, OfRandomShapesIsRight) {
  for (int k = 0; k < 60; ++k) {
    const Axis axis{1 + test::random_length(8), test::random_length(14), 1 + test::random_length(6)};
    if (axis.outer * axis.length * axis.inner > 500000) continue;
    check_axis<std::uint32_t, std::uint32_t>(*context, axis, Sum{}, k);
    check_axis<float, float>(*context, axis, Max{}, k);
    check_axis<BFloat16, BFloat16>(*context, axis, Sum{}, k);
    if (HasFatalFailure()) return;
  }
}

/// Floats give the same bits every time.
TEST_P(AxisScan, GivesTheSameBitsEveryTime) {
  for (const Axis& axis : {Axis{1, 300007, 3}, {3, 70001, 16}, {1, 40009, 40}}) {
    const std::int64_t n = axis.outer * axis.length * axis.inner;
    GuardedArray<float> in(*context, test::random_values<float>(n));
    GuardedArray<float> out(*context, std::vector<float>(static_cast<std::size_t>(n)));
    std::vector<float> first;
    for (int run = 0; run < 4; ++run) {
      inclusive_scan_axis(*context, in, out, axis);
      const std::vector<float> sums = out.contents();
      if (run == 0) first = sums;
      ASSERT_EQ(std::memcmp(first.data(), sums.data(), sums.size() * sizeof(float)), 0) << "run " << run;
    }
  }
}

/// Rows and columns with a pitch, every kind of scan.
TEST_P(AxisScan, RowsAndColumnsTakeOptions) {
  for (const auto& [width, height] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                      {33, 7},
                                      {500, 300},
                                      {3, 9001},
                                      {9001, 3},
                                      {20011, 4},
                                      {4097, 33}})
    for (int k = 0; k < 8; ++k) {
      const ScanOptions<std::uint32_t> options{.initial = 11u * (k % 2), .reverse = k / 2 % 2 == 1};
      const bool inclusive = k / 4 == 0;
      Image<std::uint32_t> values = test::random_image<std::uint32_t>(width, height);
      GuardedArray<std::uint32_t> in(*context, values.view()), out(*context, values.view());
      for (const bool rows : {true, false}) {
        if (rows && inclusive)
          inclusive_scan_rows<std::uint32_t>(*context, in.view(), out.view(), {}, options);
        if (rows && !inclusive)
          exclusive_scan_rows<std::uint32_t>(*context, in.view(), out.view(), {}, options);
        if (!rows && inclusive)
          inclusive_scan_columns<std::uint32_t>(*context, in.view(), out.view(), 1, {}, options);
        if (!rows && !inclusive)
          exclusive_scan_columns<std::uint32_t>(*context, in.view(), out.view(), 1, {}, options);
        const auto dense = [](const Image<std::uint32_t>& image) {
          return std::vector<std::uint32_t>(image.view().data, image.view().data + image.view().extent());
        };
        const ScanCase<std::uint32_t> scan{rows ? Axis{height, width, 1} : Axis{1, height, width},
                                           inclusive,
                                           options.reverse,
                                           options.initial,
                                           {}};
        test::expect_scan(dense(out.image()), dense(values), {}, scan, Sum{}, rows ? "rows" : "columns");
        if (HasFatalFailure()) return;
      }
    }
}

SCANLENS_ON_EVERY_DEVICE(ScanOptionsOf);
SCANLENS_ON_EVERY_DEVICE(AxisScan);

TEST(HalfOf, EveryValueComesBack) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    Half half;
    BFloat16 brain;
    half.bits = brain.bits = static_cast<std::uint16_t>(bits);
    const auto of_half = static_cast<float>(half), of_brain = static_cast<float>(brain);
    if (std::isnan(of_half)) {
      ASSERT_TRUE(std::isnan(static_cast<float>(Half(of_half)))) << bits;
    } else {
      ASSERT_EQ(Half(of_half).bits, bits);
    }
    if (std::isnan(of_brain)) {
      ASSERT_TRUE(std::isnan(static_cast<float>(BFloat16(of_brain)))) << bits;
    } else {
      ASSERT_EQ(BFloat16(of_brain).bits, bits);
    }
  }
}

TEST(HalfOf, FloatsIsTheNearest) {
  const auto expect_nearest = [](float value) {
    const float half = static_cast<float>(Half(value));
    // The neighbours of a result are no nearer, and on a tie the result is the even one.
    for (const int step : {-1, 1}) {
      Half other;
      other.bits = static_cast<std::uint16_t>(Half(value).bits + step);
      const auto beside = static_cast<float>(other);
      if (std::isnan(beside) || std::isinf(beside) || std::isinf(half) || (half == 0 && beside * half != 0))
        continue;
      const double error = std::abs(static_cast<double>(half) - value);
      const double error_beside = std::abs(static_cast<double>(beside) - value);
      ASSERT_LE(error, error_beside) << value;
      if (error == error_beside) {
        ASSERT_EQ(Half(value).bits % 2, 0) << value;
      }
    }
  };
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t bits = test::generator()();
    const float value = std::ldexp(static_cast<float>(static_cast<std::int32_t>(bits >> 32)),
                                   static_cast<int>(bits % 45) - 58);
    if (std::abs(value) >= 65504 || std::abs(value) < 0x1p-24f) continue;
    expect_nearest(value);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_EQ(Half(65519.0f).bits, 0x7BFF);
  EXPECT_EQ(Half(65520.0f).bits, 0x7C00);
  EXPECT_EQ(Half(0x1p-25f).bits, 0);
  EXPECT_EQ(Half(0x1.8p-25f).bits, 1);
  EXPECT_EQ(Half(-0.0f).bits, 0x8000);
  EXPECT_EQ(BFloat16(1.00390625f).bits, 0x3F80);  // a tie goes to the even one
  EXPECT_EQ(BFloat16(1.01171875f).bits, 0x3F82);
}

}  // namespace
}  // namespace scanlens
