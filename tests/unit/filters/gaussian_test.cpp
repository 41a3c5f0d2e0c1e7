// The Gaussian filter against its definition by loops, against the Gaussian itself, and its schedules against
// each other.
#include <cmath>
#include <vector>

#include "filters/blur/columns.h"
#include "filters/blur/convolve.h"
#include "filters/blur/kernel.h"
#include "filters/blur/strips_cpu.h"
#include "tests/unit/support/filters.h"
#include "tests/unit/support/instruction_sets.h"

namespace scanlens {
namespace {

FilterCall gaussian(double sigma) {
  return parse_filter(fmt::format("gaussian:sigma={}", sigma));
}

using Plane = std::vector<double>;

/// All passes over one line, in place.
void blur_line(double* line, std::int64_t n, std::int64_t step, const BoxPass& box) {
  for (int pass = 0; pass < kGaussianPasses; ++pass) {
    Plane before(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) before[static_cast<std::size_t>(i)] = line[i * step];
    for (std::int64_t i = 0; i < n; ++i) {
      double sum = 0, weights = 0;
      for (std::int64_t j = std::max<std::int64_t>(0, i - box.inner - 1);
           j <= std::min(n - 1, i + box.inner + 1); ++j) {
        const double weight = std::abs(i - j) <= box.inner ? box.whole : box.edge;
        sum += weight * before[static_cast<std::size_t>(j)];
        weights += weight;
      }
      line[i * step] = sum / weights;
    }
  }
}

/// The mean weighed by taps over one line, in place.
void weigh_line(double* line, std::int64_t n, std::int64_t step, const Taps& taps) {
  Plane before(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) before[static_cast<std::size_t>(i)] = line[i * step];
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0, weights = 0;
    for (std::int64_t j = std::max<std::int64_t>(0, i - taps.radius); j <= std::min(n - 1, i + taps.radius);
         ++j) {
      sum += taps.weights[std::abs(i - j)] * before[static_cast<std::size_t>(j)];
      weights += taps.weights[std::abs(i - j)];
    }
    line[i * step] = sum / weights;
  }
}

/// The filter's definition, with nothing rounded: channel c, multiplied by alpha where there is one.
template <class T>
Plane blurred(View<const T> image, double sigma, int c) {
  Plane plane;
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x)
      plane.push_back(static_cast<double>(image(x, y, c)) *
                      (image.channels == 4 && c < 3 ? static_cast<double>(image(x, y, 3)) : 1.0));
  const auto blur = [&](double* line, std::int64_t n, std::int64_t step, const BoxPass& box) {
    if (sigma < kMostTapsSigma)
      weigh_line(line, n, step, gaussian_taps(sigma));
    else
      blur_line(line, n, step, box);
  };
  const Boxes boxes = gaussian_boxes(sigma, image.width, image.height);
  for (std::int64_t x = 0; x < image.width; ++x)
    blur(plane.data() + x, image.height, image.width, boxes.down);
  for (std::int64_t y = 0; y < image.height; ++y)
    blur(plane.data() + y * image.width, image.width, 1, boxes.along);
  return plane;
}

template <class T>
void expect_defined(View<const T> out, View<const T> image, double sigma) {
  constexpr bool kFloat = std::is_floating_point_v<T>;
  // Two or six roundings to 16 bits, and the last one to a sample.
  const double step = kFloat ? 0 : sizeof(T) == 1 ? 1 / 257.0 : 1;
  const double most = kFloat ? 1 : sizeof(T) == 1 ? 255 : 65535;
  const double rounding = kFloat ? 2e-6 : sizeof(T) == 1 ? 3.1 * step + 0.502 : 3.1;
  const Plane alpha = image.channels == 4 ? blurred(image, sigma, 3) : Plane{};
  for (int c = 0; c < image.channels; ++c) {
    const Plane expected = blurred(image, sigma, c);
    for (std::int64_t y = 0; y < image.height; ++y)
      for (std::int64_t x = 0; x < image.width; ++x) {
        const auto at = static_cast<std::size_t>(y * image.width + x);
        const bool of_alpha = image.channels == 4 && c < 3;
        if (of_alpha && alpha[at] <= std::max(8 * step, 1e-6)) continue;  // hardly there
        const double value = of_alpha ? expected[at] / alpha[at] : expected[at];
        // With alpha, sums and weights are each as far off as sums without it.
        const double allowed = of_alpha ? 0.502 + 2 * 3.1 * step * most / alpha[at] + 1e-6 * most : rounding;
        ASSERT_NEAR(static_cast<double>(out(x, y, c)), value, kFloat ? 2e-6 : allowed)
            << "at (" << x << ", " << y << ") channel " << c << " of " << image.channels << ", " << sizeof(T)
            << " bytes, sigma " << sigma;
      }
  }
}

