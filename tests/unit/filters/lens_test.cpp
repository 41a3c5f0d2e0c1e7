#include "filters/lens.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "filters/dof/layers_formula.h"
#include "filters/dof_params.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

/// Diameter on the sensor by the textbook's thin lens, halved and scaled to pixels.
double textbook_radius(const ThinLens& lens, double width, double z) {
  const double f = lens.focal_length_mm / 1000, zf = lens.focus_m;
  const double diameter = f * f * std::abs(z - zf) / (lens.f_number * z * (zf - f));
  return diameter / 2 * width / (lens.sensor_width_mm / 1000);
}

TEST(ThinLens, FollowsTheTextbook) {
  for (const ThinLens lens : {ThinLens{}, ThinLens{85, 1.4, 36, 2.5}, ThinLens{4.2, 1.8, 6.4, 0.3}})
    for (const double z : {0.25, 0.9, 1.0, 2.5, 40.0, 1e6}) {
      const Blur blur = thin_lens_blur(lens, 1920);
      const double expected = textbook_radius(lens, 1920, z);
      EXPECT_NEAR(circle_of_confusion(static_cast<float>(1 / z), blur), expected, 1e-4 * expected + 1e-4)
          << z;
    }
}

TEST(ThinLens, FocusesAtInfinity) {
  ThinLens lens;
  lens.focus_m = std::numeric_limits<double>::infinity();
  const Blur blur = thin_lens_blur(lens, 1000);
  EXPECT_EQ(circle_of_confusion(0.f, blur), 0.f);
  EXPECT_NEAR(circle_of_confusion(0.5f, blur), 0.05 * 0.05 * 0.5 / (2 * 2) * 1000 / 0.036, 1e-4);
}

TEST(ThinLens, RefusesWhatIsNoLens) {
  EXPECT_THROW(thin_lens_blur({0, 2, 36, 1}, 100), Error);
  EXPECT_THROW(thin_lens_blur({50, -1, 36, 1}, 100), Error);
  EXPECT_THROW(thin_lens_blur({50, 2, std::nan(""), 1}, 100), Error);
  EXPECT_THROW(thin_lens_blur({50, 2, 36, 0.05}, 100), Error) << "focused nearer than the focal length";
}

TEST(RelativeBlur, ReachesTheLargestRadiusAtTheFarEnd) {
  const Blur near_focus = relative_blur(0.8, 20);
  EXPECT_FLOAT_EQ(circle_of_confusion(0.f, near_focus), 20.f);
  EXPECT_FLOAT_EQ(circle_of_confusion(0.8f, near_focus), 0.f);
  EXPECT_FLOAT_EQ(circle_of_confusion(1.f, near_focus), 5.f);
  EXPECT_FLOAT_EQ(circle_of_confusion(1.f, relative_blur(0, 12)), 12.f);
}

TEST(InFocus, TheCircleGrowsFromNothingAtTheEdgesOfTheZone) {
  const Blur blur = relative_blur(0.4, 20, 0.2);
  for (const float disparity : {0.3f, 0.35f, 0.4f, 0.45f, 0.5f})
    EXPECT_NEAR(circle_of_confusion(disparity, blur), 0, 1e-5) << disparity;
  EXPECT_FLOAT_EQ(circle_of_confusion(0.f, blur), 12.f) << "0.3 beyond the zone";
  EXPECT_FLOAT_EQ(circle_of_confusion(1.f, blur), 20.f) << "the farther end has the largest blur";
  constexpr float kStep = 1e-3f;
  for (float disparity = 0; disparity < 1; disparity += kStep)
    EXPECT_LE(std::abs(circle_of_confusion(disparity + kStep, blur) - circle_of_confusion(disparity, blur)),
              1.001f * kStep * blur.scale)
        << disparity;
  EXPECT_EQ(circle_of_confusion(std::nanf(""), blur), 20.f);
  EXPECT_EQ(circle_of_confusion(1.f, relative_blur(0.5, 20, 1)), 0.f) << "all is in focus";
  EXPECT_THROW(relative_blur(0.5, 20, -0.1), Error);
  EXPECT_THROW(relative_blur(0.5, 20, std::nan("")), Error);
}

TEST(InFocus, TheSideOfACircleIsThatOfItsPixel) {
  const LayeredLens lens{relative_blur(0.4, 20, 0.2), 2, 0.5f};
  EXPECT_FLOAT_EQ(signed_circle(1.f, lens), 40.f);
  EXPECT_FLOAT_EQ(signed_circle(0.f, lens), -6.f);
  EXPECT_EQ(signed_circle(0.45f, lens), 0.f);
  EXPECT_EQ(signed_circle(0.35f, lens), 0.f);
}

TEST(InFocus, OfAThinLensItIsAsWideInMetres) {
  DofValues values;
  values.in_focus = 1;
  const auto circle = [&](double metres, std::optional<double> most = std::nullopt) {
    return circle_of_confusion(static_cast<float>(1 / metres),
                               blur_of(values, 0.5, {true, 0.1f, 1.f}, 1000, most));
  };
  const auto lens_alone = [&](double metres) {
    return circle_of_confusion(static_cast<float>(1 / metres), thin_lens_blur({.focus_m = 2}, 1000));
  };
  for (const double metres : {1.51, 1.8, 2.0, 2.49}) EXPECT_EQ(circle(metres), 0.f) << metres;
  EXPECT_NEAR(circle(1), lens_alone(1) - lens_alone(1.5), 1e-4);
  EXPECT_NEAR(circle(10), lens_alone(10) - lens_alone(2.5), 1e-4);
  EXPECT_FLOAT_EQ(circle(1, 30), 30.f) << "--blur stays the largest radius";
  values.in_focus = 10;
  EXPECT_EQ(circle(0.01), 0.f) << "all that is nearer";
  EXPECT_GT(circle(20), 0.f);
}

TEST(RelativeBlur, RefusesWhatIsOutOfRange) {
  EXPECT_THROW(relative_blur(-0.1, 5), Error);
  EXPECT_THROW(relative_blur(1.1, 5), Error);
  EXPECT_THROW(relative_blur(0.5, -1), Error);
  EXPECT_THROW(relative_blur(std::nan(""), 1), Error);
}

TEST(Blur, BoundIsWhatTheMapReaches) {
  EXPECT_FLOAT_EQ(bounded(thin_lens_blur({}, 1000), 0.5f, 1.f).most,
                  circle_of_confusion(0.5f, thin_lens_blur({}, 1000)));
}

TEST(BoxKernel, HasTheAreaOfTheDisc) {
  for (float radius = 0; radius < 500; radius += 0.37f) {
    const BoxKernel box = box_of_equal_area(radius);
    const double area = (2.0 * box.inner + 1) * (2.0 * box.inner + 1) + box.ring * 8.0 * (box.inner + 1);
    const double disc = 3.14159265358979 * radius * radius;
    EXPECT_NEAR(area, std::max(1.0, disc), 1e-5 * disc + 1e-5) << radius;
    EXPECT_GE(box.ring, 0.f);
    EXPECT_LE(box.ring, 1.f);
  }
  EXPECT_TRUE(is_sharp(box_of_equal_area(0.f)));
  EXPECT_TRUE(is_sharp(box_of_equal_area(0.56f)));
  EXPECT_FALSE(is_sharp(box_of_equal_area(0.6f)));
}

}  // namespace
}  // namespace scanlens
