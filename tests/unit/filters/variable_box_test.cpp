// Holds variable boxes against a loop over the pixels of each box, in double.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/unit/support/filters.h"

namespace scanlens {
namespace {

FilterCall variable_box(double radius) {
  return parse_filter(fmt::format("variable_box:radius={}", radius));
}

/// The mean over the box that reaches `reach`, whose outermost ring counts by what is left of it.
template <class T>
double mean_around(View<const T> image, double reach, std::int64_t x, std::int64_t y, int c) {
  const auto whole = static_cast<std::int64_t>(reach);
  const std::int64_t outer = whole + 1;
  double sum = 0, weights = 0;
  for (std::int64_t j = std::max<std::int64_t>(0, y - outer); j <= std::min(image.height - 1, y + outer); ++j)
    for (std::int64_t i = std::max<std::int64_t>(0, x - outer); i <= std::min(image.width - 1, x + outer);
         ++i) {
      const bool inside = std::max(std::abs(i - x), std::abs(j - y)) <= whole;
      double weight = inside ? 1 : reach - static_cast<double>(whole);
      if (image.channels == 4 && c < 3) weight *= static_cast<double>(image(i, j, 3));
      sum += weight * static_cast<double>(image(i, j, c));
      weights += weight;
    }
  return weights > 0 ? sum / weights : static_cast<double>(image(x, y, c));
}

class VariableBox : public test::OnDevice {
 protected:
  template <class T>
  void check(double radius) {
    const double most = std::is_floating_point_v<T> ? 1 : std::numeric_limits<T>::max();
    const double allowed = (std::is_floating_point_v<T> ? 0 : 0.5) + most * 5 * 0x1p-24;
    for (const int channels : {1, 3, 4}) {
      const Image<T> image = test::random_image<T>(37, 29, channels);
      const View<const T> view = image.view();
      const Image<T> out = test::filtered<T>(*context, variable_box(radius), view);
      for (std::int64_t y = 0; y < view.height; ++y)
        for (std::int64_t x = 0; x < view.width; ++x)
          for (int c = 0; c < channels; ++c) {
            const float reach = static_cast<float>(std::min(radius, 37.0)) * test::map_value(x, y);
            ASSERT_NEAR(out.view()(x, y, c), mean_around(view, reach, x, y, c), allowed)
                << "at (" << x << ", " << y << ") channel " << c << " of " << channels << ", " << sizeof(T)
                << " bytes, radius " << radius;
          }
    }
  }
};

TEST_P(VariableBox, IsTheMeanOverABoxAsLargeAsTheMaskSays) {
  for (const double radius : {0.0, 0.5, 1.0, 2.7, 20.0, 1000.0}) {
    check<std::uint8_t>(radius);
    check<std::uint16_t>(radius);
    check<float>(radius);
  }
}

TEST_P(VariableBox, LeavesPixelsWhoseMaskIsZeroAndTakesWhatIsBeyondAsTheBounds) {
  const Image<std::uint8_t> image = test::random_image<std::uint8_t>(40, 8, 4);
  Image<float> mask(40, 8);
  for (std::int64_t y = 0; y < 8; ++y)
    for (std::int64_t x = 0; x < 40; ++x)
      mask.view()(x, y) = x < 10 ? 0.f : x < 20 ? -3.f : x < 30 ? std::nanf("") : 7.f;
  test::GuardedArray<float> there(*context, mask.view());
  FilterCall call = variable_box(3), full = call;
  call.map = there.view();
  const Image<std::uint8_t> out = test::filtered<std::uint8_t>(*context, call, image.view());
  std::fill_n(mask.view().data, mask.view().extent(), 1.f);
  test::GuardedArray<float> white(*context, mask.view());
  full.map = white.view();
  const Image<std::uint8_t> blurred = test::filtered<std::uint8_t>(*context, full, image.view());
  test::expect_equal<std::uint8_t>(out.view().region(0, 0, 30, 8), image.view().region(0, 0, 30, 8), "sharp");
  test::expect_equal<std::uint8_t>(out.view().region(30, 0, 10, 8), blurred.view().region(30, 0, 10, 8),
                                   "full");
}

SCANLENS_ON_EVERY_DEVICE(VariableBox);

}  // namespace
}  // namespace scanlens