class Gaussian : public test::OnDevice {
 protected:
  template <class T>
  void check(std::int64_t width, std::int64_t height, double sigma) {
    for (const int channels : {1, 3, 4}) {
      Image<T> image = test::random_image<T>(width, height, channels);
      const View<T> view = image.view();
      if (channels == 4)  // a corner that is not there, and beside it what is half there
        for (std::int64_t y = 0; y < std::min<std::int64_t>(height, 20); ++y)
          for (std::int64_t x = 0; x < std::min<std::int64_t>(width, 20); ++x)
            view(x, y, 3) = x < 12 ? T(0) : view(x, y, 3) / T(2);
      expect_defined<T>(test::filtered<T>(*context, gaussian(sigma), view).view(), view, sigma);
      expect_defined<T>(test::streamed<T>(*context, gaussian(sigma), view, 9).view(), view, sigma);
    }
  }
};

TEST_P(Gaussian, IsAMeanWeighedByTapsOrABoxRepeated) {
  for (const auto& [width, height] : {std::pair{1, 1}, {65, 1}, {1, 37}, {70, 45}})
    for (const double sigma : {0.0, 0.3, 1.0, 2.2, 4.9, 5.0, 31.0, 4000.0}) {
      check<std::uint8_t>(width, height, sigma);
      check<std::uint16_t>(width, height, sigma);
      check<float>(width, height, sigma);
      if (HasFatalFailure()) return;
    }
}

TEST_P(Gaussian, SigmaZeroCopies) {
  const auto image = test::random_image<std::uint16_t>(40, 30, 3);
  test::expect_equal<std::uint16_t>(test::filtered<std::uint16_t>(*context, gaussian(0), image.view()).view(),
                                    image.view(), "sigma 0");
}

/// The filter's answer to one pixel of light in the middle of `side` pixels a side, or to a half of light.
Image<float> answer(Context& context, double sigma, std::int64_t side, bool half) {
  Image<float> image(side, side);
  for (std::int64_t y = 0; y < side; ++y)
    for (std::int64_t x = 0; x < side; ++x)
      image.view()(x, y) = half ? x >= side / 2 : x == side / 2 && y == side / 2;
  return test::filtered<float>(context, gaussian(sigma), image.view());
}

