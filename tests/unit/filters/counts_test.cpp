// Counts of codes and statistics of floats: those of many pictures, and what follows from them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "filters/statistics.h"
#include "tests/unit/support/guarded.h"

namespace scanlens {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(CodeCounts, OfManyPicturesAreExact) {
  CodeCounts whole, parts;
  std::vector<std::uint64_t> sum(256);
  for (int part = 0; part < 5; ++part) {
    std::vector<std::uint64_t> counts(256);
    for (std::size_t code = 0; code < 256; ++code) sum[code] += counts[code] = test::generator()() % 1000;
    parts.merge(CodeCounts(counts));
  }
  whole = CodeCounts(sum);
  parts.merge(CodeCounts());
  EXPECT_TRUE(std::equal(sum.begin(), sum.end(), parts.counts().begin()));
  EXPECT_EQ(parts.total(), whole.total());
  EXPECT_EQ(parts.deviation(), whole.deviation());
  EXPECT_THROW(parts.merge(CodeCounts(std::vector<std::uint64_t>(65536))), Error);
}

TEST(CodeCounts, WidenedCodesAreTheSameShareOfWhite) {
  std::vector<std::uint64_t> counts(256), expected(65536);
  for (std::size_t code = 0; code < 256; ++code) {
    counts[code] = test::generator()() % 1000;
    expected[code << 8 | code] = counts[code];
  }
  const CodeCounts codes(counts), wide = codes.widened();
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), wide.counts().begin(), wide.counts().end()));
  EXPECT_EQ(wide.total(), codes.total());
  for (const double percent : {0., 1., 5., 25., 33.3, 50., 75., 95., 99., 100.})
    EXPECT_DOUBLE_EQ(wide.percentile(percent), 257 * codes.percentile(percent));
  const CodeCounts again = wide.widened();
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), again.counts().begin(), again.counts().end()));
  EXPECT_TRUE(CodeCounts().widened().counts().empty());
}

/// Statistics of floats, by one loop over them after the other, in long doubles.
FloatStatistics looped(const std::vector<float>& samples) {
  FloatStatistics result;
  long double sum = 0, squares = 0;
  for (const float x : samples) {
    result.nan += std::isnan(x);
    result.infinite += x == kInfinity;
    result.negative_infinite += x == -kInfinity;
    if (!std::isfinite(x)) continue;
    Moments& moments = result.moments;
    ++moments.count;
    sum += x;
    moments.least = std::min(moments.least, static_cast<double>(x));
    moments.greatest = std::max(moments.greatest, static_cast<double>(x));
  }
  if (result.moments.count == 0) return result;
  const long double mean = sum / static_cast<long double>(result.moments.count);
  for (const float x : samples)
    if (std::isfinite(x)) squares += (x - mean) * (x - mean);
  result.moments.mean = static_cast<double>(mean);
  result.moments.squared_deviations = static_cast<double>(squares);
  result.percentiles = {1};
  result.bins = {1};
  return result;
}

TEST(FloatStatistics, OfManyPicturesAreThoseOfAllSamples) {
  for (const float offset : {0.f, 1000.f}) {  // which must not cancel the deviations
    std::vector<float> all;
    FloatStatistics merged;
    for (const std::size_t size : {0, 1, 31, 7, 0, 1000, 1}) {
      std::vector<float> part(size);
      for (float& x : part) x = offset + static_cast<float>(test::generator()() % 10000) / 1e4f;
      if (size == 31) part[3] = kNan, part[4] = kInfinity, part[5] = -kInfinity;
      if (size == 7) std::fill(part.begin(), part.end(), kNan);
      all.insert(all.end(), part.begin(), part.end());
      merged.merge(looped(part));
    }
    const FloatStatistics expected = looped(all);
    EXPECT_EQ(merged.nan, 8u);
    EXPECT_EQ(merged.total(), all.size());
    EXPECT_EQ(merged.infinite, 1u);
    EXPECT_EQ(merged.negative_infinite, 1u);
    EXPECT_EQ(merged.moments.count, expected.moments.count);
    EXPECT_EQ(merged.moments.least, expected.moments.least);
    EXPECT_EQ(merged.moments.greatest, expected.moments.greatest);
    EXPECT_NEAR(merged.moments.mean, expected.moments.mean, 1e-15 * (1 + offset));
    EXPECT_NEAR(merged.moments.variance(), expected.moments.variance(), 1e-12);
    EXPECT_TRUE(merged.percentiles.empty() && merged.bins.empty()) << "they do not follow from the parts'";
  }
  FloatStatistics none;
  none.merge(FloatStatistics());
  EXPECT_EQ(none.total(), 0u);
}

TEST(CodeCounts, LargeOnesLoseNothing) {
  std::vector<std::uint64_t> counts(65536);
  counts[65534] = 1;
  counts[65535] = (std::uint64_t{1} << 40) - 1;
  const CodeCounts codes(counts);
  EXPECT_DOUBLE_EQ(codes.deviation(), std::sqrt((0x1p40 - 1) / 0x1p80));
  EXPECT_DOUBLE_EQ(codes.mean(), 65535 - 0x1p-40);
  EXPECT_EQ(codes.percentile(0), 65534);
  EXPECT_EQ(codes.percentile(50), 65535);
}

}  // namespace
}  // namespace scanlens
