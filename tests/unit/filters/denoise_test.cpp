// Denoising against the formula of Lee, with the moments of a loop over the pixels of each box, in double.
#include <algorithm>
#include <cmath>
#include <random>

#include "tests/unit/support/filters.h"
#include "tests/unit/support/moments.h"

namespace scanlens {
namespace {

FilterCall denoise(std::int64_t radius, double noise) {
  return parse_filter(fmt::format("denoise:radius={}:noise={}", radius, noise));
}

/// The value to be rounded, of colour channel c.
template <class T>
double denoised(View<const T> image, std::int64_t radius, double noise, std::int64_t x, std::int64_t y,
                int c) {
  const test::MomentsAround around = test::moments_around(
      image, radius, x, y, [&](auto i, auto j) { return static_cast<double>(image(i, j, c)); });
  const double power = noise * noise * test::white<T>() * test::white<T>();
  if (around.variance <= power) return around.mean;
  return around.mean +
         (around.variance - power) / around.variance * (static_cast<double>(image(x, y, c)) - around.mean);
}

class Denoise : public test::OnDevice {
 protected:
  template <class T>
  void check(std::int64_t radius, double noise) {
    for (const int channels : {1, 3, 4}) {
      const Image<T> image = test::picture_with_holes<T>(37, 29, channels);
      const View<const T> view = image.view();
      const Image<T> out = test::filtered<T>(*context, denoise(radius, noise), view);
      // Half a step, and what floats round before it; weighed floats are rounded before they are summed, too.
      const double allowed = (sizeof(T) == 4 ? 0 : 0.5) +
                             test::white<T>() * (sizeof(T) == 4 && channels == 4 ? 0x1p-15 : 0x1p-20);
      for (std::int64_t y = 0; y < view.height; ++y)
        for (std::int64_t x = 0; x < view.width; ++x)
          for (int c = 0; c < channels; ++c)
            if (c == 3 || (channels == 4 && !(view(x, y, 3) > T(0)))) {
              ASSERT_EQ(out.view()(x, y, c), view(x, y, c)) << "what stays, at (" << x << ", " << y << ")";
            } else {
              ASSERT_NEAR(out.view()(x, y, c), denoised(view, radius, noise, x, y, c), allowed)
                  << "at (" << x << ", " << y << ") channel " << c << " of " << channels << ", " << sizeof(T)
                  << " bytes, radius " << radius << ", noise " << noise;
            }
    }
  }
};

TEST_P(Denoise, IsLeesFormula) {
  for (const auto& [radius, noise] :
       {std::pair{1, 0.2}, {2, 0.}, {3, 0.3}, {7, 0.28}, {40, 0.25}, {2000, 1.}}) {
    check<std::uint8_t>(radius, noise);
    check<std::uint16_t>(radius, noise);
    check<float>(radius, noise);
    if (HasFatalFailure()) return;
  }
}

// Nothing changes where no noise is expected.
TEST_P(Denoise, WithoutNoiseNothingChanges) {
  for (const int channels : {1, 3, 4}) {
    const Image<std::uint16_t> image = test::picture_with_holes<std::uint16_t>(61, 47, channels);
    test::expect_equal<std::uint16_t>(
        test::filtered<std::uint16_t>(*context, denoise(3, 0), image.view()).view(), image.view(),
        "no noise");
  }
}

// A step with noise on it loses the noise and keeps its place and height.
TEST_P(Denoise, FlattensNoiseAndKeepsAnEdge) {
  std::normal_distribution<double> noise(0, 4);
  Image<std::uint8_t> image(80, 60);
  for (int y = 0; y < 60; ++y)
    for (int x = 0; x < 80; ++x)
      image.view()(x, y) = static_cast<std::uint8_t>((x < 40 ? 60 : 190) + noise(test::generator()));
  const Image<std::uint8_t> out = test::filtered<std::uint8_t>(*context, denoise(4, 6.0 / 255), image.view());
  for (int y = 8; y < 52; ++y) {
    for (int x = 8; x < 34; ++x) ASSERT_NEAR(out.view()(x, y), 60, 3) << x << ", " << y;
    ASSERT_LT(out.view()(39, y), 85);
    ASSERT_GT(out.view()(40, y), 165);
  }
}

SCANLENS_ON_EVERY_DEVICE(Denoise);

}  // namespace
}  // namespace scanlens
