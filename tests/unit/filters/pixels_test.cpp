// Grey, sepia, vignette, levels and white balance against loops in double.
#include <cmath>
#include <limits>

#include "filters/color.h"
#include "tests/unit/support/filters.h"

namespace scanlens {
namespace {

template <class T>
constexpr double kMost = std::is_floating_point_v<T> ? 1.
                                                     : static_cast<double>(std::numeric_limits<T>::max());

template <class T>
double light_of(T sample) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<double>(sample);
  return srgb_to_linear_in_double(static_cast<double>(sample) / kMost<T>);
}

/// The sample that light becomes, not rounded.
template <class T>
double sample_of(double light) {
  if constexpr (std::is_floating_point_v<T>) return light;
  const double clipped = std::clamp(light, 0.0, 1.0);
  const double code =
      clipped <= 0.04045 / 12.92 ? clipped * 12.92 : 1.055 * std::pow(clipped, 1 / 2.4) - 0.055;
  return kMost<T> * code;
}

/// Holds every colour of a filtered picture against expected(image, x, y, c), and alpha against the
/// picture's.
template <class T, class Expected>
void expect_colours(Context& context, const std::string& text, View<const T> image,
                    const Expected& expected) {
  SCOPED_TRACE(fmt::format("{} of {} x {} x {}, {} bytes", text, image.width, image.height, image.channels,
                           sizeof(T)));
  const FilterCall call = parse_filter(text);
  const Image<T> out = test::filtered<T>(context, call, image);
  // Floats of 16-bit codes are rounded to 1/256 of a code, four times at the most.
  const double slack = std::is_floating_point_v<T> ? 1e-5 : 0.5 + (sizeof(T) == 2 ? 4. / 256 : 0.002);
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x)
      for (int c = 0; c < image.channels; ++c) {
        const double wanted = c == 3 ? static_cast<double>(image(x, y, c)) : expected(image, x, y, c);
        ASSERT_NEAR(out.view()(x, y, c), wanted, slack) << x << ", " << y << ", " << c;
      }
  test::expect_equal<T>(test::streamed<T>(context, call, image, 5).view(), out.view(), "bands");
}

/// Does so for pictures of every type.
template <class Expected>
void expect_in_every_type(Context& context, const std::string& text, const Expected& expected) {
  const auto check = [&]<class T>(T, int channels) {
    const Image<T> image = test::random_image<T>(37, 21, channels);
    expect_colours<T>(context, text, image.view(), expected);
  };
  check(std::uint8_t{}, 3);
  check(std::uint8_t{}, 4);
  check(std::uint16_t{}, 3);
  check(float{}, 3);
}

class PixelFilters : public test::OnDevice {};

TEST_P(PixelFilters, GreyHasTheLuminance) {
  for (const double amount : {1.0, 0.3})
    expect_in_every_type(*context, fmt::format("grey:amount={}", amount),
                         [=]<class T>(const View<const T>& image, std::int64_t x, std::int64_t y, int c) {
                           const double luminance = 0.2126 * light_of(image(x, y, 0)) +
                                                    0.7152 * light_of(image(x, y, 1)) +
                                                    0.0722 * light_of(image(x, y, 2));
                           return sample_of<T>(amount * luminance + (1 - amount) * light_of(image(x, y, c)));
                         });
}

TEST_P(PixelFilters, SepiaIsTheMatrixOfBrowsers) {
  // The numbers of the filter function sepia(), as the standard writes them for an amount.
  const double amount = 0.8, rest = 1 - amount;
  const double matrix[3][3] = {{0.393 + 0.607 * rest, 0.769 - 0.769 * rest, 0.189 - 0.189 * rest},
                               {0.349 - 0.349 * rest, 0.686 + 0.314 * rest, 0.168 - 0.168 * rest},
                               {0.272 - 0.272 * rest, 0.534 - 0.534 * rest, 0.131 + 0.869 * rest}};
  expect_in_every_type(*context, "sepia:amount=80%",
                       [&]<class T>(const View<const T>& image, std::int64_t x, std::int64_t y, int c) {
                         double sum = 0;
                         for (int k = 0; k < 3; ++k)
                           sum += matrix[c][k] * static_cast<double>(image(x, y, k));
                         return std::is_floating_point_v<T> ? sum : std::min(sum, kMost<T>);
                       });
}

