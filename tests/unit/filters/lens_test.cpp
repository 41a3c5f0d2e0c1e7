#include "filters/lens.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
