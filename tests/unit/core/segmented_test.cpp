// Segmented scans against sequential loops.
#include <cmath>

#include "core/graph.h"
#include "core/scan.h"
#include "tests/unit/support/arrays.h"
#include "tests/unit/support/scan_reference.h"

namespace scanlens {
namespace {

class Segmented : public test::OnDevice {};

template <class T, class Op>
void scan(Context& context, bool inclusive, std::span<const T> in, std::span<const std::uint8_t> heads,
          std::span<T> out, Op op) {
  if (inclusive)
    inclusive_segmented_scan(context, in, heads, out, op);
  else
    exclusive_segmented_scan(context, in, heads, out, op);
}

/// Sums of floats within the bound of core/scan.h, applied to each segment; all else exactly.
template <class T, class Op>
void expect_right(const std::vector<T>& actual, bool inclusive, const std::vector<T>& in,
                  const std::vector<std::uint8_t>& heads, const std::string& what) {
  constexpr bool kRounded = std::is_floating_point_v<T> && std::is_same_v<Op, Sum>;
  using Wide = std::conditional_t<kRounded, long double, T>;
  ASSERT_EQ(actual.size(), in.size()) << what;
  const double roundings = 24 + std::log2(static_cast<double>(std::max<std::size_t>(in.size(), 1)));
  Wide running = test::identity<Wide>(Op{});
  double magnitude = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (heads[i]) {
      running = test::identity<Wide>(Op{});
      magnitude = 0;
    }
    const Wide before = running;
    const double magnitude_before = magnitude;
    running = test::combined<Wide>(Op{}, running, in[i]);
    magnitude += std::abs(static_cast<double>(in[i]));
    const Wide expected = inclusive ? running : before;
    if constexpr (kRounded)
      ASSERT_LE(std::abs(actual[i] - expected),
                roundings * std::numeric_limits<T>::epsilon() * (inclusive ? magnitude : magnitude_before))
          << what << ": element " << i << " of " << in.size();
    else
      ASSERT_TRUE(actual[i] == expected) << what << ": element " << i << " of " << in.size();
  }
}

template <class T, class Op>
void check(Context& context, const std::vector<std::uint8_t>& heads, Op op, const std::string& which,
           std::int64_t shift = 0, std::int64_t head_shift = 0) {
  const auto n = static_cast<std::int64_t>(heads.size());
  const std::vector<T> values = test::random_values<T>(n);
  for (const bool inclusive : {true, false}) {
    const std::string what = std::string(inclusive ? "inclusive" : "exclusive") +
                             ", n = " + std::to_string(n) + ", heads " + which + ", shifted by " +
                             std::to_string(shift) + " and " + std::to_string(head_shift);
    test::GuardedArray<T> in(context, values, shift);
    test::GuardedArray<T> out(context, std::vector<T>(values.size(), T{77}), head_shift);
    test::GuardedArray<std::uint8_t> flags(context, heads, head_shift);
    scan<T>(context, inclusive, in, flags, out, op);
    expect_right<T, Op>(out.contents(), inclusive, values, heads, what);
    test::expect_same(in.contents(), values, what + ", the input afterwards");
    test::expect_same(flags.contents(), heads, what + ", the heads afterwards");
    scan<T>(context, inclusive, in, flags, in, op);
    expect_right<T, Op>(in.contents(), inclusive, values, heads, what + ", in place");
  }
}

template <class T, class Op>
void check_all_heads(Context& context, Op op) {
  SCOPED_TRACE(testing::Message() << typeid(T).name() << ", " << typeid(Op).name());
  for (const std::int64_t n : test::lengths()) {
    check<T>(context, test::random_flags(n, 0.1), op, "one in 10");
    if (testing::Test::HasFatalFailure()) return;
  }
  for (const std::int64_t n : {33, 5003, 70001}) {
    const auto size = static_cast<std::size_t>(n);
    check<T>(context, std::vector<std::uint8_t>(size, 0), op, "none");
    check<T>(context, std::vector<std::uint8_t>(size, 128), op, "all");
    check<T>(context, test::random_flags(n, 0.0003), op, "one in 3000");
    std::vector<std::uint8_t> last(size, 0);
    last.back() = 1;
    check<T>(context, last, op, "at the last");
    // Heads stand where tiles and pieces are cut, and beside it.
    for (const std::size_t beside : {0, 1, 1023}) {
      std::vector<std::uint8_t> cuts(size, 0);
      for (std::size_t i = beside; i < size; i += 1024) cuts[i] = 1;
      check<T>(context, cuts, op, "every 1024 from " + std::to_string(beside));
    }
    if (testing::Test::HasFatalFailure()) return;
  }
  for (int i = 0; i < 10; ++i) {
    const auto shift = [] { return static_cast<std::int64_t>(test::generator()() % 17); };
    check<T>(context, test::random_flags(test::random_length(18), 0.01), op, "one in 100", shift(), shift());
    if (testing::Test::HasFatalFailure()) return;
  }
}

template <class T>
void check_all_operators(Context& context) {
  check_all_heads<T>(context, Sum{});
  check_all_heads<T>(context, Min{});
  check_all_heads<T>(context, Max{});
}

TEST_P(Segmented, OfInt32) {
  check_all_operators<std::int32_t>(*context);
}
TEST_P(Segmented, OfUint32) {
  check_all_operators<std::uint32_t>(*context);
}
TEST_P(Segmented, OfUint64) {
  check_all_heads<std::uint64_t>(*context, Sum{});
}
TEST_P(Segmented, OfFloat) {
  check_all_operators<float>(*context);
}
TEST_P(Segmented, OfDouble) {
  check_all_operators<double>(*context);
}

TEST_P(Segmented, HoldsForManyTiles) {
  for (const double density : {0.0, 0.0000003, 0.00001, 0.5}) {
    check<std::uint32_t>(*context, test::random_flags(4400017, density), Sum{}, std::to_string(density), 1,
                         3);
    check<float>(*context, test::random_flags(2162689, density), Sum{}, std::to_string(density));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Segmented, ReplaysOnNewInputAndHeads) {
  constexpr std::int64_t n = 150001;
  test::GuardedArray<std::uint32_t> in(*context, std::vector<std::uint32_t>(n));
  test::GuardedArray<std::uint32_t> out(*context, std::vector<std::uint32_t>(n));
  test::GuardedArray<std::uint8_t> flags(*context, std::vector<std::uint8_t>(n));
  Graph graph(*context, [&] { inclusive_segmented_scan(*context, in, flags, out, Sum{}); });
  for (int run = 0; run < 4; ++run) {
    const std::vector<std::uint32_t> values = test::random_values<std::uint32_t>(n);
    const std::vector<std::uint8_t> heads = test::random_flags(n, 0.001);
    in.set(values);
    flags.set(heads);
    graph.replay(run + 1);
    expect_right<std::uint32_t, Sum>(out.contents(), true, values, heads, "replay " + std::to_string(run));
  }
}

TEST_P(Segmented, RefusesWrongArrays) {
  test::GuardedArray<std::uint32_t> array(*context, std::vector<std::uint32_t>(100));
  test::GuardedArray<std::uint8_t> bytes(*context, std::vector<std::uint8_t>(100));
  const std::span<std::uint32_t> all = array;
  const std::span<const std::uint8_t> heads = bytes;
  for (const bool inclusive : {true, false}) {
    const std::string name = inclusive ? "inclusive_segmented_scan" : "exclusive_segmented_scan";
    const auto refused = [&](std::span<const std::uint32_t> in, std::span<const std::uint8_t> flags,
                             std::span<std::uint32_t> out, const std::string& argument) {
      test::expect_usage_error([&] { scan(*context, inclusive, in, flags, out, Sum{}); }, name, argument);
    };
    refused(all.first(50), heads.first(50), all.last(49), "out");
    refused(all.first(50), heads.first(49), all.last(50), "heads");
    refused(all.first(50), {static_cast<const std::uint8_t*>(nullptr), 50}, all.last(50), "heads");
    refused({static_cast<const std::uint32_t*>(nullptr), 50}, heads.first(50), all.last(50), "in");
    refused(all.first(50), heads.first(50), all.subspan(25, 50), "out");
    refused(all.first(50), {reinterpret_cast<const std::uint8_t*>(all.data()) + 250, 50}, all.last(50),
            "heads");
    EXPECT_NO_THROW(scan<std::uint32_t>(*context, inclusive, {}, {}, {}, Sum{}));
  }
}

TEST_P(Segmented, HoldsBeyond2To31Elements) {
  SCANLENS_NEEDS_A_LARGE_MACHINE();
  const std::int64_t n = (std::int64_t{1} << 31) + 4099;
  const auto value = [](std::int64_t i) { return static_cast<std::uint32_t>(i * 2654435761); };
  const auto head = [&](std::int64_t i) { return value(i) >> 4 == 0; };
  Image<std::uint32_t> array(n, 1);
  Image<std::uint8_t> heads(n, 1);
  for (std::int64_t i = 0; i < n; ++i) {
    array.view().data[i] = value(i);
    heads.view().data[i] = head(i);
  }
  array = upload(*context, std::move(array));
  heads = upload(*context, std::move(heads));
  const std::span<std::uint32_t> all(array.view().data, static_cast<std::size_t>(n));
  inclusive_segmented_scan(*context, all, {heads.view().data, all.size()}, all);
  array = download(*context, std::move(array));
  std::uint32_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    sum = (head(i) ? 0 : sum) + value(i);
    ASSERT_EQ(array.view().data[i], sum) << i;
  }
}

SCANLENS_ON_EVERY_DEVICE(Segmented);

}  // namespace
}  // namespace scanlens
