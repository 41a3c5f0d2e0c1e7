#include "app/lens_options.h"

#include "support.h"

namespace scanlens {
namespace {

/// Disparity rises from `least` on the left to `most` on the right.
Depth ramp(float least, float most, bool metric) {
  Depth depth;
  depth.disparity = Image<float>(101, 21);
  for (int y = 0; y < 21; ++y)
    for (int x = 0; x < 101; ++x)
      depth.disparity.view()(x, y) = least + (most - least) * static_cast<float>(x) / 100;
  depth.metric = metric;
  depth.least = least;
  depth.most = most;
  return depth;
}

TEST(LensOptions, MetricDepthTakesAThinLens) {
  LensOptions options;
  options.focal_length_mm = 85;
  options.f_number = 1.4;
  options.focus = 2.5;
  std::string account;
  const Blur blur = blur_for(options, ramp(0.1f, 1.f, true), account);
  const Blur expected = bounded(thin_lens_blur({85, 1.4, 36, 2.5}, 101), 0.1f, 1.f);
  EXPECT_FLOAT_EQ(blur.scale, expected.scale);
  EXPECT_FLOAT_EQ(blur.focus, 0.4f);
  EXPECT_FLOAT_EQ(blur.most, expected.most);
  EXPECT_NE(account.find("2.5 m"), std::string::npos) << account;
}

TEST(LensOptions, TheMiddleIsInFocusByDefault) {
  std::string account;
  EXPECT_FLOAT_EQ(blur_for({}, ramp(0.f, 1.f, false), account).focus, 0.5f);
  EXPECT_FLOAT_EQ(blur_for({}, ramp(1.f, 3.f, true), account).focus, 2.f);
}

TEST(LensOptions, FocusAtTakesTheDisparityThere) {
  LensOptions options;
  options.focus_at = {80, 10};
  std::string account;
  EXPECT_FLOAT_EQ(blur_for(options, ramp(0.f, 1.f, false), account).focus, 0.8f);
  options.focus_at = {101, 10};
  EXPECT_THROW(blur_for(options, ramp(0.f, 1.f, false), account), Error);
}

TEST(LensOptions, BlurIsTheLargestRadius) {
  LensOptions options;
  options.most_blur = 12;
  std::string account;
  const Blur relative = blur_for(options, ramp(0.f, 1.f, false), account);
  EXPECT_FLOAT_EQ(relative.most, 12.f);
  options.focus = 0.5;  // metres: disparity 2
  const Blur metric = blur_for(options, ramp(1.f, 4.f, true), account);
  EXPECT_FLOAT_EQ(metric.most, 12.f);
  EXPECT_FLOAT_EQ(circle_of_confusion(4.f, metric), 12.f);
  EXPECT_FLOAT_EQ(circle_of_confusion(1.f, metric), 6.f);
}

TEST(LensOptions, RefusesWhatDoesNotGoTogether) {
  std::string account;
  LensOptions lens;
  lens.f_number = 2;
  EXPECT_THROW(blur_for(lens, ramp(0.f, 1.f, false), account), Error) << "a lens for depth without a unit";
  lens.most_blur = 5;
  EXPECT_THROW(blur_for(lens, ramp(0.f, 1.f, true), account), Error) << "a lens and a largest blur";
  LensOptions focus;
  focus.focus = 1.5;
  EXPECT_THROW(blur_for(focus, ramp(0.f, 1.f, false), account), Error) << "1.5 is not relative";
  focus.focus = 0;
  EXPECT_THROW(blur_for(focus, ramp(0.f, 1.f, true), account), Error) << "0 m";
}

}  // namespace
}  // namespace scanlens
