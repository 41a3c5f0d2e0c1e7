// Resized pictures against sums in double, made pixel by pixel from the whole picture.
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/graph.h"
#include "filters/tones.h"
#include "tests/unit/support/filters.h"

namespace scanlens {
namespace {

/// A picture's light times alpha, in double.
struct Light {
  std::int64_t width, height;
  int channels;
  std::vector<double> of;
  double& at(std::int64_t x, std::int64_t y, int c) {
    return of[static_cast<std::size_t>((y * width + x) * channels + c)];
  }
};

double srgb_light(double encoded) {
  return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}
double srgb_code(double light) {
  return light <= 0.04045 / 12.92 ? light * 12.92 : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

/// A tone curve and its inverse, of values 0..1.
struct Curve {
  double (*light)(double) = srgb_light;
  double (*code)(double) = srgb_code;
};

template <class T>
double white() {
  return std::is_floating_point_v<T> ? 1 : static_cast<double>(std::numeric_limits<T>::max());
}

template <class T>
Light light_of(View<const T> image, const Curve& curve) {
  Light light{image.width, image.height, image.channels, {}};
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x) {
      const double alpha = image.channels == 4 ? static_cast<double>(image(x, y, 3)) / white<T>() : 1;
      for (int c = 0; c < image.channels; ++c) {
        const double value = static_cast<double>(image(x, y, c)) / white<T>();
        light.of.push_back(c == 3 ? alpha
                                  : (std::is_floating_point_v<T> ? value : curve.light(value)) * alpha);
      }
    }
  return light;
}

double overlap(double a0, double a1, double b0, double b1) {
  return std::max(0.0, std::min(a1, b1) - std::max(a0, b0));
}

/// Weight of sample j of a line of `from` in sample i of a line of `to`.
double weight(std::int64_t j, std::int64_t from, std::int64_t i, std::int64_t to) {
  const double step = static_cast<double>(from) / static_cast<double>(to), at = static_cast<double>(i);
  const auto place = static_cast<double>(j);
  if (to <= from) return overlap(place, place + 1, at * step, (at + 1) * step);
  const double x = std::abs(place + 0.5 - (at + 0.5) * step), pi = std::numbers::pi;
  if (x >= 3) return 0;
  return x < 1e-12 ? 1 : std::sin(pi * x) / (pi * x) * std::sin(pi * x / 3) / (pi * x / 3);
}

/// One axis after the other, all weights of all samples.
Light resized_along(Light from, std::int64_t width) {
  Light to{width, from.height, from.channels, {}};
  for (std::int64_t y = 0; y < from.height; ++y)
    for (std::int64_t i = 0; i < width; ++i)
      for (int c = 0; c < from.channels; ++c) {
        double sum = 0, weights = 0, least = 0;
        for (std::int64_t j = 0; j < from.width; ++j) {
          const double share = weight(j, from.width, i, width);
          sum += share * from.at(j, y, c);
          weights += share;
          if (share != 0) least = std::min(least, from.at(j, y, c));
        }
        const double mean = sum / weights;
        to.of.push_back(width > from.width ? std::max(mean, least) : mean);
      }
  return to;
}

Light turned(Light from) {
  Light to{from.height, from.width, from.channels, {}};
  for (std::int64_t y = 0; y < to.height; ++y)
    for (std::int64_t x = 0; x < to.width; ++x)
      for (int c = 0; c < to.channels; ++c) to.of.push_back(from.at(y, x, c));
  return to;
}

/// Every sample is the reference rounded, up to `slack` codes of what is between two of them.
template <class T>
void expect_light(View<const T> out, Light light, double slack, const Curve& curve) {
  ASSERT_EQ(out.width, light.width);
  ASSERT_EQ(out.height, light.height);
  for (std::int64_t y = 0; y < out.height; ++y)
    for (std::int64_t x = 0; x < out.width; ++x) {
      const double alpha = out.channels == 4 ? light.at(x, y, 3) : 1;
      for (int c = 0; c < out.channels; ++c) {
        double expected = light.at(x, y, c);
        if (c < 3) expected = alpha > 0 ? expected / alpha : 0;
        const auto actual = static_cast<double>(out(x, y, c));
        if constexpr (std::is_floating_point_v<T>) {
          if (c < 3 && alpha < 1e-3) continue;  // nearly invisible
          if (c == 3) expected = std::min(expected, 1.0);
          ASSERT_NEAR(actual, expected, slack * std::max(1.0, std::abs(expected)))
              << x << ", " << y << ", " << c;
        } else {
          if (c < 3 && alpha < 1e-3) continue;
          expected = std::clamp(expected, 0.0, 1.0);
          if (c < 3) expected = curve.code(expected);
          ASSERT_NEAR(actual, expected * white<T>(), 0.5 + slack / alpha) << x << ", " << y << ", " << c;
        }
      }
    }
}

FilterCall resize(const std::string& values) {
  return parse_filter("resize:" + values);
}

template <class T>
void expect_reference(Context& context, const FilterCall& call, View<const T> image, double slack,
                      const Curve& curve = {}) {
  const RowFormat made = output_of(call, {image.width, image.height, image.channels, sizeof(T)});
  const Light light =
      turned(resized_along(turned(resized_along(light_of<T>(image, curve), made.width)), made.height));
  const Image<T> out = test::filtered<T>(context, call, image);
  expect_light<T>(out.view(), light, slack, curve);
  for (const std::int64_t band : {1, 2, 7, 1000})
    test::expect_equal<T>(test::streamed<T>(context, call, image, band).view(), out.view(),
                          "bands of " + std::to_string(band));
}

class Resize : public test::OnDevice {};

TEST_P(Resize, IsTheMeanOfAreasOrLanczos) {
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 3}, {3, 1}, {13, 7}, {31, 29}, {40, 97}})
    for (const std::string values :
         {"width=1", "width=2", "width=3", "height=5", "long=11", "percent=50", "long=23", "percent=99",
          "percent=113:enlarge=1", "width=37:enlarge=1", "height=101:enlarge=1", "percent=300:enlarge=1"})
      for (const int channels : {1, 3, 4}) {
        SCOPED_TRACE(testing::Message() << width << " x " << height << " x " << channels << ", " << values);
        const FilterCall call = resize(values);
        expect_reference<std::uint8_t>(
            *context, call, test::random_image<std::uint8_t>(width, height, channels).view(), 1e-3);
        expect_reference<std::uint16_t>(
            *context, call, test::random_image<std::uint16_t>(width, height, channels).view(), 0.05);
        expect_reference<float>(*context, call, test::random_image<float>(width, height, channels).view(),
                                2e-5);
        if (HasFatalFailure()) return;
      }
}

