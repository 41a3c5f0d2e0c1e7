#include "app/photo/lens_options.h"

#include "app/photo/dof_options.h"
#include "tests/unit/support/support.h"

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

std::optional<Amount> parse_blur(std::string_view text) {
  return parse_dof(dof_param(&DofValues::blur), text);
}

std::optional<Amount> parse_focus(std::string_view text) {
  return parse_dof(dof_param(&DofValues::focus), text);
}

TEST(LensOptions, MetricDepthTakesAThinLens) {
  LensOptions options;
  options.focal_length = 85;
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

TEST(LensOptions, AFocusPlaneGoesThroughThreePlaces) {
  std::string account;
  for (const bool metric : {false, true}) {
    Depth depth = ramp(0.1f, 0.9f, metric);  // a plane, with something before it
    for (int y = 0; y < 21; ++y)
      for (int x = 0; x < 101; ++x) depth.disparity.view()(x, y) += 0.02f * static_cast<float>(y);
    for (int y = 8; y < 13; ++y) depth.disparity.view()(30, y) = 1;
    LensOptions options;
    options.focus_plane = {10, 3, 90, 5, Amount(50, Unit::percent), Amount(90, Unit::percent)};
    const Blur blur = blur_for(options, depth, account);
    EXPECT_GT(blur.most, 0);
    for (const auto& [x, y] : {std::pair{10, 3}, {90, 5}, {50, 18}, {70, 12}})
      EXPECT_NEAR(focus_on_plane(blur, x, y, 101, 21), depth.disparity.view()(x, y), 1e-4) << x << ", " << y;
    EXPECT_NE(account.find("at the top and"), std::string::npos) << account;
    options.focus_plane = {10, 3, 50, 8, 90, 13};
    EXPECT_THROW(blur_for(options, depth, account), Error) << "places on a line";
    options.focus_plane = {10, 3, 50, 8, 90, 21};
    EXPECT_THROW(blur_for(options, depth, account), Error) << "a place outside";
  }
}

TEST(LensOptions, AnOutlierDoesNotMoveTheFocus) {
  std::string account;
  for (const float outlier : {0.f, 1.f}) {
    Depth depth = ramp(0.f, 1.f, false);
    depth.disparity.view()(80, 10) = outlier;
    depth.disparity.view()(50, 10) = outlier;
    LensOptions options;
    options.focus_at = {80, 10};
    EXPECT_FLOAT_EQ(blur_for(options, depth, account).focus, 0.8f);
    EXPECT_FLOAT_EQ(blur_for({}, depth, account).focus, 0.5f) << "the middle";
  }
}

TEST(LensOptions, FocusAtACornerTakesWhatIsThereOfTheNeighbours) {
  std::string account;
  LensOptions options;
  options.focus_at = {0, 0};
  EXPECT_FLOAT_EQ(blur_for(options, ramp(0.f, 1.f, false), account).focus, 0.01f);
  options.focus_at = {100, 20};
  EXPECT_FLOAT_EQ(blur_for(options, ramp(0.f, 1.f, false), account).focus, 0.99f);
  for (const auto& [x, y] : {std::pair{-1, 0}, {0, -1}, {0, 21}}) {
    options.focus_at = {static_cast<double>(x), static_cast<double>(y)};
    EXPECT_THROW(blur_for(options, ramp(0.f, 1.f, false), account), Error) << x << ", " << y;
  }
}

TEST(LensOptions, WithoutBlurTheLargestRadiusIsA64thOfTheWidth) {
  std::string account;
  EXPECT_FLOAT_EQ(blur_for({}, ramp(0.f, 1.f, false), account).most, 101.f / 64);
  LensOptions nearest;
  nearest.focus = 1;
  const Blur blur = blur_for(nearest, ramp(0.f, 1.f, false), account);
  EXPECT_FLOAT_EQ(circle_of_confusion(0.f, blur), 101.f / 64);
}

TEST(LensOptions, MetricBlurIsReachedAtTheEndFartherFromTheFocus) {
  std::string account;
  LensOptions options;
  options.blur = Amount(12);
  const auto check = [&](double focus_disparity, float at_least, float at_most) {
    options.focus = 1 / focus_disparity;
    const Blur blur = blur_for(options, ramp(1.f, 4.f, true), account);
    EXPECT_FLOAT_EQ(circle_of_confusion(1.f, blur), at_least) << focus_disparity;
    EXPECT_FLOAT_EQ(circle_of_confusion(4.f, blur), at_most) << focus_disparity;
    EXPECT_FLOAT_EQ(blur.most, 12.f) << focus_disparity;
  };
  check(2, 6, 12);
  check(3, 12, 6);
  check(2.5, 12, 12);
  check(8, 12, 12.f * 4 / 7);  // nearer than all there is
  options.focus.reset();
  const Blur middle = blur_for(options, ramp(1.f, 4.f, true), account);
  EXPECT_FLOAT_EQ(circle_of_confusion(1.f, middle), 12.f);
  EXPECT_FLOAT_EQ(circle_of_confusion(4.f, middle), 12.f);
  EXPECT_EQ(blur_for(options, ramp(2.f, 2.f, true), account).most, 0.f) << "one distance, in focus";
}

TEST(LensOptions, TheBoundIsWhatTheFartherEndReaches) {
  const Blur blur = relative_blur(0.4, 30);  // 50 pixels per unit
  EXPECT_FLOAT_EQ(bounded(blur, 0.3f, 0.7f).most, 15.f) << "the nearest";
  EXPECT_FLOAT_EQ(bounded(blur, 0.1f, 0.5f).most, 15.f) << "the farthest";
  EXPECT_FLOAT_EQ(bounded(blur, 0.5f, 0.7f).most, 15.f) << "both on one side";
  EXPECT_FLOAT_EQ(bounded(blur, 0.1f, 0.3f).most, 15.f) << "both on the other";
  EXPECT_FLOAT_EQ(bounded(blur, -5.f, 5.f).most, 30.f) << "never more than before";
  EXPECT_EQ(bounded(blur, 0.4f, 0.4f).most, 0.f);
  EXPECT_EQ(bounded(blur, 0.3f, 0.7f).scale, blur.scale);
  EXPECT_EQ(bounded(blur, 0.3f, 0.7f).focus, blur.focus);
}

TEST(LensOptions, BlurIsTheLargestRadius) {
  LensOptions options;
  options.blur = Amount(12);
  std::string account;
  const Blur relative = blur_for(options, ramp(0.f, 1.f, false), account);
  EXPECT_FLOAT_EQ(relative.most, 12.f);
  options.focus = 0.5;  // metres: disparity 2
  const Blur metric = blur_for(options, ramp(1.f, 4.f, true), account);
  EXPECT_FLOAT_EQ(metric.most, 12.f);
  EXPECT_FLOAT_EQ(circle_of_confusion(4.f, metric), 12.f);
  EXPECT_FLOAT_EQ(circle_of_confusion(1.f, metric), 6.f);
}

TEST(LensOptions, BlurMayBePercentOfTheWidth) {
  LensOptions options;
  options.blur = parse_blur("10%");
  std::string account;
  EXPECT_FLOAT_EQ(blur_for(options, ramp(0.f, 1.f, false), account).most, 10.1f);
  EXPECT_FLOAT_EQ(blur_for(options, ramp(1.f, 4.f, true), account).most, 10.1f);
  EXPECT_FLOAT_EQ(radius_of(*parse_blur("0%"), 640), 0.f);
  EXPECT_FLOAT_EQ(radius_of(*parse_blur("100%"), 640), 640.f);
  EXPECT_FLOAT_EQ(radius_of(*parse_blur("1.5e0%"), 640), 9.6f);
  EXPECT_FLOAT_EQ(radius_of(*parse_blur("1.5"), 640), 1.5f);
  EXPECT_FLOAT_EQ(radius_of(*parse_blur("5 %"), 640), 32.f);
  EXPECT_FLOAT_EQ(radius_of(*parse_blur("5px"), 640), 5.f);
  for (const char* text : {"", "%", "5%%", "-1%", "101%", "nan%", "inf%", "%5", "px", "5m", "-1", "30001"})
    EXPECT_FALSE(parse_blur(text)) << text;
}

TEST(LensOptions, FocusIsADistanceOrAShare) {
  for (const auto& [text, value, unit] :
       {std::tuple{"2.5", 2.5, Unit::none}, {"250cm", 2.5, Unit::metres}, {"80%", 0.8, Unit::share}}) {
    const std::optional<Amount> focus = parse_focus(text);
    ASSERT_TRUE(focus) << text;
    EXPECT_EQ(focus->value, value) << text;
    EXPECT_EQ(focus->unit, unit) << text;
  }
  for (const char* text : {"-1", "101%", "5px", "2.5mx", "nan"}) EXPECT_FALSE(parse_focus(text)) << text;
  LensOptions options;
  std::string account;
  options.focus = parse_focus("80%");
  EXPECT_FLOAT_EQ(blur_for(options, ramp(0.f, 1.f, false), account).focus, 0.8f);
  EXPECT_THROW(blur_for(options, ramp(1.f, 4.f, true), account), Error) << "depth in metres";
  options.focus = parse_focus("50cm");
  EXPECT_FLOAT_EQ(blur_for(options, ramp(1.f, 4.f, true), account).focus, 2.f);
  EXPECT_THROW(blur_for(options, ramp(0.f, 1.f, false), account), Error) << "depth without a unit";
}

TEST(LensOptions, FocusAtMayBePercentOfTheSides) {
  LensOptions options;
  std::string account;
  const auto focus_at = [&](double x, double y) {
    options.focus_at = {Amount(x, Unit::percent), Amount(y, Unit::percent)};
    return blur_for(options, ramp(0.f, 1.f, false), account).focus;
  };
  EXPECT_FLOAT_EQ(focus_at(50, 50), 0.5f);
  EXPECT_FLOAT_EQ(focus_at(80, 50), 0.8f);
  EXPECT_FLOAT_EQ(focus_at(0, 0), 0.01f);
  EXPECT_FLOAT_EQ(focus_at(100, 100), 0.99f) << "the last pixel";
}

TEST(LensOptions, ExifLensCountsWhereOptionsDoNot) {
  const ExifLens exif{85, 1.4, 23.5};
  std::string account;
  const auto expect_lens = [](const ThinLens& lens, double focal_length, double f_number, double sensor) {
    EXPECT_EQ(lens.focal_length_mm, focal_length);
    EXPECT_EQ(lens.f_number, f_number);
    EXPECT_EQ(lens.sensor_width_mm, sensor);
  };
  expect_lens(photo_lens({}, exif, account), 85, 1.4, 23.5);
  EXPECT_EQ(account, "lens from the photo's EXIF: 85 mm, f/1.4, sensor 23.5 mm wide");
  expect_lens(photo_lens({}, {}, account), 50, 2, 36);
  EXPECT_EQ(account, "");
  expect_lens(photo_lens({}, {85, {}, {}}, account), 85, 2, 36);
  EXPECT_EQ(account,
            "lens from the photo's EXIF: 85 mm; its sensor, missing in EXIF, is taken for 36 mm wide");

  LensOptions options;
  options.focal_length = 200;
  photo_lens(options, exif, account);
  EXPECT_EQ(account, "lens from the photo's EXIF: f/1.4, sensor 23.5 mm wide");
  options.focus = 2.5;
  const Blur blur = blur_for(options, ramp(0.1f, 1.f, true), account, photo_lens(options, exif, account));
  EXPECT_FLOAT_EQ(blur.scale, thin_lens_blur({200, 1.4, 23.5, 2.5}, 101).scale);
  options.f_number = 4;
  options.sensor_width = 6;
  photo_lens(options, exif, account);
  EXPECT_EQ(account, "") << "nothing is taken";
}

TEST(LensOptions, ExifLensNeedsAUnitAndNoBlur) {
  LensOptions options;
  EXPECT_TRUE(takes_lens(options, ramp(0.1f, 1.f, true)));
  EXPECT_FALSE(takes_lens(options, ramp(0.f, 1.f, false)));
  options.blur = Amount(5);
  EXPECT_FALSE(takes_lens(options, ramp(0.1f, 1.f, true)));
}

TEST(LensOptions, RefusesWhatDoesNotGoTogether) {
  std::string account;
  LensOptions lens;
  lens.f_number = 2;
  EXPECT_THROW(blur_for(lens, ramp(0.f, 1.f, false), account), Error) << "a lens for depth without a unit";
  LensOptions focus;
  focus.focus = 1.5;
  EXPECT_THROW(blur_for(focus, ramp(0.f, 1.f, false), account), Error) << "1.5 is not relative";
  focus.focus = 0;
  EXPECT_THROW(blur_for(focus, ramp(0.f, 1.f, true), account), Error) << "0 m";
}

}  // namespace
}  // namespace scanlens
