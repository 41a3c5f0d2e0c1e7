// Depth maps that do not say what they mean: decided by their values, without being led astray by a few of
// them.
#include <random>

#include "tests/unit/support/depth.h"

namespace scanlens::test {
namespace {

class DepthMeaningTest : public DepthTest {
 protected:
  static constexpr int kWidth = 64, kHeight = 48;

  /// Reads a 16-bit PNG of `value` at every pixel.
  template <class Value>
  Depth read_map(Value value, const DepthOptions& options = {}) {
    std::string rows;
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const int code = value(x, y);
        rows += bytes_of(code >> 8, code & 255);
      }
    return read("a.png", png_file({kWidth, kHeight, 16, 0, rows, ""}), options);
  }
};

/// Spreads smoothly over 0..1, reaching both.
double ramp(int x, int y) {
  return (x + 64 * y) / (64.0 * 48 - 1);
}

TEST_F(DepthMeaningTest, StretchedInverseDepthIsTold) {
  const Depth stretched = read_map([](int x, int y) { return static_cast<int>(65535 * ramp(x, y)); });
  EXPECT_FALSE(stretched.metric) << stretched.convention;
  EXPECT_TRUE(stretched.remarks.empty());
  EXPECT_NE(stretched.convention.find("reaches from 0 to 65535"), std::string::npos) << stretched.convention;
  EXPECT_EQ(stretched.most, 1) << "the largest is the nearest";
  // A sky that a network puts at 0 altogether.
  const Depth sky = read_map(
      [](int x, int y) { return y < 20 ? 0 : static_cast<int>(65535 * (ramp(x, y - 20) / ramp(63, 27))); });
  EXPECT_FALSE(sky.metric) << sky.convention;
  EXPECT_TRUE(sky.remarks.empty());
}

TEST_F(DepthMeaningTest, ASensorsMillimetresAreTold) {
  const auto sensor = [](int x, int y) { return (x * 7 + y * 3) % 11 == 0 ? 0 : 600 + 100 * x + 20 * y; };
  const Depth plain = read_map(sensor);
  EXPECT_TRUE(plain.metric) << plain.convention;
  EXPECT_TRUE(plain.remarks.empty());
  EXPECT_GT(plain.unknown, 100);
  // 65535 for what is too far, too.
  const Depth saturated = read_map([&](int x, int y) { return x > 60 ? 65535 : sensor(x, y); });
  EXPECT_TRUE(saturated.metric) << saturated.convention;
  EXPECT_TRUE(saturated.remarks.empty());
  // A rendered ground up to the horizon, with no holes.
  const Depth rendered =
      read_map([](int, int y) { return y < 10 ? 65535 : std::min(65535, 60000 / (y - 9)); });
  EXPECT_TRUE(rendered.metric) << rendered.convention;
}

TEST_F(DepthMeaningTest, WhatIsUnclearIsWarnedOf) {
  const auto nearly = [](int x, int y) { return static_cast<int>(300 + 65000 * ramp(x, y)); };
  const Depth resampled = read_map(nearly);
  EXPECT_FALSE(resampled.metric) << resampled.convention;
  EXPECT_TRUE(warned(resampled, "--depth-kind depth"));
  const Depth planes = read_map([](int x, int) { return x < 20 ? 0 : x < 40 ? 30000 : 65535; });
  EXPECT_TRUE(warned(planes, "--depth-kind"));
  for (const DepthKind kind : {DepthKind::inverse, DepthKind::depth})
    EXPECT_TRUE(read_map(nearly, options_of(kind)).remarks.empty()) << "who says so is not warned";
}

TEST_F(DepthMeaningTest, InvertOfAMetricMapNamesTheWayOut) {
  refused(
      [&] {
        read_map([](int x, int) { return 500 + x; }, {{}, {}, 0, true});
      },
      "--depth-kind inverse", ErrorKind::usage);
  EXPECT_FALSE(
      read_map([](int x, int) { return 500 + x; }, options_of(DepthKind::inverse, {}, 0, true)).metric);
}

Floats ramp_of(std::size_t count, float most) {
  Floats values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = most * static_cast<float>(i) / static_cast<float>(count - 1);
  return values;
}

TEST_F(DepthMeaningTest, OneOutlierDoesNotSetTheRange) {
  for (const float outlier : {5e4f, -5e4f, 1e10f}) {
    Floats values = ramp_of(4000, 50);
    values[7] = outlier;
    const Depth depth = read_pfm(values);
    EXPECT_FALSE(depth.metric);
    EXPECT_NEAR(values_of(depth)[2000], 0.5f, 0.003f) << outlier << ": " << depth.convention;
  }
  Floats shares = ramp_of(4000, 1);
  shares[7] = 100;
  EXPECT_FLOAT_EQ(values_of(read_pfm(shares))[2000], shares[2000]);
}

TEST_F(DepthMeaningTest, SentinelsInRelativeMaps) {
  Floats values = ramp_of(4000, 50);
  values[3999] = 1e10f;
  values[100] = kInfinity;
  values[200] = kNan;
  values[300] = -1e10f;
  const Depth depth = read_pfm(values);
  EXPECT_EQ(values_of(depth)[3999], 0) << "infinitely far";
  EXPECT_EQ(depth.unknown, 3);
  EXPECT_TRUE(warned(depth, "infinitely far"));
  EXPECT_TRUE(remarked(depth, "1 infinite value is taken for unknown"));
  values[101] = -kInfinity;
  EXPECT_TRUE(remarked(read_pfm(values), "2 infinite values are taken for unknown"));
  EXPECT_TRUE(remarked(read_pfm(values, options_of(DepthKind::depth)), "2 infinite values"));
  EXPECT_TRUE(remarked(read_pfm(values, options_of(DepthKind::disparity, 1)), "2 infinite values"));
  EXPECT_EQ(values_of(read_pfm(values, options_of(DepthKind::inverse, {}, 0, true)))[3999], 0);
}

TEST_F(DepthMeaningTest, ManySentinelsTellAMapOfDistances) {
  Floats values(4000, 3);
  std::fill(values.begin() + 1000, values.begin() + 2000, 1e10f);
  const Depth depth = read_pfm(values);
  EXPECT_TRUE(depth.metric) << depth.convention;
  EXPECT_NE(depth.convention.find("marks infinity"), std::string::npos) << depth.convention;
  EXPECT_FLOAT_EQ(values_of(depth)[0], 1 / 3.f);
  EXPECT_EQ(values_of(depth)[1500], 0);
  EXPECT_FALSE(read_pfm(values, options_of(DepthKind::inverse)).metric);
}

/// A PFM of 32 x 32: `value` of the share of the way from the bottom to the top.
std::string rising(float (*value)(float)) {
  Floats values;
  for (int y = 0; y < 32; ++y)  // its rows go from the bottom up
    for (int x = 0; x < 32; ++x) values.push_back(value(static_cast<float>(y) / 31));
  return pfm_file(32, 32, values);
}

TEST_F(DepthMeaningTest, MetresAreToldByWhereTheyGrow) {
  const Depth metres = read("a.pfm", rising([](float share) { return 2 + 3 * share; }));
  EXPECT_TRUE(metres.metric) << metres.convention;
  EXPECT_TRUE(metres.remarks.empty());
  EXPECT_NE(metres.convention.find("--depth-kind inverse"), std::string::npos) << metres.convention;
  const Depth holes =
      read("a.pfm", rising([](float share) { return share > 0.4f && share < 0.5f ? 0 : 2 + 3 * share; }));
  EXPECT_TRUE(holes.metric) << holes.convention;
  EXPECT_GT(holes.unknown, 0);
  const Depth inverse = read("a.pfm", rising([](float share) { return 5 - 3 * share; }));
  EXPECT_FALSE(inverse.metric) << inverse.convention;
  EXPECT_TRUE(inverse.remarks.empty()) << "ground is nearer at the bottom";
  const Depth open =
      read("a.pfm", rising([](float share) { return share > 0.3f && share < 0.7f ? 5.f : 2.f; }));
  EXPECT_FALSE(open.metric) << open.convention;
  EXPECT_TRUE(warned(open, "say --depth-kind depth"));
  EXPECT_TRUE(
      read("a.pfm", rising([](float) { return 3.f; }), options_of(DepthKind::inverse)).remarks.empty());
}

TEST_F(DepthMeaningTest, DistancesThatAreNoMetresAreWarnedOf) {
  const Depth shares = read("a.pfm", rising([](float share) { return share; }));
  EXPECT_FALSE(shares.metric);
  EXPECT_TRUE(warned(shares, "--invert"));
  const Depth millimetres = read("a.pfm", rising([](float share) { return 900 + 3000 * share; }));
  EXPECT_TRUE(warned(millimetres, "--depth-scale"));
  EXPECT_TRUE(read("a.pfm", rising([](float share) { return 3000 - 2900 * share; })).remarks.empty())
      << "a network's own";
  EXPECT_TRUE(read("a.pfm", rising([](float share) { return 1 - share; })).remarks.empty());
  EXPECT_TRUE(read("a.pfm", rising([](float share) { return 3 - 6 * share; })).remarks.empty());
}

TEST_F(DepthMeaningTest, SixteenBitsOfAnotherUnitAreWarnedOf) {
  const Depth apart = read_map([](int x, int) { return x < 10 ? 65535 : 600 + 50 * x; });
  EXPECT_TRUE(apart.metric);
  EXPECT_TRUE(warned(apart, "hold 65535"));
  EXPECT_TRUE(warned(read_map([](int x, int) { return x; }), "--depth-kind inverse"))
      << "nearer than any sensor sees";
  std::string kitti;
  for (int i = 0; i < 80 * 20; ++i) kitti += i % 4 == 0 ? bytes_of(20, 0) : bytes_of(0, 0);
  EXPECT_TRUE(warned(read("a.png", png_file({80, 20, 16, 0, kitti, ""})), "--depth-scale 0.00390625"));
}

TEST_F(DepthMeaningTest, HolesOfAFloatMapAreWarnedOf) {
  Floats values(4000, 3);
  for (std::size_t i = 0; i < values.size(); i += 10) values[i] = 0;
  EXPECT_TRUE(warned(read_pfm(values), "--depth-kind depth"));
  EXPECT_TRUE(read_pfm(values, options_of(DepthKind::depth)).remarks.empty());
  EXPECT_TRUE(read_pfm(ramp_of(4000, 50)).remarks.empty());
}

}  // namespace
}  // namespace scanlens::test