TEST_P(Resize, HasSizesInProportion) {
  const auto size = [](const std::string& values, std::int64_t width, std::int64_t height) {
    const RowFormat made = output_of(resize(values), {width, height, 3, 1});
    return std::pair{made.width, made.height};
  };
  using Size = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(size("long=2048", 4000, 3000), Size(2048, 1536));
  EXPECT_EQ(size("long=2048", 3000, 4000), Size(1536, 2048));
  EXPECT_EQ(size("long=2048", 800, 600), Size(800, 600)) << "never larger unless asked";
  EXPECT_EQ(size("long=2048:enlarge=1", 800, 600), Size(2048, 1536));
  EXPECT_EQ(size("width=100", 4000, 3000), Size(100, 75));
  EXPECT_EQ(size("height=100", 4000, 3000), Size(133, 100));
  EXPECT_EQ(size("width=100:height=50", 4000, 3000), Size(67, 50)) << "all bounds hold";
  EXPECT_EQ(size("percent=50", 5, 3), Size(3, 2)) << "halves go up";
  EXPECT_EQ(size("percent=50:long=1000", 4000, 3000), Size(1000, 750));
  EXPECT_EQ(size("width=1", 10000, 10), Size(1, 1)) << "no side is nothing";
  EXPECT_EQ(size("long=1073741823", 1 << 30, 1 << 30), Size(1073741823, 1073741823));
  EXPECT_THROW(size("percent=1000:enlarge=1", 1 << 30, 3), Error);
}

/// The mean of black and white is half the light: code 188 of sRGB, not 128; what is transparent has no
/// colour.
TEST_P(Resize, WorksInLightAndByAlpha) {
  Image<std::uint8_t> grey(2, 1), seen(2, 1, 4);
  grey.view()(0, 0) = 0;
  grey.view()(1, 0) = 255;
  EXPECT_EQ(test::filtered<std::uint8_t>(*context, resize("width=1"), grey.view()).view()(0, 0), 188);
  const std::uint8_t samples[] = {255, 0, 0, 255, 0, 255, 0, 0};
  std::copy_n(samples, 8, seen.view().data);
  const Image<std::uint8_t> one = test::filtered<std::uint8_t>(*context, resize("width=1"), seen.view());
  const std::uint8_t expected[] = {255, 0, 0, 128};
  EXPECT_TRUE(std::equal(expected, expected + 4, one.view().data));
}

TEST_P(Resize, DecodesByTheTonesOfTheCall) {
  const Curve curve{[](double code) { return std::pow(code, 2.2); },
                    [](double light) { return std::pow(light, 1 / 2.2); }};
  std::vector<float> light;
  for (int code = 0; code < 65536; ++code) light.push_back(static_cast<float>(curve.light(code / 65535.0)));
  const std::vector<std::vector<float>> alike(3, light);
  for (const std::string values : {"width=9", "width=41:enlarge=1"}) {
    FilterCall call = resize(values);
    call.tones = std::make_shared<const Tones>(make_tones(alike, 1));
    expect_reference<std::uint8_t>(*context, call, test::random_image<std::uint8_t>(30, 20, 4).view(), 2e-3,
                                   curve);
    call.tones = std::make_shared<const Tones>(make_tones(std::span(alike).first(1), 2));
    expect_reference<std::uint16_t>(*context, call, test::random_image<std::uint16_t>(30, 20, 3).view(), 0.5,
                                    curve);
    if (HasFatalFailure()) return;
  }
}

