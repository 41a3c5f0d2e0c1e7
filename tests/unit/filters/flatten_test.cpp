// Flattening against a loop over the pixels of each box, in double.
#include <cmath>

#include "tests/unit/support/filters.h"

namespace scanlens {
namespace {

FilterCall flatten(std::int64_t radius, double target) {
  return parse_filter(fmt::format("flatten:radius={}:target={}", radius, target));
}

template <class T>
void expect_flat(View<const T> out, View<const T> image, std::int64_t radius, double target) {
  constexpr bool kFloat = std::is_floating_point_v<T>;
  const double white = kFloat ? 1 : sizeof(T) == 1 ? 255 : 65535;
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x)
      for (int c = 0; c < image.channels; ++c) {
        if (c == 3) {
          ASSERT_EQ(out(x, y, 3), image(x, y, 3)) << "alpha at (" << x << ", " << y << ")";
          continue;
        }
        double sum = 0, weights = 0;
        for (std::int64_t j = std::max<std::int64_t>(0, y - radius);
             j <= std::min(image.height - 1, y + radius); ++j)
          for (std::int64_t i = std::max<std::int64_t>(0, x - radius);
               i <= std::min(image.width - 1, x + radius); ++i) {
            const double alpha = image.channels == 4 ? static_cast<double>(image(i, j, 3)) / white : 1;
            sum += alpha * static_cast<double>(image(i, j, c));
            weights += alpha;
          }
        const auto own = static_cast<double>(image(x, y, c));
        const double flat = sum > 0 ? own * target * white * weights / sum : own;
        const double expected = kFloat ? flat : std::min(flat, white);
        ASSERT_NEAR(static_cast<double>(out(x, y, c)), expected,
                    (kFloat ? 0 : 0.5) + 1e-6 * std::max(flat, white))
            << "at (" << x << ", " << y << ") channel " << c << " of " << image.channels << ", " << sizeof(T)
            << " bytes, radius " << radius << ", target " << target;
      }
}

class Flatten : public test::OnDevice {
 protected:
  template <class T>
  void check(std::int64_t width, std::int64_t height, std::int64_t radius, double target) {
    for (const int channels : {1, 3, 4}) {
      Image<T> image = test::random_image<T>(width, height, channels);
      if (channels == 4)  // a part that is not there
        for (std::int64_t y = 0; y < height; ++y)
          for (std::int64_t x = 0; x < width; ++x)
            image.view()(x, y, 3) = x < width / 2 ? T(0) : T(1) + image.view()(x, y, 3) / T(2);
      expect_flat<T>(test::filtered<T>(*context, flatten(radius, target), image.view()).view(), image.view(),
                     radius, target);
      expect_flat<T>(test::streamed<T>(*context, flatten(radius, target), image.view(), 6).view(),
                     image.view(), radius, target);
    }
  }
};

TEST_P(Flatten, DividesByTheMean) {
  for (const auto& [width, height] : {std::pair{1, 1}, {50, 1}, {1, 43}, {37, 41}})
    for (const std::int64_t radius : {1, 4, 17, 10000})
      for (const double target : {0.2, 0.9, 1.0}) {
        check<std::uint8_t>(width, height, radius, target);
        check<std::uint16_t>(width, height, radius, target);
        check<float>(width, height, radius, target);
        if (HasFatalFailure()) return;
      }
}

// A page that is lit from one side, and a stroke on it.
TEST_P(Flatten, PaperBecomesEvenAndInkStaysDark) {
  Image<std::uint8_t> image(200, 120);
  for (int y = 0; y < 120; ++y)
    for (int x = 0; x < 200; ++x)
      image.view()(x, y) =
          static_cast<std::uint8_t>((100 + x / 2) * (x == 100 && y > 20 && y < 100 ? 0.2 : 1));
  const Image<std::uint8_t> out = test::filtered<std::uint8_t>(*context, flatten(20, 0.9), image.view());
  for (int y = 0; y < 120; ++y)
    for (int x = 20; x < 180; ++x) {
      const bool ink = x == 100 && y > 20 && y < 100;
      ASSERT_NEAR(out.view()(x, y), ink ? 48 : 230, 8) << x << ", " << y;
    }
}

TEST_P(Flatten, ConstantsBecomeTheTarget) {
  for (const int value : {1, 7, 100, 255}) {
    Image<std::uint16_t> image(60, 50, 3);
    std::fill_n(image.view().data, image.view().extent(), static_cast<std::uint16_t>(257 * value));
    const Image<std::uint16_t> out = test::filtered<std::uint16_t>(*context, flatten(9, 0.5), image.view());
    for (std::int64_t i = 0; i < out.view().extent(); ++i) ASSERT_NEAR(out.view().data[i], 32767.5, 0.6);
  }
}

SCANLENS_ON_EVERY_DEVICE(Flatten);

}  // namespace
}  // namespace scanlens
