// The guided filter against the equations of He, Sun and Tang, by loops over the pixels of each box, in
// double.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/unit/support/filters.h"
#include "tests/unit/support/moments.h"

namespace scanlens {
namespace {

FilterCall guided(std::int64_t radius, double deviation) {
  return parse_filter(fmt::format("guided:radius={}:deviation={}", radius, deviation));
}

/// The lines of the boxes around all pixels, in shares of white.
template <class T>
class Lines {
 public:
  Lines(View<const T> image, std::int64_t radius, double epsilon, int c)
      : width_(image.width),
        slopes_(static_cast<std::size_t>(image.width * image.height)),
        offsets_(slopes_) {
    const auto guide = [&](auto i, auto j) { return test::luma_at(image, i, j) / test::white<T>(); };
    const auto input = [&](auto i, auto j) { return static_cast<double>(image(i, j, c)) / test::white<T>(); };
    for (std::int64_t y = 0; y < image.height; ++y)
      for (std::int64_t x = 0; x < image.width; ++x) {
        const test::MomentsAround i = test::moments_around(image, radius, x, y, guide);
        const test::MomentsAround p = test::moments_around(image, radius, x, y, input);
        const double covariance = test::moments_around(image, radius, x, y, [&](auto u, auto v) {
                                    return (guide(u, v) - i.mean) * (input(u, v) - p.mean);
                                  }).mean;
        slope(x, y) = covariance / (i.variance + epsilon);
        offset(x, y) = p.mean - slope(x, y) * i.mean;
      }
  }
  double& slope(std::int64_t x, std::int64_t y) { return slopes_[static_cast<std::size_t>(y * width_ + x)]; }
  double& offset(std::int64_t x, std::int64_t y) {
    return offsets_[static_cast<std::size_t>(y * width_ + x)];
  }

 private:
  std::int64_t width_;
  std::vector<double> slopes_, offsets_;
};

class Guided : public test::OnDevice {
 protected:
  template <class T>
  void check(std::int64_t radius, double deviation) {
    for (const int channels : {1, 3, 4}) {
      const Image<T> image = test::picture_with_holes<T>(31, 23, channels);
      const View<const T> view = image.view();
      const Image<T> out = test::filtered<T>(*context, guided(radius, deviation), view);
      for (int c = 0; c < std::min(channels, 3); ++c) expect_channel(view, out.view(), radius, deviation, c);
      for (std::int64_t i = 3; channels == 4 && i < view.extent(); i += 4)
        ASSERT_EQ(out.view().data[i], view.data[i]) << "alpha";
    }
  }

  /// Half a step; the steps of slopes and offsets; what floats round, which slopes amplify.
  template <class T>
  static double allowed(int channels, double deviation) {
    constexpr bool kFloat = sizeof(T) == 4;
    return (kFloat ? 0 : 0.5) +
           test::white<T>() * ((kFloat          ? 0
                                : channels == 1 ? 0x1p-23
                                                : 0x1p-16) +
                               0x1p-20 / (4 * deviation) +
                               (kFloat && channels == 4 ? 0x1p-18 / (deviation * deviation) : 0));
  }

  template <class T>
  static void expect_channel(View<const T> image, View<const T> out, std::int64_t radius, double deviation,
                             int c) {
    Lines<T> lines(image, radius, deviation * deviation, c);
    const auto visible = [&](auto i, auto j) { return image.channels < 4 || image(i, j, 3) > T(0); };
    for (std::int64_t y = 0; y < image.height; ++y)
      for (std::int64_t x = 0; x < image.width; ++x) {
        if (!visible(x, y)) {
          ASSERT_EQ(out(x, y, c), image(x, y, c)) << "what cannot be seen, at (" << x << ", " << y << ")";
          continue;
        }
        const auto mean_of = [&](const auto& value) {  // every box that holds the pixel has some alpha
          return test::moments_around(image, radius, x, y, value, [](auto, auto) { return 1.0; }).mean;
        };
        const double slope = mean_of([&](auto i, auto j) { return lines.slope(i, j); });
        const double offset = mean_of([&](auto i, auto j) { return lines.offset(i, j); });
        const double white = test::white<T>();
        double expected = slope * test::luma_at(image, x, y) + offset * white;
        if (sizeof(T) < 4) expected = std::clamp(expected, 0.0, white);
        ASSERT_NEAR(out(x, y, c), expected, allowed<T>(image.channels, deviation))
            << "at (" << x << ", " << y << ") channel " << c << " of " << image.channels << ", " << sizeof(T)
            << " bytes, radius " << radius << ", deviation " << deviation;
      }
  }
};

TEST_P(Guided, IsTheirEquations) {
  for (const auto& [radius, deviation] :
       {std::pair{1, 0.1}, {2, 0.3}, {5, 0.05}, {5, 0.002}, {40, 1.}, {2000, 0.2}}) {
    check<std::uint8_t>(radius, deviation);
    check<std::uint16_t>(radius, deviation);
    check<float>(radius, deviation);
    if (HasFatalFailure()) return;
  }
}

// A step far above the deviation stays, and ripples far below it go.
TEST_P(Guided, KeepsAnEdgeAndLevelsRipples) {
  Image<std::uint8_t> image(80, 40, 3);
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 80; ++x)
      for (int c = 0; c < 3; ++c)
        image.view()(x, y, c) =
            static_cast<std::uint8_t>((x < 40 ? 50 : 200) + ((x + y) % 2 ? 2 : -2) + 10 * c);
  const Image<std::uint8_t> out = test::filtered<std::uint8_t>(*context, guided(4, 0.05), image.view());
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 80; ++x)
      for (int c = 0; c < 3; ++c)
        ASSERT_NEAR(out.view()(x, y, c), (x < 40 ? 50 : 200) + 10 * c, x > 31 && x < 48 ? 6 : 1)
            << x << ", " << y;
}

SCANLENS_ON_EVERY_DEVICE(Guided);

}  // namespace
}  // namespace scanlens
