// Depth maps of other sizes.
#include "tests/unit/support/depth.h"

namespace scanlens::test {
namespace {

class DepthSizeTest : public DepthTest {};

TEST_F(DepthSizeTest, ShrinkingAveragesAndGrowingInterpolates) {
  const std::string file = pfm_file(4, 2, {0.5f, 0.7f, 0.1f, 0.3f, 0.1f, 0.3f, 0.7f, 0.9f});
  const Depth halved = resized(read("a.pfm", file), 2, 1);
  expect_near(halved, {0.4f, 0.5f});
  EXPECT_NEAR(halved.least, 0.4f, 1e-6);
  EXPECT_NEAR(halved.most, 0.5f, 1e-6);
  expect_near(resized(read("a.pfm", file), 4, 2), {0.1f, 0.3f, 0.7f, 0.9f, 0.5f, 0.7f, 0.1f, 0.3f});
  // Pixel centres: the new ones lie at -1/4, 1/4, 3/4 and 5/4 of the old spacing.
  expect_near(resized(read_pfm({0, 1}), 4, 1), {0, 0.25f, 0.75f, 1});
  // Shrinks along x by averaging, grows along y.
  expect_near(resized(read_pfm({0, 0.2f, 0.4f, 0.6f}), 2, 2), {0.1f, 0.5f, 0.1f, 0.5f});
  expect_failure(failure_of([&] { resized(read_pfm({0, 1}), 0, 1); }), "cannot be resized", ErrorKind::usage);
}

TEST_F(DepthSizeTest, NearestTakesThePixelThatTheMiddleFallsInto) {
  const auto nearest = [&](const Floats& values, std::int64_t width, std::int64_t height) {
    return resized(read_pfm(values), width, height, DepthResample::nearest);
  };
  expect_near(nearest({0, 0.5f, 1}, 6, 1), {0, 0, 0.5f, 0.5f, 1, 1});
  expect_near(nearest({0, 0.5f, 1}, 5, 2), {0, 0, 0.5f, 1, 1, 0, 0, 0.5f, 1, 1});
  expect_near(nearest({0, 0.25f, 0.5f, 0.75f, 1}, 3, 1), {0, 0.5f, 1});
  expect_near(nearest({0, 1, 0, 1}, 2, 1), {1, 1});
  expect_near(nearest({0, 0.5f, 1}, 1, 1), {0.5f});
  EXPECT_EQ(nearest({0, 0.5f, 1}, 1, 1).most, 0.5f) << "the range is the new map's";
}

/// A map of value(x, y), with its range.
template <class Value>
Depth map_of(std::int64_t width, std::int64_t height, Value value) {
  Depth depth;
  depth.disparity = Image<float>(width, height);
  const View<float> view = depth.disparity.view();
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) view(x, y) = static_cast<float>(value(x, y));
  const auto [least, most] = std::minmax_element(view.data, view.data + view.extent());
  depth.least = *least;
  depth.most = *most;
  return depth;
}

/// Noise of 0..1 that is the same in every run.
float noise(std::int64_t x, std::int64_t y) {
  std::uint32_t bits =
      static_cast<std::uint32_t>(x) * 0x9E3779B1u ^ static_cast<std::uint32_t>(y) * 0x85EBCA77u;
  bits = (bits ^ bits >> 15) * 0x2C1B3C6Du;
  return static_cast<float>((bits ^ bits >> 12) >> 8) / 16777215.f;
}

/// The part of source pixel `i` that a target pixel `k` covers, when `from` pixels shrink to `to`.
double covered(std::int64_t i, std::int64_t k, std::int64_t from, std::int64_t to) {
  const double step = static_cast<double>(from) / static_cast<double>(to), x = static_cast<double>(i);
  const double first = static_cast<double>(k) * step, last = first + step;
  return std::max(0.0, std::min(x + 1, last) - std::max(x, first));
}

TEST_F(DepthSizeTest, ShrinkingTakesTheMeanOverTheWholeArea) {
  for (const float each :
       values_of(resized(map_of(64, 48, [](auto x, auto y) { return (x + y) % 2; }), 8, 6)))
    EXPECT_NEAR(each, 0.5f, 1e-6) << "a checkerboard";
  for (int corner = 0; corner < 64; ++corner) {
    const auto dots = [&](auto x, auto y) { return x % 8 == corner % 8 && y % 8 == corner / 8; };
    for (const float each : values_of(resized(map_of(32, 24, dots), 4, 3)))
      EXPECT_NEAR(each, 1 / 64.f, 1e-6) << "one pixel in 64 counts as one, at " << corner;
  }

  constexpr std::int64_t kWidth = 53, kHeight = 37;
  for (const auto& [width, height] : {std::pair{17, 9}, {52, 36}, {53, 5}, {7, 37}, {1, 1}}) {
    const Depth from = map_of(kWidth, kHeight, noise);
    const Depth to = resized(map_of(kWidth, kHeight, noise), width, height);
    for (int v = 0; v < height; ++v)
      for (int u = 0; u < width; ++u) {
        double sum = 0, area = 0;
        for (std::int64_t y = 0; y < kHeight; ++y)
          for (std::int64_t x = 0; x < kWidth; ++x) {
            const double part = covered(x, u, kWidth, width) * covered(y, v, kHeight, height);
            sum += part * from.disparity.view()(x, y);
            area += part;
          }
        ASSERT_NEAR(to.disparity.view()(u, v), sum / area, 1e-5)
            << "at (" << u << ", " << v << ") of " << width << " x " << height;
      }
  }
}

void expect_within_range(Depth from, std::int64_t width, std::int64_t height) {
  const float least = from.least, most = from.most;
  const std::string what = std::to_string(from.disparity.width()) + " x " +
                           std::to_string(from.disparity.height()) + " to " + std::to_string(width) + " x " +
                           std::to_string(height);
  const Depth to = resized(std::move(from), width, height);
  ASSERT_EQ(to.disparity.width(), width);
  ASSERT_EQ(to.disparity.height(), height);
  const Floats values = values_of(to);
  const auto [first, last] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*first, least) << what;
  EXPECT_LE(*last, most) << what;
  EXPECT_EQ(to.least, *first) << what;
  EXPECT_EQ(to.most, *last) << what;
}

TEST_F(DepthSizeTest, ResizingStaysInTheRangeOfTheSource) {
  const auto constant = [](float value) { return [value](auto, auto) { return value; }; };
  for (const float value : {1.f, 0.1f, 0.7f, 1 / 3.f})
    for (const auto& [width, height] : {std::pair{97, 61}, {2003, 1337}, {97, 2001}, {2000, 61}})
      expect_within_range(map_of(1999, 1333, constant(value)), width, height);
  for (const auto& [width, height] : {std::pair{97, 61}, {300, 200}, {31, 400}})
    expect_within_range(map_of(211, 133, noise), width, height);
  const Depth ones = resized(map_of(1999, 1333, constant(1.f)), 97, 61);
  for (const float value : values_of(ones)) ASSERT_EQ(value, 1.f);
}

}  // namespace
}  // namespace scanlens::test