/// Every code survives, whatever the curve, near black too.
TEST_P(Resize, LeavesEveryCodeAsItIs) {
  const auto with = [&]<class T>(T, const std::shared_ptr<const Tones>& tones, const std::string& values) {
    FilterCall call = resize(values);
    call.tones = tones;
    const int most = std::numeric_limits<T>::max();
    for (int code = 0; code <= most; code += most > 255 && code > 600 ? 389 : 1) {
      Image<T> image(5, 3);
      std::fill_n(image.view().data, 15, static_cast<T>(code));
      const Image<T> out = test::filtered<T>(*context, call, image.view());
      for (std::int64_t i = 0; i < out.view().extent(); ++i) ASSERT_EQ(out.view().data[i], code) << values;
    }
  };
  std::vector<float> light;
  for (int code = 0; code < 65536; ++code) light.push_back(static_cast<float>(std::pow(code / 65535.0, 1.8)));
  for (const std::string values : {"width=2", "width=7:enlarge=1"}) {
    with(std::uint8_t{}, nullptr, values);
    with(std::uint16_t{}, nullptr, values);
    with(std::uint8_t{}, std::make_shared<const Tones>(make_tones(std::span(&light, 1), 1)), values);
    with(std::uint16_t{}, std::make_shared<const Tones>(make_tones(std::span(&light, 1), 2)), values);
  }
}

/// Before and behind filters that keep the size: as each makes it of the one before, in bands and whole.
TEST_P(Resize, StandsInChains) {
  const std::vector<std::vector<std::string>> chains = {
      {"resize:width=20", "box:radius=2"},
      {"box:radius=3", "resize:height=9"},
      {"unsharp:radius=20:amount=2", "resize:percent=37", "box:radius=9", "resize:width=50:enlarge=1",
       "box:radius=1"},
      {"resize:percent=300:enlarge=1", "resize:percent=21", "variable_box:radius=5:mask=x"},
      {"resize:percent=10", "box:radius=1000"}};
  for (const auto& texts : chains) {
    const std::vector<FilterCall> calls = parse_filters(texts);
    for (const auto& [width, height] : {std::pair{1, 1}, {5, 2}, {33, 31}, {17, 100}, {3, 211}}) {
      const Image<std::uint8_t> image = test::random_image<std::uint8_t>(width, height, 3);
      Image<std::uint8_t> expected = test::filtered<std::uint8_t>(*context, calls.front(), image.view());
      for (const FilterCall& call : std::span(calls).subspan(1))
        expected = test::filtered<std::uint8_t>(*context, call, View<const std::uint8_t>(expected.view()));
      for (const std::int64_t band : {1, 2, 7, 16, 33, 1000}) {
        SCOPED_TRACE(testing::Message()
                     << texts.front() << " …, " << width << " x " << height << " in bands of " << band);
        test::expect_equal<std::uint8_t>(
            test::streamed<std::uint8_t>(*context, calls, image.view(), band).view(), expected.view(),
            "bands");
        if (HasFatalFailure()) return;
      }
      const test::WithMaps with(*context, calls, width, height);
      test::GuardedArray<std::uint8_t> from(*context, image.view()), whole(*context, expected.view());
      run_filters<std::uint8_t>(*context, with.calls(), from.view(), whole.view());
      test::expect_equal<std::uint8_t>(whole.image().view(), expected.view(), "whole");
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Resize, IsRefusedWhereTheResultHasAnotherSize) {
  Image<std::uint8_t> image(*context, 8, 4, 3);
  try {
    run_filter<std::uint8_t>(*context, resize("width=4"), image.view(), image.view());
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(error.what()).find("not 4 x 2"), std::string::npos) << error.what();
  }
}

/// A replay would read tables of the host that are gone.
TEST_P(Resize, IsNoPartOfAGraph) {
  Image<std::uint8_t> image(*context, 8, 4, 3), out(*context, 4, 2, 3);
  const auto graph = [&] {
    const Graph made(
        *context, [&] { run_filter<std::uint8_t>(*context, resize("width=4"), image.view(), out.view()); });
  };
  if (context->on_cuda())
    EXPECT_THROW(graph(), Error);
  else
    graph();
}

/// A picture of 10 gigapixels takes no more than some rows of it, however small the result.
TEST(ResizeInBands, TakesBoundedMemory) {
  const RowFormat format{100000, 100000, 3, 1};
  for (const std::string values : {"long=50000", "long=2048", "long=16"})
    EXPECT_LT(band_stream_bytes(resize(values), format, 16), std::int64_t{100} << 20) << values;
}

SCANLENS_ON_EVERY_DEVICE(Resize);

}  // namespace
}  // namespace scanlens
