// Grain that is put back: as much of it as the sharp parts of the picture have.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "filters/color.h"
#include "tests/unit/support/dof.h"

namespace scanlens {
namespace {

constexpr int kWidth = 480, kHeight = 420, kSharpRows = 160;

/// Noise of deviation 1. Neighbours share e of it.
std::vector<double> noise_shared(double e, int frame) {
  std::mt19937 random(17u + static_cast<unsigned>(frame));
  std::normal_distribution<double> normal;
  std::vector<double> raw(kWidth * kHeight), along(raw.size()), noise(raw.size());
  for (double& value : raw) value = normal(random);
  const double norm = 1 + 2 * e * e;
  for (int i = 0; i < kWidth * kHeight; ++i) {
    const int left = std::max(i - 1, 0), right = std::min(i + 1, kWidth * kHeight - 1);
    along[i] = raw[i] + e * (raw[left] + raw[right]);
  }
  for (int i = 0; i < kWidth * kHeight; ++i) {
    const int up = std::max(i - kWidth, 0), down = std::min(i + kWidth, kWidth * kHeight - 1);
    noise[i] = (along[i] + e * (along[up] + along[down])) / norm;
  }
  return noise;
}

/// The deviation of codes of 8 bits at this brightness.
double deviation_at(double code) {
  return 7.5 - 3.5 * code / 255;
}

double clean_code(int x) {
  return 40 + 160.0 * x / kWidth;
}

template <class T>
T sample_of(double code) {
  if constexpr (std::is_floating_point_v<T>)
    return srgb_to_linear(static_cast<float>(code / 255));
  else
    return static_cast<T>(std::lround(code * (std::numeric_limits<T>::max() / 255)));
}
template <class T>
double code_of(T sample) {
  if constexpr (std::is_floating_point_v<T>) return 255 * linear_to_srgb(sample);
  return static_cast<double>(sample) / (std::numeric_limits<T>::max() / 255);
}

/// A gradient with noise; a sixth of what is sharp has texture.
template <class T>
Image<T> noisy(double e, int channels) {
  Image<T> image(kWidth, kHeight, channels);
  for (int c = 0; c < channels; ++c) {
    const std::vector<double> noise = noise_shared(e, c);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const bool textured = y < kSharpRows / 6 && std::sin(x / 2.1) * std::sin(y / 1.7) > 0.6;
        const double code = clean_code(x) + (textured ? 18 : 0);
        const auto i = static_cast<std::size_t>(y * kWidth + x);
        image.view()(x, y, c) = sample_of<T>(code + deviation_at(code) * noise[i]);
      }
  }
  return image;
}

/// Depth that is in focus above, and as far behind it as the blur is wide below.
Image<float> half_sharp() {
  Image<float> disparity(kWidth, kHeight);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) disparity.view()(x, y) = y < kSharpRows ? 1.f : 0.f;
  return disparity;
}

template <class T>
bool same(const Image<T>& a, const Image<T>& b) {
  return std::equal(a.view().data, a.view().data + a.view().extent(), b.view().data);
}

class DofGrain : public DofOnDevice {
 protected:
  template <class T>
  Image<T> blurred(const Image<T>& image, const Image<float>& disparity, float radius, const DofStyle& style,
                   DofNotes* notes = nullptr) {
    return run(image, disparity, {radius, 1, radius}, {}, style, notes);
  }