// Half of what the kernels differ by, added up, is how far results can be apart for pictures of 0 .. 1. The
// bounds are those that filters/gaussian.cu states.
TEST_P(Gaussian, IsAsNearTheGaussianAsStated) {
  for (const double sigma : {0.2, 0.35, 0.5, 0.9, 1.0, 1.4, 1.5, 2.0, 2.45, 3.3, 4.0, 4.99, 5.0, 8.0}) {
    const auto middle = static_cast<std::int64_t>(8 * sigma) + 4, side = 2 * middle + 1;
    Plane line;
    double sum = 0;
    for (std::int64_t i = 0; i < side; ++i) {
      const auto distance = static_cast<double>(i - middle);
      line.push_back(std::exp(-distance * distance / (2 * sigma * sigma)));
      sum += line.back();
    }
    for (double& weight : line) weight /= sum;

    const Image<float> impulse = answer(*context, sigma, side, false);
    const Image<float> edge = answer(*context, sigma, side, true);
    double apart = 0, beside = 0, at_edge = 0;
    for (std::int64_t x = 0; x < side; ++x) {
      at_edge += line[static_cast<std::size_t>(side - 1 - x)];
      const std::int64_t reach = gaussian(sigma).filter->reach(gaussian(sigma).params);
      const bool no_border = x > reach && x < side - reach;
      if (no_border) beside = std::max(beside, std::abs(edge.view()(x, middle) - at_edge));
      for (std::int64_t y = 0; y < side; ++y)
        apart += std::abs(impulse.view()(x, y) -
                          line[static_cast<std::size_t>(x)] * line[static_cast<std::size_t>(y)]) /
                 2;
    }
    EXPECT_LE(apart, sigma < kMostTapsSigma ? 0.004 : 0.051) << "sigma " << sigma;
    EXPECT_LE(beside, sigma < kMostTapsSigma ? 0.001 : 0.0114) << "sigma " << sigma;
  }
}

// The variance of boxes is right to the fineness of the weights; of taps it is that of the Gaussian's samples
// but for what is cut off. So the blur grows without steps that show.
TEST_P(Gaussian, HasTheVarianceOfSigma) {
  for (double sigma = 0.05; sigma < 12; sigma += 0.137) {
    const std::int64_t middle = 2 * gaussian_reach(sigma) + 2, side = 2 * middle + 1;
    Image<float> image(side, 1);
    std::fill_n(image.view().data, side, 0.f);
    image.view()(middle, 0) = 1;
    const Image<float> out = test::filtered<float>(*context, gaussian(sigma), image.view());
    double variance = 0, sampled = 0, weights = 0;
    for (std::int64_t x = 0; x < side; ++x) {
      const auto square = static_cast<double>((x - middle) * (x - middle));
      variance += out.view()(x, 0) * square;
      sampled += std::exp(-square / (2 * sigma * sigma)) * square;
      weights += std::exp(-square / (2 * sigma * sigma));
    }
    if (sigma < kMostTapsSigma)
      EXPECT_NEAR(variance, sampled / weights, 4e-4 + 0.03 * sigma * sigma) << sigma;
    else
      EXPECT_NEAR(variance, sigma * sigma, 4e-4 + 2e-4 * sigma * sigma) << sigma;
  }
}

// Colours that cannot be seen do not show.
TEST_P(Gaussian, ColoursWithoutAlphaDoNotCount) {
  Image<std::uint8_t> image(60, 50, 4);
  for (int y = 0; y < 50; ++y)
    for (int x = 0; x < 60; ++x)
      for (int c = 0; c < 4; ++c)
        image.view()(x, y, c) =
            static_cast<std::uint8_t>(x < 30 ? (c == 3 ? 255 : 90) : (c == 3 ? 0 : 17 * x + c));
  const Image<std::uint8_t> out = test::filtered<std::uint8_t>(*context, gaussian(3), image.view());
  for (int y = 0; y < 50; ++y)
    for (int x = 0; x < 60; ++x)
      for (int c = 0; c < 3; ++c) {
        const bool in_reach = x < 30 + gaussian_taps(3).radius;
        if (out.view()(x, y, 3) > 3) {
          ASSERT_EQ(out.view()(x, y, c), 90) << x << ", " << y;
        } else if (!in_reach) {
          ASSERT_EQ(out.view()(x, y, c), image.view()(x, y, c)) << x << ", " << y;
        }
      }
}

SCANLENS_ON_EVERY_DEVICE(Gaussian);

template <class T>
void expect_alike(std::int64_t width, std::int64_t height, int channels, double sigma) {
  Context context = Context::open("cpu");
  const Image<T> image = test::random_image<T>(width, height, channels);
  Image<T> strips(width, height, channels), columns(width, height, channels);
  const auto task = [&](Image<T>& out) { return BandTask<T>{image.view(), 0, out.view(), {}, 0, height}; };
  const Boxes boxes = gaussian_boxes(sigma, width, height);
  cpu::blur_by_strips<T>(context, boxes, task(strips));
  blur_by_columns<T>(context, boxes, task(columns));
  test::expect_equal<T>(
      strips.view(), columns.view(),
      fmt::format("{} x {} x {}, {} bytes, sigma {}", width, height, channels, sizeof(T), sigma));
}

