// Unsharp masking against a loop over the pixels of each box, in double.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/unit/support/filters.h"

namespace scanlens {
namespace {

FilterCall unsharp(double amount, std::int64_t radius) {
  return parse_filter(fmt::format("unsharp:amount={}:radius={}", amount, radius));
}

/// The value to be rounded and clipped, of colour channel c.
template <class T>
double sharpened(View<const T> image, double amount, std::int64_t radius, std::int64_t x, std::int64_t y,
                 int c) {
  const bool alpha = image.channels == 4;
  if (alpha && image(x, y, 3) == T{0}) return static_cast<double>(image(x, y, c));
  double sum = 0, weights = 0;
  for (std::int64_t j = std::max<std::int64_t>(0, y - radius); j <= std::min(image.height - 1, y + radius);
       ++j)
    for (std::int64_t i = std::max<std::int64_t>(0, x - radius); i <= std::min(image.width - 1, x + radius);
         ++i) {
      const double weight = alpha ? static_cast<double>(image(i, j, 3)) : 1.0;
      sum += weight * static_cast<double>(image(i, j, c));
      weights += weight;
    }
  const auto value = static_cast<double>(image(x, y, c));
  return value + amount * (value - sum / weights);
}

/// Tolerance of a result: half a step, and the rounding of floats before it.
template <class T>
double allowed(double amount) {
  constexpr double kHalf = std::is_floating_point_v<T> ? 0 : 0.5;
  constexpr double kMost = std::is_floating_point_v<T> ? 1 : std::numeric_limits<T>::max();
  return kHalf + kMost * (3 + 4 * amount) * 0x1p-24;
}

template <class T>
void expect_sharpened(View<const T> out, View<const T> image, double amount, std::int64_t radius) {
  constexpr bool kFloat = std::is_floating_point_v<T>;
  const double most = kFloat ? 0 : static_cast<double>(std::numeric_limits<T>::max());
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x) {
      for (int c = 0; c < std::min(image.channels, 3); ++c) {
        double expected = sharpened(image, amount, radius, x, y, c);
        if constexpr (!kFloat) expected = std::clamp(expected, 0.0, most);
        ASSERT_NEAR(out(x, y, c), expected, allowed<T>(amount))
            << "at (" << x << ", " << y << ") channel " << c << " of " << image.channels << ", " << sizeof(T)
            << " bytes, amount " << amount << ", radius " << radius;
      }
      if (image.channels == 4) {
        ASSERT_EQ(out(x, y, 3), image(x, y, 3)) << "alpha at (" << x << ", " << y << ")";
      }
    }
}

class Unsharp : public test::OnDevice {
 protected:
  template <class T>
  void check(double amount, std::int64_t radius) {
    for (const int channels : {1, 3, 4}) {
      Image<T> image = test::random_image<T>(37, 29, channels);
      const View<T> view = image.view();
      if (channels == 4)  // a corner that is not there, and beside it what is hardly there
        for (std::int64_t y = 0; y < 12; ++y)
          for (std::int64_t x = 0; x < 12; ++x) view(x, y, 3) = x < 10 ? T(0) : view(x, y, 3) / T(64);
      expect_sharpened<T>(test::filtered<T>(*context, unsharp(amount, radius), view).view(), view, amount,
                          radius);
      expect_sharpened<T>(test::streamed<T>(*context, unsharp(amount, radius), view, 4).view(), view, amount,
                          radius);
    }
  }
};

TEST_P(Unsharp, AddsWhatDiffersFromTheMean) {
  for (const double amount : {0.0, 0.3, 1.0, 10.0})
    for (const std::int64_t radius : {0, 1, 2, 7, 40}) {
      check<std::uint8_t>(amount, radius);
      check<std::uint16_t>(amount, radius);
      check<float>(amount, radius);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Unsharp, AStepIsRaisedOnOneSideAndLoweredOnTheOther) {
  Image<std::uint8_t> image(6, 1);
  for (int x = 0; x < 6; ++x) image.view()(x, 0) = x < 3 ? 60 : 120;
  const Image<std::uint8_t> out = test::filtered<std::uint8_t>(*context, unsharp(1, 1), image.view());
  for (const auto& [x, expected] : {std::pair{0, 60}, {1, 60}, {2, 40}, {3, 140}, {4, 120}, {5, 120}})
    EXPECT_EQ(out.view()(x, 0), expected) << x;
}

// An invisible pixel does not show, whatever its colour.
TEST_P(Unsharp, ColoursWithoutAlphaDoNotCount) {
  Image<std::uint8_t> image(9, 9, 4);
  for (int y = 0; y < 9; ++y)
    for (int x = 0; x < 9; ++x)
      for (int c = 0; c < 4; ++c)
        image.view()(x, y, c) = x < 5 ? static_cast<std::uint8_t>(c == 3 ? 255 : 90)
                                      : static_cast<std::uint8_t>(c == 3 ? 0 : 17 * x + c);
  const Image<std::uint8_t> out = test::filtered<std::uint8_t>(*context, unsharp(5, 3), image.view());
  test::expect_equal<std::uint8_t>(out.view(), image.view(), "a constant colour beside nothing");
}

// Sums of samples times alpha take 64 bits here, and those of samples alone take them from 257 x 257 on.
TEST_P(Unsharp, LargeBoxesOfBrightSamples) {
  for (const int channels : {1, 4}) {
    Image<std::uint16_t> image(400, 300, channels);
    std::fill_n(image.view().data, image.view().extent(), std::uint16_t{65535});
    for (const std::int64_t radius : {126, 128, 1000})
      test::expect_equal<std::uint16_t>(
          test::filtered<std::uint16_t>(*context, unsharp(10, radius), image.view()).view(), image.view(),
          "radius " + std::to_string(radius));
  }
}

SCANLENS_ON_EVERY_DEVICE(Unsharp);

}  // namespace
}  // namespace scanlens