  /// The deviation from the mean of columns, by what it should be, over what is blurred.
  template <class T>
  void expect_grain(double e, float radius, const DofStyle& style) {
    SCOPED_TRACE(testing::Message() << "shared " << e << ", radius " << radius << ", share " << style.grain);
    const Image<T> image = noisy<T>(e, 3);
    const Image<T> result = blurred(image, half_sharp(), radius, style);
    const int first = kSharpRows + 2 * static_cast<int>(radius) + 4;
    double ratio = 0, neighbours = 0;
    int columns = 0;
    for (int x = 30; x < kWidth - 30; x += 5, ++columns) {
      double sum = 0, squares = 0, products = 0;
      const int rows = kHeight - 4 - first;
      for (int y = first; y < kHeight - 4; ++y) {
        const double off = code_of(result.view()(x, y, 1)) - clean_code(x);
        sum += off;
        squares += off * off;
        products += off * (code_of(result.view()(x, y + 1, 1)) - clean_code(x));
      }
      const double mean = sum / rows, variance = squares / rows - mean * mean;
      ratio += std::sqrt(variance) / deviation_at(clean_code(x));
      neighbours += (products / rows - mean * mean) / variance;
    }
    const double share = style.grain,
                 of_blur = std::pow(1 + 2 * e, 4) / std::pow(1 + 2 * e * e, 2) / (3.14159 * radius * radius);
    const double expected = std::sqrt(of_blur + share * share * (1 - of_blur));
    EXPECT_NEAR(ratio / columns, expected, 0.07 * expected);
    EXPECT_NEAR(neighbours / columns, 2 * e / (1 + 2 * e * e), 0.08);
  }
};

TEST_P(DofGrain, IsThatOfTheSharpPart) {
  const DofStyle good{.quality = DofQuality::good, .grain = 1}, draft{.grain = 1};
  for (const double e : {0.0, 0.3})
    for (const float radius : {4.f, 12.f}) expect_grain<std::uint8_t>(e, radius, good);
  expect_grain<std::uint8_t>(0, 8, draft);
  expect_grain<std::uint16_t>(0.3, 8, good);
  expect_grain<float>(0, 8, good);
  expect_grain<float>(0.3, 8, {.quality = DofQuality::good, .grain = 0.5f});
}

TEST_P(DofGrain, FollowsFromTheFrameAlone) {
  const Image<std::uint8_t> image = noisy<std::uint8_t>(0, 3);
  DofStyle style{.quality = DofQuality::good, .grain = 1};
  const auto at = [&](std::int64_t frame) {
    style.frame = frame;
    return blurred(image, half_sharp(), 8, style);
  };
  const Image<std::uint8_t> first = at(3), again = at(3), next = at(4);
  EXPECT_TRUE(same(first, again));
  double product = 0, square = 0;
  for (int y = kSharpRows + 20; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const double a = first.view()(x, y, 0) - clean_code(x), b = next.view()(x, y, 0) - clean_code(x);
      product += a * b;
      square += a * a;
    }
  EXPECT_LT(std::abs(product / square), 0.05) << "frames have noise of their own";
  for (int x = 0; x < kWidth; ++x)
    ASSERT_EQ(first.view()(x, 20, 0), image.view()(x, 20, 0)) << "what is sharp keeps its own";
}

TEST_P(DofGrain, NeedsASharpPart) {
  const Image<std::uint8_t> image = noisy<std::uint8_t>(0, 3);
  const Image<float> far = constant_disparity(kWidth, kHeight, 0);
  DofNotes notes;
  const DofStyle plain{.quality = DofQuality::good}, grained{.quality = DofQuality::good, .grain = 1};
  const Image<std::uint8_t> result = blurred(image, far, 8, grained, &notes);
  EXPECT_TRUE(notes.no_grain);
  EXPECT_TRUE(same(result, blurred(image, far, 8, plain)));
  blurred(image, half_sharp(), 8, grained, &notes);
  EXPECT_FALSE(notes.no_grain);
}

TEST_P(DofGrain, LeavesACleanPictureClean) {
  Image<std::uint8_t> image(kWidth, kHeight, 3);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth * 3; ++x) image.view().row(y)[x] = static_cast<std::uint8_t>(60 + x / 12);
  const DofStyle plain{.quality = DofQuality::good}, grained{.quality = DofQuality::good, .grain = 2};
  EXPECT_TRUE(same(blurred(image, half_sharp(), 8, grained), blurred(image, half_sharp(), 8, plain)));
}

SCANLENS_ON_EVERY_DEVICE(DofGrain);

}  // namespace
}  // namespace scanlens
