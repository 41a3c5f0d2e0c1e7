// Pictures and words laid over pictures against sums in double.
#include "filters/overlay.h"

#include <cmath>

#include "filters/color.h"
#include "tests/unit/support/filters.h"

namespace scanlens {
namespace {

class Overlays : public test::OnDevice {};

/// Light below and above, mixed as Porter and Duff have it.
double laid(double under, double under_alpha, double over, double over_alpha) {
  const double alpha = over_alpha + under_alpha * (1 - over_alpha);
  return alpha > 0 ? (over * over_alpha + under * under_alpha * (1 - over_alpha)) / alpha : 0;
}

struct At {
  const char* place;
  std::int64_t x, y;
};
/// An overlay of 9 x 7 pixels on 40 x 30, where a margin of 5 % of the width is two pixels.
constexpr At kPlaced[] = {
    {"top-left", 2, 2}, {"bottom-right", 29, 21}, {"centre", 15, 11}, {"left", 2, 11}, {"top", 15, 2}};

/// Holds a call's result against the mix of `image` with light and alpha of the overlay, at each pixel of it.
template <class Over>
void expect_laid(Context& context, const FilterCall& call, const At& at, int channels, const Over& over) {
  const Image<float> image = test::random_image<float>(40, 30, channels);
  const Image<float> out = test::filtered<float>(context, call, image.view());
  for (std::int64_t y = 0; y < 30; ++y)
    for (std::int64_t x = 0; x < 40; ++x) {
      const std::int64_t i = x - at.x, j = y - at.y;
      const bool inside = i >= 0 && j >= 0 && i < 9 && j < 7;
      const double alpha = inside ? 0.8 * over(i, j, 3) : 0;
      const double under_alpha = channels == 4 ? static_cast<double>(image.view()(x, y, 3)) : 1;
      for (int c = 0; c < channels; ++c) {
        double expected = static_cast<double>(image.view()(x, y, c));
        if (alpha > 0 && c == 3) expected = alpha + under_alpha * (1 - alpha);
        if (alpha > 0 && c < 3)
          expected = laid(expected, under_alpha, over(i, j, channels == 1 ? -1 : c), alpha);
        ASSERT_NEAR(out.view()(x, y, c), expected, 1e-5) << x << ", " << y << ", " << c;
      }
    }
  test::expect_equal<float>(test::streamed<float>(context, call, image.view(), 4).view(), out.view(),
                            "bands");
}

TEST_P(Overlays, PicturesAreMixedInLightAtTheirPlace) {
  const Image<float> map = test::map_for(kWatermark, 0, 0);
  const auto over = [&](std::int64_t i, std::int64_t j, int c) {
    const auto light = [&](int k) { return static_cast<double>(map.view()(i, j, k)); };
    return c < 0 ? 0.2126 * light(0) + 0.7152 * light(1) + 0.0722 * light(2) : light(c);
  };
  for (const At& at : kPlaced)
    for (const int channels : {1, 3, 4}) {
      SCOPED_TRACE(fmt::format("{}, {} channels", at.place, channels));
      const FilterCall call =
          parse_filter(fmt::format("watermark:place={}:margin=5%:opacity=80%:picture=x", at.place));
      expect_laid(*context, call, at, channels, over);
    }
}

TEST_P(Overlays, WordsHaveTheirColour) {
  const Image<float> map = test::map_for(kText, 0, 0);
  constexpr double kCodes[] = {0x20, 0x40, 0xe0};
  const auto over = [&](std::int64_t i, std::int64_t j, int c) {
    if (c == 3) return static_cast<double>(map.view()(i, j));
    return srgb_to_linear_in_double(kCodes[c] / 255);
  };
  for (const At& at : kPlaced) {
    const FilterCall call =
        parse_filter(fmt::format("text:place={}:margin=5:opacity=0.8:colour=#2040e0:words=x", at.place));
    expect_laid(*context, call, at, 3, over);
    expect_laid(*context, call, at, 4, over);
  }
}

TEST_P(Overlays, CodesAreMixedAsLightNotAsCodes) {
  Image<std::uint8_t> image(9, 7, 3);
  std::fill_n(image.view().data, image.view().extent(), std::uint8_t{0});
  const Image<std::uint8_t> out = test::filtered<std::uint8_t>(
      *context, parse_filter("text:place=top-left:margin=0:words=x"), image.view());
  for (std::int64_t y = 0; y < 7; ++y)
    for (std::int64_t x = 0; x < 9; ++x)
      ASSERT_NEAR(out.view()(x, y, 1), 255 * linear_to_srgb(test::map_value(x, y)), 0.51);
}

TEST_P(Overlays, BeyondTheEdgeAreCut) {
  for (const char* const place : {"centre", "top-left", "bottom-right"}) {
    const FilterCall call =
        parse_filter(fmt::format("watermark:place={}:margin=0:opacity=1:picture=x", place));
    const Image<std::uint8_t> small = test::random_image<std::uint8_t>(5, 4, 3);
    const Image<std::uint8_t> out = test::filtered<std::uint8_t>(*context, call, small.view());
    test::expect_equal<std::uint8_t>(test::streamed<std::uint8_t>(*context, call, small.view(), 1).view(),
                                     out.view(), place);
  }
}

TEST(OverlayRooms, AreSharesOfThePicture) {
  const RowFormat picture{1000, 600, 3, 1};
  const OverlayRoom logo = overlay_room(parse_filter("watermark:size=15%:picture=x"), picture);
  EXPECT_EQ(logo.width, 150);
  EXPECT_EQ(logo.height, 90);
  const OverlayRoom words = overlay_room(parse_filter("text:size=5:margin=10%:words=x"), picture);
  EXPECT_EQ(words.width, 800);
  EXPECT_EQ(words.line, 30);
  EXPECT_EQ(words.side, 1);
}

TEST(OverlayWords, MayHoldColonsAndStandBeforeOtherKeys) {
  const FilterCall call = parse_filter("text:words=Ferry: 17:30, a=b:font=a:b.ttf:size=3:where=x>2");
  EXPECT_EQ(call.map_file, "Ferry: 17:30, a=b");
  EXPECT_EQ(call.font_file, "a:b.ttf");
  EXPECT_EQ(std::any_cast<const TextParams&>(call.params).size, 3);
  EXPECT_TRUE(call.where);
  EXPECT_THROW(parse_filter("text:words="), Error);
  EXPECT_THROW(parse_filter("text:words=a:words=b"), Error);
}

SCANLENS_ON_EVERY_DEVICE(Overlays);

}  // namespace
}  // namespace scanlens