TEST_P(PixelFilters, AVignetteFallsTowardsTheCorners) {
  for (const auto& [amount, clear] : {std::pair{0.5, 0.3}, {1.0, 0.0}, {-0.6, 0.5}})
    expect_in_every_type(
        *context, fmt::format("vignette:amount={}:clear={}", amount, clear),
        [=]<class T>(const View<const T>& image, std::int64_t x, std::int64_t y, int c) {
          const double i = static_cast<double>(x) + 0.5 - static_cast<double>(image.width) / 2;
          const double j = static_cast<double>(y) + 0.5 - static_cast<double>(image.height) / 2;
          const double corner =
              std::hypot(static_cast<double>(image.width) / 2, static_cast<double>(image.height) / 2);
          const double t = std::clamp((std::hypot(i, j) / corner - clear) / (1 - clear), 0.0, 1.0);
          return sample_of<T>(light_of(image(x, y, c)) * (1 - amount * t * t * (3 - 2 * t)));
        });
}

/// The samples of a colour in order.
template <class T>
std::vector<double> sorted(const View<const T>& image, int c) {
  std::vector<double> samples;
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x) samples.push_back(static_cast<double>(image(x, y, c)));
  std::sort(samples.begin(), samples.end());
  return samples;
}

double percentile(const std::vector<double>& samples, double percent) {
  const double place = static_cast<double>(samples.size() - 1) * percent / 100;
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, samples.size() - 1);
  return samples[low] + (place - static_cast<double>(low)) * (samples[high] - samples[low]);
}

TEST_P(PixelFilters, LevelsStretchFromPercentileToPercentile) {
  for (const bool each : {false, true})
    expect_in_every_type(
        *context, fmt::format("levels:dark=3:bright=5%:colours={}", each ? "each" : "together"),
        [=]<class T>(const View<const T>& image, std::int64_t x, std::int64_t y, int c) {
          double dark = 1e9, bright = -1e9;
          for (int k = 0; k < 3; ++k) {
            if (each && k != c) continue;
            const std::vector<double> samples = sorted(image, k);
            dark = std::min(dark, percentile(samples, 3));
            bright = std::max(bright, percentile(samples, 95));
          }
          const double value = (static_cast<double>(image(x, y, c)) - dark) / (bright - dark) * kMost<T>;
          return std::is_floating_point_v<T> ? value : std::clamp(value, 0.0, kMost<T>);
        });
}

TEST_P(PixelFilters, WhiteBalanceMakesTheReferenceGrey) {
  for (const bool by_mean : {true, false})
    expect_in_every_type(*context, fmt::format("white_balance:by={}", by_mean ? "grey" : "white"),
                         [=]<class T>(const View<const T>& image, std::int64_t x, std::int64_t y, int c) {
                           double light[3];
                           for (int k = 0; k < 3; ++k) {
                             std::vector<double> samples = sorted(image, k);
                             if (!by_mean) {
                               const double code = percentile(samples, 99), low = std::floor(code);
                               light[k] = std::is_floating_point_v<T>
                                              ? code
                                              : light_of(static_cast<T>(low)) * (1 - (code - low)) +
                                                    light_of(static_cast<T>(std::ceil(code))) * (code - low);
                               continue;
                             }
                             light[k] = 0;
                             for (const double sample : samples)
                               light[k] +=
                                   light_of(static_cast<T>(sample)) / static_cast<double>(samples.size());
                           }
                           const double luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
                           return sample_of<T>(light_of(image(x, y, c)) * luminance / light[c]);
                         });
}

TEST_P(PixelFilters, OneChannelHasNoColour) {
  const Image<std::uint8_t> image = test::random_image<std::uint8_t>(20, 9, 1);
  for (const char* text : {"grey", "sepia", "white_balance"})
    test::expect_equal<std::uint8_t>(
        test::filtered<std::uint8_t>(*context, parse_filter(text), image.view()).view(), image.view(), text);
}

SCANLENS_ON_EVERY_DEVICE(PixelFilters);

}  // namespace
}  // namespace scanlens
