// Histograms against sequential loops.
#include "core/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/graph.h"
#include "tests/unit/support/folds.h"

namespace scanlens {
namespace {

using test::GuardedArray;
using Counts = std::vector<std::uint64_t>;

class Histogram : public test::OnDevice {};

template <class T>
Counts histogram_of(Context& context, const std::vector<T>& in, double lower, double upper, std::size_t bins,
                    int shift) {
  GuardedArray<T> array(context, in, shift, 0);
  GuardedArray<std::uint64_t> counts(context, Counts(bins, 77), 0,
                                     3);  // what was there before does not matter
  histogram(context, array.in(), lower, upper, counts.span());
  return counts.contents();
}

/// Word by word what the header says.
template <class T>
Counts reference(const std::vector<T>& in, double lower, double upper, std::size_t bins) {
  using Real = std::conditional_t<sizeof(T) == 8 || std::is_same_v<T, std::uint32_t>, double, float>;
  const auto scale = static_cast<Real>(static_cast<double>(bins) / (upper - lower));
  Counts counts(bins, 0);
  for (const T x : in) {
    if (!(static_cast<double>(x) >= lower && static_cast<double>(x) < upper)) continue;
    const Real place = std::floor((static_cast<Real>(x) - static_cast<Real>(lower)) * scale);
    ++counts[place < 0 ? 0 : std::min<std::size_t>(static_cast<std::size_t>(place), bins - 1)];
  }
  return counts;
}

template <class T>
void check(Context& context, const std::vector<T>& in, double lower, double upper, std::size_t bins,
           int shift = 0) {
  SCOPED_TRACE(std::to_string(in.size()) + " elements, " + std::to_string(bins) + " bins over " +
               std::to_string(lower) + " … " + std::to_string(upper) + ", shifted by " +
               std::to_string(shift));
  const Counts found = histogram_of(context, in, lower, upper, bins, shift);
  const Counts expected = reference(in, lower, upper, bins);
  for (std::size_t k = 0; k < bins; ++k) ASSERT_EQ(found[k], expected[k]) << "bin " << k;
}

/// Numbers of bins around 32 counters a bin, fewer, one, and several blocks for the bins.
constexpr std::size_t kBins[] = {1,    2,    3,    31,    255,   256,   257,  1000,
                                 1024, 1025, 4097, 32768, 32769, 65535, 65536};

template <class T>
void check_type(Context& context, double lower, double upper, const std::vector<T>& many) {
  for (const std::size_t bins : kBins) {
    check(context, many, lower, upper, bins, 1);
    if (testing::Test::HasFatalFailure()) return;
  }
  for (const std::int64_t n : test::fold_lengths())
    for (const int shift : {0, 1, 3}) {
      check(context, std::vector<T>(many.begin(), many.begin() + n), lower, upper, 300, shift);
      if (testing::Test::HasFatalFailure()) return;
    }
}

TEST_P(Histogram, EqualsTheSequentialLoop) {
  constexpr std::int64_t kMany = 300007;
  check_type<std::uint8_t>(*context, 0, 256, test::any_values<std::uint8_t>(kMany));
  check_type<std::uint16_t>(*context, 0, 65536, test::any_values<std::uint16_t>(kMany));
  check_type<std::uint32_t>(*context, 1e9, 4e9, test::any_values<std::uint32_t>(kMany));
  check_type<float>(*context, -0.7, 0.8, test::any_values<float>(kMany));
  check_type<double>(*context, -0.7, 0.8, test::any_values<double>(kMany));
}

TEST_P(Histogram, LongArraysToo) {
  check(*context, test::any_values<std::uint8_t>(8 * test::kLong), 3, 250, 17, 1);
  check(*context, test::any_values<std::uint16_t>(4 * test::kLong), 0, 65536, 65536);
  check(*context, test::any_values<float>(2 * test::kLong), -1, 1, 1000);
}

TEST_P(Histogram, SkewedDataIsCountedToo) {
  check(*context, std::vector<std::uint8_t>(test::kLong, 200), 0, 256, 256);
  check(*context, std::vector<std::uint16_t>(test::kLong, 40000), 0, 65536, 65536);
  check(*context, std::vector<float>(test::kLong, 0.25f), 0, 1, 5000);
}

TEST_P(Histogram, CountsEveryValueOfBytesAndShorts) {
  std::vector<std::uint8_t> bytes;
  for (int value = 0; value < 256; ++value)
    bytes.insert(bytes.end(), value + 1, static_cast<std::uint8_t>(value));
  const Counts of_bytes = histogram_of(*context, bytes, 0, 256, 256, 0);
  for (int value = 0; value < 256; ++value) ASSERT_EQ(of_bytes[value], value + 1u);

  std::vector<std::uint16_t> shorts;
  for (int value = 0; value < 65536; ++value)
    shorts.insert(shorts.end(), value % 7, static_cast<std::uint16_t>(value));
  const Counts of_shorts = histogram_of(*context, shorts, 0, 65536, 65536, 0);
  for (int value = 0; value < 65536; ++value) ASSERT_EQ(of_shorts[value], value % 7u) << value;
}

TEST_P(Histogram, LeavesOutWhatIsOutside) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float upper = 0.3f, below = std::nextafter(upper, 0.0f);
  const std::vector<float> in = {-kInfinity, -1e30f, -0.0f,     0.0f,         below,
                                 upper,      1e30f,  kInfinity, std::nanf("")};
  EXPECT_EQ(histogram_of(*context, in, 0, upper, 4, 0), (Counts{2, 0, 0, 1}));
  // Bounds between two floats, and outside of all values of the type.
  check(*context, in, 1e-60, 0.3, 7);
  check(*context, in, -1e35, 1e35, 7);
  check(*context, test::any_values<std::uint8_t>(1000), -1000, 1e6, 65536);
  check(*context, test::any_values<std::uint8_t>(1000), 100.5, 101.5, 3);
  check(*context, test::any_values<std::uint8_t>(1000), 300, 400, 3);
  check(*context, test::any_values<std::uint16_t>(1000), -20, -10, 3);
  check(*context, std::vector<float>{1e8f, 1e8f + 8, 1e8f + 16}, 1e8 + 3, 1e8 + 9, 65536);
  check(*context, test::any_values<std::uint32_t>(1000), 0, 4294967296.0, 65536);
  check(*context, test::any_values<std::uint32_t>(1000), 0, 4294967296.0, 1);
  // Bins that are a power of two wide, in and around the type.
  check(*context, test::any_values<std::uint16_t>(3000), 1000, 1000 + 64 * 700, 700);
  check(*context, test::any_values<std::uint16_t>(3000), 0, 131072, 64);
  check(*context, test::any_values<std::uint16_t>(3000), 0.5, 64000.5, 2000);
  check(*context, test::any_values<std::uint16_t>(3000), 65000, 65000 + 4096, 65536);
}

TEST_P(Histogram, ReplaysWithOtherInput) {
  GuardedArray<std::uint16_t> array(*context, std::vector<std::uint16_t>(test::kLong), 0, 0);
  GuardedArray<std::uint64_t> counts(*context, Counts(65536), 0, 0), few(*context, Counts(100), 0, 0);
  Graph graph(*context, [&] {
    histogram(*context, array.in(), 0, 65536, counts.span());
    histogram(*context, array.in(), 0, 65536, few.span());
  });
  for (int run = 0; run < 3; ++run) {
    const auto in = test::any_values<std::uint16_t>(test::kLong);
    copy(*context, View<const std::uint16_t>(in.data(), test::kLong, 1),
         View<std::uint16_t>(array.data(), test::kLong, 1));
    graph.replay(1 + run);
    ASSERT_EQ(counts.contents(), reference(in, 0, 65536, 65536));
    ASSERT_EQ(few.contents(), reference(in, 0, 65536, 100));
  }
}

TEST_P(Histogram, RefusesWrongArguments) {
  GuardedArray<float> array(*context, std::vector<float>(8), 0, 0);
  GuardedArray<std::uint64_t> bins(*context, Counts(65537), 0, 0);
  const auto call = [&](double lower, double upper, std::size_t count) {
    histogram(*context, array.in(), lower, upper, bins.span().first(count));
  };
  EXPECT_THROW(call(0, 1, 0), Error);
  EXPECT_THROW(call(0, 1, 65537), Error);
  EXPECT_THROW(call(1, 1, 4), Error);
  EXPECT_THROW(call(2, 1, 4), Error);
  EXPECT_THROW(call(std::nan(""), 1, 4), Error);
  EXPECT_THROW(call(0, std::numeric_limits<double>::infinity(), 4), Error);
  EXPECT_THROW(call(-1.7e308, 1.7e308, 4), Error);
  EXPECT_THROW(call(0, 1e-300, 4), Error);
  EXPECT_THROW(
      histogram(*context, std::span(static_cast<const float*>(nullptr), 8), 0, 1, bins.span().first(4)),
      Error);
  EXPECT_THROW(histogram(*context, array.in(), 0, 1, {static_cast<std::uint64_t*>(nullptr), 4}), Error);
  const std::span<std::uint64_t> inside(reinterpret_cast<std::uint64_t*>(array.data()), 2);
  EXPECT_THROW(histogram(*context, array.in(), 0, 1, inside), Error);
  EXPECT_NO_THROW(call(0, 1, 65536));
}

template <class T>
void check_edges(Context& context, std::int64_t n, std::size_t count) {
  std::vector<T> in = test::any_values<T>(n), edges = test::any_values<T>(static_cast<std::int64_t>(count));
  for (std::size_t i = 0; i < in.size(); i += 3) in[i] = edges[i % count];
  if (std::is_floating_point_v<T> && n > 20) in[7] = static_cast<T>(NAN), in[8] = static_cast<T>(INFINITY);
  std::sort(edges.begin(), edges.end());
  Counts expected(count - 1);
  for (const T x : in)
    for (std::size_t k = 0; k + 1 < count; ++k) expected[k] += edges[k] <= x && x < edges[k + 1];
  const GuardedArray<T> array(context, in), bounds(context, edges);
  const GuardedArray<std::uint64_t> bins(context, Counts(count - 1));
  histogram(context, array, bounds, bins.span());
  EXPECT_EQ(bins.contents(), expected) << n << " elements, " << count << " edges";
}

TEST_P(Histogram, ByEdges) {
  for (const std::int64_t n : {0, 1, 30, 1000, 200003})
    for (const std::size_t count : {2u, 3u, 4u, 17u, 100u}) {
      check_edges<float>(*context, n, count);
      check_edges<std::int32_t>(*context, n, count);
      check_edges<std::uint64_t>(*context, n, count);
    }
  const GuardedArray<float> in(*context, std::vector<float>(8)), edges(*context, std::vector<float>(3));
  const GuardedArray<std::uint64_t> bins(*context, Counts(3));
  EXPECT_THROW(histogram(*context, in, edges, bins.span()), Error);
  EXPECT_THROW(histogram(*context, in, edges.span().first(1), bins.span().first(0)), Error);
}

TEST_P(Histogram, HoldsBeyond2To31Elements) {
  SCANLENS_NEEDS_A_LARGE_MACHINE();
  const std::int64_t n = (std::int64_t{1} << 32) + 77;
  Image<std::uint8_t> host(n, 1);
  std::fill_n(host.view().data, n, std::uint8_t{9});
  host.view().data[n - 1] = 255;
  const Image<std::uint8_t> bytes = upload(*context, std::move(host));
  GuardedArray<std::uint64_t> counts(*context, Counts(256), 0, 0);
  histogram(*context, std::span(bytes.view().data, n), 0, 256, counts.span());
  Counts expected(256);
  expected[9] = static_cast<std::uint64_t>(n) - 1;
  expected[255] = 1;
  EXPECT_EQ(counts.contents(), expected);
}

SCANLENS_ON_EVERY_DEVICE(Histogram);

}  // namespace
}  // namespace scanlens