template <class T>
void expect_alike_by_taps(std::int64_t width, std::int64_t height, int channels, double sigma) {
  Context context = Context::open("cpu");
  const Image<T> image = test::random_image<T>(width, height, channels);
  Image<T> parts(width, height, channels), pixels(width, height, channels);
  const auto task = [&](Image<T>& out) { return BandTask<T>{image.view(), 0, out.view(), {}, 0, height}; };
  cpu::convolve_apart<T>(context, gaussian_taps(sigma), task(parts));
  convolve_by_pixels<T>(context, gaussian_taps(sigma), task(pixels));
  test::expect_equal<T>(
      parts.view(), pixels.view(),
      fmt::format("{} x {} x {}, {} bytes, sigma {}", width, height, channels, sizeof(T), sigma));
}

// One pixel after the other, and parts of the picture row by row: the same bits, of floats too. Parts are 768
// samples wide and 256 rows high.
TEST(TapSchedules, MakeTheSameOnEveryInstructionSet) {
  test::for_every_instruction_set([] {
    for (const auto& [width, height] : {std::pair{1, 1}, {33, 31}, {513, 5}, {3, 260}, {1540, 3}})
      for (const double sigma : {0.2, 1.0, 2.0, 4.99})
        for (const int channels : {1, 3, 4}) {
          expect_alike_by_taps<std::uint8_t>(width, height, channels, sigma);
          expect_alike_by_taps<std::uint16_t>(width, height, channels, sigma);
          expect_alike_by_taps<float>(width, height, channels, sigma);
          if (testing::Test::HasFatalFailure()) return;
        }
  });
}

// CUDA goes down columns, the CPU takes strips: the same bits of integers.
TEST(BlurSchedules, MakeTheSameOnEveryInstructionSet) {
  test::for_every_instruction_set([] {
    for (const auto& [width, height] : {std::pair{1, 1}, {33, 31}, {63, 130}, {257, 65}, {300, 7}})
      for (const double sigma : {0.4, 1.0, 3.7, 20.0, 300.0})
        for (const int channels : {1, 3, 4}) {
          expect_alike<std::uint8_t>(width, height, channels, sigma);
          expect_alike<std::uint16_t>(width, height, channels, sigma);
          if (testing::Test::HasFatalFailure()) return;
        }
  });
}

TEST(GaussianTaps, SumToTheirWeight) {
  for (double sigma = 0; sigma < kMostTapsSigma; sigma += 0.01) {
    const Taps taps = gaussian_taps(sigma);
    ASSERT_LE(taps.radius, std::max(1.0, std::ceil(3 * sigma))) << sigma;
    int sum = taps.weights[0];
    for (int i = 1; i <= taps.radius; ++i) {
      sum += 2 * taps.weights[i];
      ASSERT_TRUE(taps.weights[i] > 0 && taps.weights[i] <= taps.weights[i - 1]) << sigma;
    }
    ASSERT_EQ(sum, Taps::kWeight) << sigma;
  }
}

TEST(GaussianPass, WeightsFitTheirSums) {
  for (double sigma = 0; sigma <= 4000; sigma = sigma * 1.01 + 0.01) {
    const BoxPass box = gaussian_boxes(sigma, INT32_MAX, INT32_MAX).down;
    const int weight = (2 * box.inner + 1) * box.whole + 2 * box.edge;
    ASSERT_LE(weight, kMostWeight) << sigma;
    ASSERT_GT(weight, kMostWeight / 8) << sigma;
    ASSERT_TRUE(box.edge >= 0 && box.edge < box.whole) << sigma;
  }
}

}  // namespace
}  // namespace scanlens
