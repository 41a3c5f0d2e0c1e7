// Local contrast against Wallis' formula, with the moments of a loop over the pixels of each box, in double.
#include <algorithm>
#include <cmath>

#include "tests/unit/support/filters.h"
#include "tests/unit/support/moments.h"

namespace scanlens {
namespace {

struct Values {
  std::int64_t radius = 3;
  double deviation = 0.25, limit = 3, brightness = 0;
};

FilterCall local_contrast(const Values& values) {
  return parse_filter(fmt::format("local_contrast:radius={}:deviation={}:limit={}:brightness={}",
                                  values.radius, values.deviation, values.limit, values.brightness));
}

/// The values to be rounded, of the colours of one pixel.
template <class T>
std::vector<double> expected_colours(View<const T> image, const Values& values, std::int64_t x,
                                     std::int64_t y) {
  const double white = test::white<T>(), luma = test::luma_at(image, x, y);
  const test::MomentsAround around = test::moments_around(
      image, values.radius, x, y, [&](auto i, auto j) { return test::luma_at(image, i, j); });
  const double deviation = values.deviation * white, grey = (sizeof(T) == 4 ? 0.214 : 0.5) * white;
  const double gain = values.limit * deviation / (values.limit * std::sqrt(around.variance) + deviation);
  double wanted = around.mean + values.brightness * (grey - around.mean) + gain * (luma - around.mean);
  double factor = 1;
  if (luma > 0) {
    wanted = std::max(wanted, 0.0);
    factor = std::min(wanted / luma, values.limit);
  }
  std::vector<double> colours;
  for (int c = 0; c < std::min(image.channels, 3); ++c)
    colours.push_back(static_cast<double>(image(x, y, c)) * factor + wanted - luma * factor);
  const double most = *std::max_element(colours.begin(), colours.end());
  if (sizeof(T) < 4)
    for (double& colour : colours) colour = std::max(0.0, most > white ? colour * white / most : colour);
  return colours;
}

/// Tolerance of a result: half a step, and the rounding of floats before it; weighed floats are rounded
/// before they are summed, too.
template <class T>
double allowed(int channels, const Values& values) {
  return (sizeof(T) == 4 ? 0 : 0.5) +
         test::white<T>() * values.limit * (channels == 4 && sizeof(T) == 4 ? 0x1p-14 : 0x1p-18);
}

class LocalContrast : public test::OnDevice {
 protected:
  template <class T>
  void check(const Values& values) {
    for (const int channels : {1, 3, 4}) {
      const Image<T> image = test::picture_with_holes<T>(37, 29, channels);
      const View<const T> view = image.view();
      const Image<T> out = test::filtered<T>(*context, local_contrast(values), view);
      for (std::int64_t y = 0; y < view.height; ++y)
        for (std::int64_t x = 0; x < view.width; ++x) {
          const bool visible = channels < 4 || view(x, y, 3) > T(0);
          const std::vector<double> expected =
              visible ? expected_colours(view, values, x, y) : std::vector<double>();
          for (int c = 0; c < channels; ++c)
            if (c == 3 || !visible) {
              ASSERT_EQ(out.view()(x, y, c), view(x, y, c)) << "what stays, at (" << x << ", " << y << ")";
            } else {
              ASSERT_NEAR(out.view()(x, y, c), expected[static_cast<std::size_t>(c)],
                          allowed<T>(channels, values))
                  << "at (" << x << ", " << y << ") channel " << c << " of " << channels << ", " << sizeof(T)
                  << " bytes, radius " << values.radius << ", limit " << values.limit;
            }
        }
    }
  }
};

TEST_P(LocalContrast, IsWallisFormula) {
  for (const Values& values : {Values{}, Values{1}, Values{7, 0.1, 1}, Values{40, 0.5, 20},
                               Values{2000, 0.001, 2}, Values{2, 0.25, 3, 0.5}, Values{12, 1, 10, 1}}) {
    check<std::uint8_t>(values);
    check<std::uint16_t>(values);
    check<float>(values);
    if (HasFatalFailure()) return;
  }
}

// Little contrast grows as far as the limit, and much of it shrinks.
TEST_P(LocalContrast, BringsDeviationsNearTheWantedOne) {
  const auto spread_of = [&](std::uint8_t dark, std::uint8_t bright) {
    Image<std::uint8_t> image(64, 64);
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x) image.view()(x, y) = (x + y) % 2 ? bright : dark;
    const Image<std::uint8_t> out =
        test::filtered<std::uint8_t>(*context, local_contrast({8, 0.1, 4}), image.view());
    return out.view()(32, 33) - out.view()(32, 32);
  };
  EXPECT_EQ(spread_of(127, 129), 6);  // from 128 - 3.46 to 128 + 3.46: the gain is 4 * 25.5 / (4 + 25.5)
  EXPECT_LT(spread_of(28, 228), 60);
}

// Two colours of one hue keep the ratios of their channels.
TEST_P(LocalContrast, KeepsHues) {
  Image<float> image(32, 32, 3);
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x)
      for (int c = 0; c < 3; ++c)
        image.view()(x, y, c) = (x < 16 ? 0.2f : 0.3f) * (c == 0 ? 1.f : c == 1 ? 0.5f : 0.25f);
  const Image<float> out = test::filtered<float>(*context, local_contrast({5, 0.2, 2}), image.view());
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x) {
      ASSERT_NEAR(out.view()(x, y, 0), 2 * out.view()(x, y, 1), 1e-6);
      ASSERT_NEAR(out.view()(x, y, 0), 4 * out.view()(x, y, 2), 1e-6);
    }
  EXPECT_GT(out.view()(16, 9, 0) - out.view()(15, 9, 0), 0.12f);
}

SCANLENS_ON_EVERY_DEVICE(LocalContrast);

}  // namespace
}  // namespace scanlens
