// The part of a picture that a filter changes: weights against loops in double, and every filter blended.
#include "filters/where.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "filters/expression.h"
#include "tests/unit/support/filters.h"

namespace scanlens {
namespace {

constexpr std::int64_t kWidth = 61, kHeight = 43;

class WhereOf : public test::OnDevice {};

struct Pixel {
  double red, green, blue, luma, x, y, depth;
};

/// Returns a ramp of 0 .. 1 that is 1/2 at 0.
double ramp(double beyond, double width) {
  return std::clamp(beyond / width + 0.5, 0., 1.);
}

/// Disparity of -0.1 to 2 or, where depth has no unit, to 1.
Image<float> disparity(bool metric) {
  Image<float> map(kWidth, kHeight);
  for (std::int64_t y = 0; y < kHeight; ++y)
    for (std::int64_t x = 0; x < kWidth; ++x)
      map.view()(x, y) = test::map_value(x, y) * (metric ? 2.f : 1.f) + (metric ? 0.05f : 0.f);
  return map;
}

struct Case {
  const char* expression;
  const char* feather;
  bool metric;
  std::function<double(const Pixel&)> weight;
};

const Case kCases[] = {
    {"luma > 0.5", "", true, [](const Pixel& p) { return p.luma > 0.5; }},
    {"r > 0.2 and g > 0.2 or not b > 0.5", "", true,
     [](const Pixel& p) { return (p.red > 0.2 && p.green > 0.2) || !(p.blue > 0.5); }},
    {"x < 20 or y >= 30", "", true, [](const Pixel& p) { return p.x < 20 || p.y >= 30; }},
    {"depth > 3m", "", true, [](const Pixel& p) { return p.depth > 3; }},
    {"depth>3m", "0.5m", true, [](const Pixel& p) { return ramp(p.depth - 3, 0.5); }},
    {"depth>300cm", "50cm", true, [](const Pixel& p) { return ramp(p.depth - 3, 0.5); }},
    {"not depth > 3m", "2m", true, [](const Pixel& p) { return ramp(3 - p.depth, 2); }},
    {"depth < 60%", "20%", false, [](const Pixel& p) { return ramp(0.6 - p.depth, 0.2); }},
    {"depth > 1m and depth < 4m", "1m", true,
     [](const Pixel& p) { return std::min(ramp(p.depth - 1, 1), ramp(4 - p.depth, 1)); }},
    {"0.3 < depth or x < 10", "10%", false,
     [](const Pixel& p) { return std::max(ramp(p.depth - 0.3, 0.1), p.x < 10 ? 1. : 0.); }},
};

TEST_P(WhereOf, WeighsAsALoopDoes) {
  const auto picture = test::random_image<std::uint8_t>(kWidth, kHeight, 3);
  for (const Case& one : kCases) {
    SCOPED_TRACE(std::string(one.expression) + " " + one.feather);
    const Image<float> map = disparity(one.metric);
    const test::GuardedArray<std::uint8_t> image(*context, picture.view());
    const test::GuardedArray<float> depth(*context, map.view());
    test::GuardedArray<std::uint16_t> weights(*context, Image<std::uint16_t>(kWidth, kHeight).view());
    const Where where = parse_where(one.expression, one.feather);
    // Rows come in two parts.
    constexpr std::int64_t kFirst = 17;
    for (const auto& [top, rows] : {std::pair(std::int64_t{0}, kFirst), {kFirst, kHeight - kFirst}}) {
      PixelSources<std::uint8_t> sources;
      sources.image = View<const std::uint8_t>(image.view().region(0, top, kWidth, rows));
      sources.disparity = View<const float>(depth.view().region(0, top, kWidth, rows));
      sources.metric = one.metric;
      weigh(*context, where, sources, top, weights.view().region(0, top, kWidth, rows));
    }
    const Image<std::uint16_t> made = weights.image();
    for (std::int64_t y = 0; y < kHeight; ++y)
      for (std::int64_t x = 0; x < kWidth; ++x) {
        const auto share = [&](int c) { return picture.view()(x, y, c) / 255.; };
        const double value = static_cast<double>(map.view()(x, y));
        const double luma =
            std::floor(.2126 * 255 * share(0) + .7152 * 255 * share(1) + .0722 * 255 * share(2) + .5);
        const Pixel pixel{share(0),
                          share(1),
                          share(2),
                          luma / 255,
                          static_cast<double>(x),
                          static_cast<double>(y),
                          one.metric ? 1 / value : value};
        ASSERT_NEAR(made.view()(x, y), 65535 * one.weight(pixel), 0.6) << x << ", " << y;
      }
  }
}

/// Means over the box that reaches `radius` pixels, cut off at the borders.
std::vector<double> box_means(const std::vector<double>& values, std::int64_t radius) {
  std::vector<double> means(values.size());
  for (std::int64_t y = 0; y < kHeight; ++y)
    for (std::int64_t x = 0; x < kWidth; ++x) {
      double sum = 0;
      int count = 0;
      for (std::int64_t v = std::max<std::int64_t>(0, y - radius); v <= std::min(kHeight - 1, y + radius);
           ++v)
        for (std::int64_t u = std::max<std::int64_t>(0, x - radius); u <= std::min(kWidth - 1, x + radius);
             ++u) {
          sum += values[static_cast<std::size_t>(v * kWidth + u)];
          ++count;
        }
      means[static_cast<std::size_t>(y * kWidth + x)] = sum / count;
    }
  return means;
}

/// The guided filter of He, Sun and Tang in double.
std::vector<double> guided(const std::vector<double>& guide, const std::vector<double>& input,
                           std::int64_t radius) {
  const auto products = [](const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> made(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) made[i] = a[i] * b[i];
    return made;
  };
  const auto mean = box_means(guide, radius), input_mean = box_means(input, radius);
  const auto squares = box_means(products(guide, guide), radius);
  const auto cross = box_means(products(guide, input), radius);
  std::vector<double> slope(guide.size()), offset(guide.size());
  for (std::size_t i = 0; i < guide.size(); ++i) {
    slope[i] = (cross[i] - mean[i] * input_mean[i]) / (squares[i] - mean[i] * mean[i] + 0.05 * 0.05);
    offset[i] = input_mean[i] - slope[i] * mean[i];
  }
  slope = box_means(slope, radius);
  offset = box_means(offset, radius);
  for (std::size_t i = 0; i < guide.size(); ++i)
    slope[i] = std::clamp(slope[i] * guide[i] + offset[i], 0., 1.);
  return slope;
}

TEST_P(WhereOf, FeathersAsTheGuidedFilterDoes) {
  for (const int width : {1, 8, 21, 200}) {
    SCOPED_TRACE(width);
    const std::int64_t radius = (width + 3) / 4;
    Image<std::uint16_t> guide(kWidth, kHeight), hard(kWidth, kHeight);
    std::vector<double> guide_shares, hard_shares;
    for (std::int64_t y = 0; y < kHeight; ++y)
      for (std::int64_t x = 0; x < kWidth; ++x) {
        // A grey slope with a bright thing on it, whose rim lies beside that of the choice.
        guide.view()(x, y) = static_cast<std::uint16_t>(x > 20 && y > 15 ? 60000 : 300 * x + 100 * y);
        hard.view()(x, y) = x > 22 && y > 13 ? 65535 : 0;
        guide_shares.push_back(guide.view()(x, y) / 65535.);
        hard_shares.push_back(hard.view()(x, y) / 65535.);
      }
    const Where where = parse_where("luma > 0.5", std::to_string(width) + "px");
    Image<std::uint16_t> made = upload(*context, std::move(hard));
    const Image<std::uint16_t> there = upload(*context, std::move(guide));
    feather(*context, where, there.view(), made.view());
    made = download(*context, std::move(made));
    const std::vector<double> expected = guided(guide_shares, hard_shares, radius);
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(made.view().data[i], 65535 * expected[i], 24) << i % kWidth << ", " << i / kWidth;
  }
}

/// Returns the share of what was made that a weight says.
template <class T>
T blended(T from, T to, std::uint16_t weight) {
  const long double share = static_cast<long double>(weight) / 65535;
  const long double value = static_cast<long double>(from) + (static_cast<long double>(to) - from) * share;
  return static_cast<T>(std::is_floating_point_v<T> ? value : std::floor(value + 0.5L));
}

TEST_P(WhereOf, EveryFilterChangesItsPart) {
  constexpr int kChannels[] = {1, 3, 4};
  constexpr std::int64_t kBands[] = {1, 7, 32, 1000};
  test::for_calls_combined_with(
      {std::size(kChannels), std::size(kBands)},
      [&]<class T>(const FilterCall& call, T, const test::Choice& choice) {
        if (changes_geometry(*call.filter)) return;
        const Image<T> image = test::random_image<T>(19, 50, kChannels[choice[0]]);
        Image<T> expected = test::filtered<T>(*context, call, image.view());
        FilterCall part = call;
        part.where = std::make_shared<const Where>(parse_where("x > 1", ""));
        const Image<T> whole = test::filtered<T>(*context, part, image.view());
        for (std::int64_t y = 0; y < image.height(); ++y)
          for (std::int64_t x = 0; x < image.width(); ++x)
            for (int c = 0; c < image.channels(); ++c) {
              T& value = expected.view()(x, y, c);
              value = blended(image.view()(x, y, c), value, test::weight_value(x, y));
              if constexpr (std::is_floating_point_v<T>)
                ASSERT_NEAR(whole.view()(x, y, c), value, 2e-5 * std::max(1.f, std::abs(value)));
            }
        if constexpr (!std::is_floating_point_v<T>)
          test::expect_equal<T>(whole.view(), expected.view(), "a part");
        test::expect_equal<T>(test::filtered_in_place<T>(*context, part, image.view()).view(), whole.view(),
                              "in place");
        const Image<T> streamed = test::streamed<T>(*context, part, image.view(), kBands[choice[1]]);
        if constexpr (!std::is_floating_point_v<T>)
          test::expect_equal<T>(streamed.view(), whole.view(), "in bands");
      });
}

TEST(Where, FollowsAChangeOfSize) {
  Context context = Context::open("cpu");
  std::vector<FilterCall> calls = {parse_filter("resize:width=20"), parse_filter("box:radius=2:where=x<5")};
  const auto image = test::random_image<std::uint8_t>(40, 60, 3);
  const test::WithMaps with(context, calls, 40, 60);
  Image<std::uint8_t> whole(20, 30, 3);
  run_filters<std::uint8_t>(context, with.calls(), image.view(), whole.view());
  for (const std::int64_t band : {1, 16, 100})
    test::expect_equal<std::uint8_t>(test::streamed<std::uint8_t>(context, calls, image.view(), band).view(),
                                     whole.view(), "bands");
}

TEST(Where, IsSaidWithAFilter) {
  const FilterCall call = parse_filter("box:where=depth>3m and luma<0.5:feather=0.5m:radius=2");
  ASSERT_TRUE(call.where);
  EXPECT_EQ(call.where->text, "depth>3m and luma<0.5");
  EXPECT_EQ(call.where->feather.value, 0.5);
  EXPECT_EQ(call.where->depth_unit, Unit::metres);
  EXPECT_TRUE(call.where->selection.asks_for_depth());
  EXPECT_EQ(parse_filter("box:where=luma<0.5:feather=7.5").where->feather_pixels(), 8);
  EXPECT_FALSE(parse_filter("box:radius=2").where);
  EXPECT_EQ(parse_filter("variable_box:mask=a:b.png:where=x>2").map_file, "a:b.png");
}

TEST(Where, RefusesWhatMakesNoSense) {
  const std::pair<const char*, const char*> kMistakes[] = {
      {"box:where=luma>", "--filter box:where=luma>: where, at character 6: expected a number or a name"},
      {"box:feather=2px",
       "--filter box:feather=2px: feather has no effect without where; add where=EXPRESSION"},
      {"box:where=x>1:where=x>2", "--filter box:where=x>1:where=x>2: where is given twice"},
      {"box:where=x>1:feather=0.5m",
       "--filter box:where=x>1:feather=0.5m: feather is '0.5m', a width in depth, but the expression "
       "compares "
       "depth with no number; give pixels, 8px"},
      {"box:where=depth>1m:feather=5%",
       "--filter box:where=depth>1m:feather=5%: feather is '5%', but depth is compared in another unit; give "
       "the feather in that one"},
      {"box:where=x>1:feather=-2",
       "--filter box:where=x>1:feather=-2: feather is '-2', but has to be from 0 to 4000 pixels"},
      {"resize:width=2:where=x>1",
       "--filter resize:width=2:where=x>1: resize moves pixels, so that it changes all of the picture; leave "
       "out where"},
  };
  for (const auto& [text, message] : kMistakes) {
    SCOPED_TRACE(text);
    try {
      parse_filter(text);
      ADD_FAILURE() << "was taken";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), message);
    }
  }
}

SCANLENS_ON_EVERY_DEVICE(WhereOf);

}  // namespace
}  // namespace scanlens
