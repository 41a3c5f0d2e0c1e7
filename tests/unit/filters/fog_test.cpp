// Fog and tones against their formulas in double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "filters/color.h"
#include "filters/tones.h"
#include "tests/unit/support/filters.h"

namespace scanlens {
namespace {

class FogOf : public test::OnDevice {};
class TonesOf : public test::OnDevice {};

/// Returns the code of light, halves between codes decided in light as the tables do.
template <class T>
double code_of(double light) {
  const double clipped = std::clamp(light, 0., 1.);
  return (clipped <= 0.0031308 ? clipped * 12.92 : 1.055 * std::pow(clipped, 1 / 2.4) - 0.055) *
         std::numeric_limits<T>::max();
}

template <class T>
double light_of(T sample) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<double>(sample);
  return srgb_to_linear_in_double(static_cast<double>(sample) / std::numeric_limits<T>::max());
}

/// Expects the sample that belongs to light: within half a code, and a little for steps of floats.
template <class T>
void expect_light(T actual, double light, const std::string& what) {
  if constexpr (std::is_floating_point_v<T>)
    ASSERT_NEAR(static_cast<double>(actual), light, 2e-6 * std::max(1., std::abs(light))) << what;
  else
    ASSERT_NEAR(static_cast<double>(actual), code_of<T>(light), sizeof(T) == 1 ? 0.51 : 0.56) << what;
}

/// Calls check(image, made, x, y) for pictures of each type and number of channels.
template <class Check>
void for_pictures(Context& context, const FilterCall& call, const Check& check) {
  const auto with = [&]<class T>(T) {
    for (const int channels : {1, 3, 4}) {
      const Image<T> image = test::random_image<T>(41, 23, channels);
      const Image<T> made = test::filtered<T>(context, call, image.view());
      for (std::int64_t y = 0; y < image.height(); ++y)
        for (std::int64_t x = 0; x < image.width(); ++x) {
          check(image.view(), made.view(), x, y);
          if (channels == 4) {
            ASSERT_EQ(made.view()(x, y, 3), image.view()(x, y, 3));
          }
          if (testing::Test::HasFatalFailure()) return;
        }
    }
  };
  with(std::uint8_t{});
  with(std::uint16_t{});
  with(float{});
}

TEST_P(FogOf, FadesExponentially) {
  const double colour[] = {1, srgb_to_linear_in_double(0x80 / 255.), srgb_to_linear_in_double(0x20 / 255.)};
  const double grey = .2126 * colour[0] + .7152 * colour[1] + .0722 * colour[2];
  for (const bool metric : {false, true})
    for (const char* density : {"0", "0.05", "1", "30"}) {
      FilterCall call = parse_filter(std::string("fog:colour=#ff8020:density=") + density);
      call.metric = metric;
      for_pictures(*context, call, [&](const auto& image, const auto& made, std::int64_t x, std::int64_t y) {
        const double value =
            static_cast<double>(test::map_value(x, y));  // 0 is infinitely far, or the farthest
        const double share = metric && value == 0
                                 ? (std::stod(density) > 0 ? 0. : 1.)
                                 : std::exp(-std::stod(density) * (metric ? 1 / value : 1 - value));
        for (int c = 0; c < std::min(image.channels, 3); ++c)
          expect_light(
              made(x, y, c),
              share * light_of(image(x, y, c)) + (1 - share) * (image.channels == 1 ? grey : colour[c]),
              fmt::format("{} at {}, {}", density, x, y));
      });
    }
}

TEST_P(FogOf, LeavesAllWithoutDensity) {
  FilterCall call = parse_filter("fog:density=0");
  for_pictures(*context, call, [&](const auto& image, const auto& made, std::int64_t x, std::int64_t y) {
    for (int c = 0; c < image.channels; ++c) ASSERT_EQ(made(x, y, c), image(x, y, c));
  });
}

TEST_P(TonesOf, FollowTheirFormulas) {
  for (const auto& [exposure, contrast, saturation] : {std::tuple(0., 1., 1.),
                                                       {1., 1., 1.},
                                                       {-2.5, 1., 1.},
                                                       {0., 1.4, 1.},
                                                       {0., 0.5, 1.},
                                                       {0.5, 1.2, 0.},
                                                       {0., 1., 2.}}) {
    const std::string text =
        fmt::format("tones:exposure={}:contrast={}:saturation={}", exposure, contrast, saturation);
    const FilterCall call = parse_filter(text);
    for_pictures(*context, call, [&](const auto& image, const auto& made, std::int64_t x, std::int64_t y) {
      const auto toned = [&](int c) {
        const double light = light_of(image(x, y, c)) * std::exp2(exposure);
        return light > 0 ? 0.18 * std::pow(light / 0.18, contrast) : light;
      };
      if (image.channels == 1) return expect_light(made(x, y), toned(0), text);
      const double luma = .2126 * toned(0) + .7152 * toned(1) + .0722 * toned(2);
      for (int c = 0; c < 3; ++c) expect_light(made(x, y, c), luma + saturation * (toned(c) - luma), text);
    });
  }
}

TEST_P(TonesOf, LeaveAllByTheirDefaults) {
  for_pictures(*context, parse_filter("tones"),
               [&](const auto& image, const auto& made, std::int64_t x, std::int64_t y) {
                 for (int c = 0; c < image.channels; ++c) ASSERT_EQ(made(x, y, c), image(x, y, c));
               });
}

TEST_P(TonesOf, TakeThePicturesOwnCurves) {
  // Light is the code itself: halving it halves codes.
  std::vector<float> straight(65536);
  for (std::size_t i = 0; i < straight.size(); ++i) straight[i] = static_cast<float>(i) / 65535.f;
  FilterCall call = parse_filter("tones:exposure=-1");
  call.tones = std::make_shared<const Tones>(make_tones(std::span(&straight, 1), 1));
  Image<std::uint8_t> image(256, 1, 3);
  for (int x = 0; x < 256; ++x)
    for (int c = 0; c < 3; ++c) image.view()(x, 0, c) = static_cast<std::uint8_t>(x);
  const Image<std::uint8_t> made = test::filtered<std::uint8_t>(*context, call, image.view());
  for (int x = 0; x < 256; ++x) ASSERT_NEAR(made.view()(x, 0, 1), x / 2., 0.5001);
}

TEST_P(TonesOf, WarmAndKeepGrey) {
  Image<float> grey(1, 1, 3);
  for (int c = 0; c < 3; ++c) grey.view()(0, 0, c) = 0.4f;
  const auto at = [&](const char* kelvins) {
    return test::filtered<float>(*context, parse_filter(std::string("tones:temperature=") + kelvins),
                                 grey.view());
  };
  const Image<float> cold = at("3000"), warm = at("10000");
  // Light of black bodies in linear sRGB, green and blue over red, by Planck's law and the observer of 1931
  // (fits of Wyman et al., 2013): .9445, .9933 of 6504 K; .4839, .1545 of 3000 K; 1.1383, 1.6370 of 10000 K.
  const auto over_red = [](const Image<float>& made, int c) {
    return made.view()(0, 0, c) / made.view()(0, 0, 0);
  };
  EXPECT_NEAR(over_red(cold, 1), .9445 / .4839, .03);
  EXPECT_NEAR(over_red(cold, 2), .9933 / .1545, .05);
  EXPECT_NEAR(over_red(warm, 1), .9445 / 1.1383, .01);
  EXPECT_NEAR(over_red(warm, 2), .9933 / 1.6370, .01);
  for (const auto* made : {&cold, &warm})
    EXPECT_NEAR(
        .2126f * made->view()(0, 0, 0) + .7152f * made->view()(0, 0, 1) + .0722f * made->view()(0, 0, 2),
        0.4f, 1e-5f);
}

SCANLENS_ON_EVERY_DEVICE(FogOf);
SCANLENS_ON_EVERY_DEVICE(TonesOf);

}  // namespace
}  // namespace scanlens
