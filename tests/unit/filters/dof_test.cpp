// Depth of field: against a direct sum in double, and the properties that anyone can check by eye.
#include "tests/unit/support/dof.h"

#include <cmath>
#include <limits>

#include "filters/color_tables.h"
#include "filters/lens.h"

namespace scanlens {
namespace {

class DepthOfField : public DofOnDevice {};

double light_of(std::uint8_t code) {
  const double v = code / 255.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}
double light_of(std::uint16_t code) {
  const double v = code / 65535.0;
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}
double light_of(float value) {
  return value;
}
template <class T>
double code_of(double light) {
  if constexpr (std::is_floating_point_v<T>) return light;
  const double v = light <= 0.0031308 ? light * 12.92 : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
  return v * std::numeric_limits<T>::max();
}

/// The definition, pixel by pixel, in double: every pixel of the outer box with its weight.
template <class T>
void check_against_direct_sum(const Image<T>& image, const Image<float>& disparity, const Blur& blur,
                              const Image<T>& actual, double tolerance) {
  const std::int64_t width = image.width(), height = image.height();
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      const double radius =
          std::min<double>(blur.scale * std::abs(disparity.view()(x, y) - blur.focus), blur.most);
      const double area = std::max(1.0, 3.14159265358979 * radius * radius);
      const auto n = static_cast<std::int64_t>((std::sqrt(area) - 1) / 2);
      const double ring = (area - (2.0 * n + 1) * (2.0 * n + 1)) / (8.0 * (n + 1));
      for (int c = 0; c < image.channels(); ++c) {
        if (area <= 1) {
          ASSERT_EQ(actual.view()(x, y, c), image.view()(x, y, c)) << x << ", " << y;
          continue;
        }
        double sum = 0, weights = 0, pixels = 0;
        for (std::int64_t j = std::max<std::int64_t>(y - n - 1, 0); j <= std::min(y + n + 1, height - 1); ++j)
          for (std::int64_t i = std::max<std::int64_t>(x - n - 1, 0); i <= std::min(x + n + 1, width - 1);
               ++i) {
            const double weight = std::max(std::abs(i - x), std::abs(j - y)) <= n ? 1 : ring;
            const double alpha = image.channels() == 4 ? static_cast<double>(image.view()(i, j, 3)) : 1;
            sum += weight * (c == 3 ? alpha : alpha * light_of(image.view()(i, j, c)));
            weights += weight * alpha;
            pixels += weight;
          }
        if (c < 3 && weights == 0) continue;
        const double expected = c == 3 ? sum / pixels : code_of<T>(sum / weights);
        ASSERT_NEAR(static_cast<double>(actual.view()(x, y, c)), expected, tolerance)
            << "at (" << x << ", " << y << ") channel " << c << ", radius " << radius;
      }
    }
}

/// Alpha is summed in 16 bits. 16 bits hold these values exactly, and they are not small. So neither a
/// rounded alpha nor a weight near zero has a part in what the test compares.
Image<float> with_exact_alpha(Image<float> image) {
  constexpr double kLeast = 16384;
  const View<float> view = image.view();
  for (std::int64_t i = 3; i < view.extent(); i += 4)
    view.data[i] = static_cast<float>(std::round(kLeast + view.data[i] * (65535 - kLeast)) / 65535);
  return image;
}

TEST_P(DepthOfField, AZoneInFocusIsCopiedBitForBit) {
  const Image<std::uint8_t> image = test::random_image<std::uint8_t>(97, 61, 3);
  const Image<float> disparity = jumpy_disparity(97, 61);
  Image<float> flat = constant_disparity(97, 61, 0.5f);
  const Blur blur = relative_blur(0.4, 9, 0.3);
  test::expect_equal<std::uint8_t>(run(image, flat, blur).view(), image.view(), "all in the zone");
  const Image<std::uint8_t> draft = run(image, disparity, blur);
  for (std::int64_t i = 0; i < disparity.view().extent(); ++i)
    if (disparity.view().data[i] > 0.26f && disparity.view().data[i] < 0.54f)
      for (int c = 0; c < 3; ++c) ASSERT_EQ(draft.view().data[3 * i + c], image.view().data[3 * i + c]) << i;
  EXPECT_FALSE(std::equal(image.view().data, image.view().data + image.view().extent(), draft.view().data));
}

TEST_P(DepthOfField, EqualsTheDirectSum) {
  for (const int channels : {1, 3, 4})
    for (const auto& [width, height] : {std::pair{1, 1}, {33, 31}, {61, 47}, {5, 64}}) {
      const Image<float> disparity = test::random_image<float>(width, height);
      const Blur blur = relative_blur(0.4, 9.3);
      // Rounding to a code is half a unit; the 16-bit tables and float arithmetic add the rest.
      const auto bytes = test::random_image<std::uint8_t>(width, height, channels);
      check_against_direct_sum(bytes, disparity, blur, run(bytes, disparity, blur), 0.6);
      const auto words = test::random_image<std::uint16_t>(width, height, channels);
      check_against_direct_sum(words, disparity, blur, run(words, disparity, blur), 0.75);
      // Colour terms are rounded to 2^-24 of white or less, and ten float operations to 2^-24 each: 1e-6.
      // Without alpha the error of the ring's weight cancels but for that. It is up to four times as large
      // where the ring has an alpha of 1 and the middle one of 1/4.
      auto floats = test::random_image<float>(width, height, channels);
      if (channels == 4) floats = with_exact_alpha(std::move(floats));
      check_against_direct_sum(floats, disparity, blur, run(floats, disparity, blur),
                               channels == 4 ? 4e-6 : 1e-6);
      if (HasFatalFailure()) return;
    }
}

TEST_P(DepthOfField, ALargeRadiusUsesTheWideTable) {
  const Image<std::uint8_t> image = test::random_image<std::uint8_t>(330, 310, 3);
  const Image<float> disparity = test::random_image<float>(330, 310);
  Blur blur = relative_blur(0.5, 200);
  EXPECT_FALSE(fits_32_bits(blur, 1, 3));
  const Image<std::uint8_t> wide = run(image, disparity, blur);
  blur.most = 120;  // narrow enough for 32 bits; where neither is clipped the two agree
  EXPECT_TRUE(fits_32_bits(blur, 1, 3));
  const Image<std::uint8_t> narrow = run(image, disparity, blur);
  for (std::int64_t y = 0; y < 310; ++y)
    for (std::int64_t x = 0; x < 330; ++x)
      for (int c = 0; c < 3 && circle_of_confusion(disparity.view()(x, y), relative_blur(0.5, 200)) < 120;
           ++c)
        ASSERT_EQ(wide.view()(x, y, c), narrow.view()(x, y, c)) << x << ", " << y;
}

TEST_P(DepthOfField, HoldsBeyond2To32EntriesOfATable) {
  SCANLENS_NEEDS_A_LARGE_MACHINE();
  constexpr std::int64_t kWidth = 40000, kBand = 1000, kBands = 36, kHeight = kBands * kBand, kCorner = 500;
  constexpr int kRadius = 20;
  static_assert(3 * kWidth * kHeight > std::int64_t{1} << 32);
  Image<std::uint8_t> image(*context, kWidth, kHeight, 3), out(*context, kWidth, kHeight, 3);
  Image<float> disparity(*context, kWidth, kHeight);
  const auto part = [](auto view, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) {
    view.data = view.row(y) + x * view.channels;
    view.width = width;
    view.height = height;
    return view;
  };
  const auto band = test::random_image<std::uint8_t>(kWidth, kBand, 3);
  const auto depths = test::random_image<float>(kWidth, kBand);
  for (std::int64_t y = 0; y < kHeight; y += kBand) {
    copy(*context, band.view(), part(image.view(), 0, y, kWidth, kBand));
    copy(*context, depths.view(), part(disparity.view(), 0, y, kWidth, kBand));
  }
  const Blur blur = relative_blur(0.5, kRadius);
  depth_of_field<std::uint8_t>(*context, image.view(), disparity.view(), blur, out.view());
  // The lower right corner is as that of a picture of itself, but where boxes reach beyond it.
  const auto corner = [&](const auto& of) {
    const auto view = of.view();
    return part(view, view.width - kCorner, view.height - kCorner, kCorner, kCorner);
  };
  Image<std::uint8_t> actual(kCorner, kCorner, 3), some(kCorner, kCorner, 3);
  Image<float> its_depths(kCorner, kCorner);
  copy(*context, corner(out), actual.view());
  context->synchronize();
  copy(*context, corner(band), some.view());
  copy(*context, corner(depths), its_depths.view());
  context->synchronize();
  const Image<std::uint8_t> alone = run(some, its_depths, blur);
  const auto inside = [&](View<const std::uint8_t> view) {
    return part(view, kRadius, kRadius, kCorner - kRadius, kCorner - kRadius);
  };
  test::expect_equal<std::uint8_t>(inside(actual.view()), inside(alone.view()), "the corner");
}

TEST_P(DepthOfField, FloatAlphaIsKeptTo16Bits) {
  for (const float alpha : {1e-6f, 0.1f, 0.33333f, 0.7f, 0.99999f}) {
    Image<float> image(40, 30, 4);
    for (std::int64_t i = 0; i < image.view().extent(); ++i) image.view().data[i] = i % 4 == 3 ? alpha : 0.5f;
    const Image<float> blurred = run(image, constant_disparity(40, 30, 1), uniform(6));
    constexpr double kMostError = 0.5 / 65535 + 5e-7;  // half a step, and the rounding of floats
    for (std::int64_t i = 3; i < blurred.view().extent(); i += 4)
      ASSERT_NEAR(blurred.view().data[i], alpha, kMostError) << i;
  }
}

TEST_P(DepthOfField, WhatIsInvisibleKeepsItsColour) {
  const auto check = [&]<class T>(Image<T> image) {
    for (std::int64_t i = 3; i < image.view().extent(); i += 4) image.view().data[i] = 0;
    test::expect_equal<T>(run(image, constant_disparity(37, 29, 1), uniform(4.3f)).view(), image.view(),
                          "alpha 0");
  };
  check(test::random_image<std::uint8_t>(37, 29, 4));
  check(test::random_image<std::uint16_t>(37, 29, 4));
  check(test::random_image<float>(37, 29, 4));
}

TEST_P(DepthOfField, WhereDisparityIsNoNumberTheBlurIsLargest) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr std::int64_t kWidth = 64, kHeight = 48;
  const Blur blur{40, 0.5f, 7.5f};
  Image<float> odd = test::random_image<float>(kWidth, kHeight), plain(kWidth, kHeight);
  std::copy_n(odd.view().data, odd.view().extent(), plain.view().data);
  std::int64_t i = 0;
  for (const float value : {kNan, -kNan, kInfinity, -kInfinity, std::numeric_limits<float>::max()})
    for (int repeat = 0; repeat < 20; ++repeat, i += 29) {
      odd.view().data[i] = value;
      plain.view().data[i] = 0.9f;  // blurred by 7.5
    }
  const auto check = [&]<class T>(const Image<T>& image) {
    const Image<T> expected = run(image, plain, blur);
    test::expect_equal<T>(run(image, odd, blur).view(), expected.view(), "no number");
  };
  for (const int channels : {1, 3, 4}) {
    check(test::random_image<std::uint8_t>(kWidth, kHeight, channels));
    check(test::random_image<std::uint16_t>(kWidth, kHeight, channels));
    check(test::random_image<float>(kWidth, kHeight, channels));
  }
}

template <class T>
void check_workspace(const char* device, int channels, float radius, const DofStyle& style) {
  constexpr std::int64_t kWidth = 1031, kHeight = 773, kSlack = 4 << 20;
  Context context = Context::open(device);
  const Blur blur = uniform(radius);
  Image<T> image = upload(context, test::random_image<T>(kWidth, kHeight, channels));
  const Image<float> disparity = upload(context, constant_disparity(kWidth, kHeight, 1));
  depth_of_field<T>(context, image.view(), disparity.view(), blur, image.view(), {}, style);
  context.synchronize();
  const auto taken = static_cast<std::int64_t>(context.kept_bytes());
  const std::int64_t promised = depth_of_field_workspace(kWidth, kHeight, channels, sizeof(T), blur, style);
  EXPECT_GE(promised, taken - kSlack) << channels << " channels of " << sizeof(T) << " bytes";
  // Layers are promised what the hungrier backend takes with any circles up to the largest, which is CUDA
  // where these are small.
  if (style.quality == DofQuality::draft || (context.on_cuda() && radius < 100)) {
    EXPECT_LE(promised, 2 * taken) << channels << " channels of " << sizeof(T) << " bytes";
  }
}

TEST_P(DepthOfField, TakesTheWorkspaceItPromises) {
  for (const int channels : {1, 3, 4})
    for (const float radius : {3.f, 200.f})
      for (const DofQuality quality : {DofQuality::draft, DofQuality::good, DofQuality::best}) {
        const DofStyle style{.quality = quality};
        check_workspace<std::uint8_t>(GetParam(), channels, radius, style);
        check_workspace<std::uint16_t>(GetParam(), channels, radius, style);
        check_workspace<float>(GetParam(), channels, radius, style);
      }
}

TEST_P(DepthOfField, ZeroApertureReproducesTheInput) {
  const Image<float> disparity = test::random_image<float>(257, 129);
  for (const int channels : {1, 3, 4}) {
    const auto bytes = test::random_image<std::uint8_t>(257, 129, channels);
    test::expect_equal<std::uint8_t>(run(bytes, disparity, relative_blur(0.3, 0)).view(), bytes.view(),
                                     "8 bit");
    const auto words = test::random_image<std::uint16_t>(257, 129, channels);
    test::expect_equal<std::uint16_t>(run(words, disparity, relative_blur(0.3, 0)).view(), words.view(),
                                      "16 bit");
    const auto floats = test::random_image<float>(257, 129, channels);
    test::expect_equal<float>(run(floats, disparity, relative_blur(0.3, 0)).view(), floats.view(), "float");
  }
}

template <class T>
Image<T> constant_image(int channels, unsigned code) {
  Image<T> image(70, 50, channels);
  for (std::int64_t i = 0; i < image.view().extent(); ++i)
    image.view().data[i] = static_cast<T>(code * (1 + static_cast<unsigned>(i % channels)));
  return image;
}

TEST_P(DepthOfField, AConstantImageStaysConstantForEveryRadius) {
  for (const float radius : {0.6f, 1.f, 2.3f, 17.f, 140.f, 400.f})
    for (const unsigned code : {1u, 40u, 255u, 12345u, 65535u})
      for (const int channels : {1, 3, 4}) {
        const Image<float> disparity = constant_disparity(70, 50, 1);
        const auto bytes = constant_image<std::uint8_t>(channels, code);
        test::expect_equal<std::uint8_t>(run(bytes, disparity, uniform(radius)).view(), bytes.view(),
                                         "8 bit");
        const auto words = constant_image<std::uint16_t>(channels, code);
        test::expect_equal<std::uint16_t>(run(words, disparity, uniform(radius)).view(), words.view(),
                                          "16 bit");
        if (HasFatalFailure()) return;
      }
}

TEST_P(DepthOfField, AnImpulseBecomesACentredBoxOfTheSameEnergy) {
  constexpr std::int64_t kSize = 129, kCentre = 64;
  for (const float radius : {0.8f, 1.5f, 4.f, 11.7f, 30.f}) {
    Image<float> image(kSize, kSize);
    std::fill_n(image.view().data, kSize * kSize, 0.f);
    image.view()(kCentre, kCentre) = 1;
    const Image<float> spread = run(image, constant_disparity(kSize, kSize, 1), uniform(radius));
    double energy = 0;
    for (std::int64_t y = 0; y < kSize; ++y)
      for (std::int64_t x = 0; x < kSize; ++x) {
        energy += spread.view()(x, y);
        ASSERT_EQ(spread.view()(x, y), spread.view()(kSize - 1 - x, y)) << "mirrored in x";
        ASSERT_EQ(spread.view()(x, y), spread.view()(y, x)) << "mirrored in the diagonal";
        const auto distance = static_cast<int>(std::max(std::abs(x - kCentre), std::abs(y - kCentre)));
        const int inner = box_of_equal_area(radius).inner;
        if (distance > inner + 1) {
          ASSERT_EQ(spread.view()(x, y), 0.f);
        } else if (distance <= inner) {
          ASSERT_EQ(spread.view()(x, y), spread.view()(kCentre, kCentre)) << "flat inside";
        }
      }
    EXPECT_NEAR(energy, 1, 1e-3) << radius;
  }
}

TEST_P(DepthOfField, WorksInPlace) {
  const Image<std::uint8_t> image = test::random_image<std::uint8_t>(95, 61, 3);
  const Image<float> disparity = test::random_image<float>(95, 61);
  const Image<std::uint8_t> expected = run(image, disparity, relative_blur(0.2, 12));
  test::GuardedArray<std::uint8_t> both(*context, image.view());
  test::GuardedArray<float> depth(*context, disparity.view());
  depth_of_field<std::uint8_t>(*context, both.view(), depth.view(), relative_blur(0.2, 12), both.view());
  test::expect_equal<std::uint8_t>(both.image().view(), expected.view(), "in place");
}

TEST_P(DepthOfField, BackendsAgreeWithinOneCode) {
  Context cpu = Context::open("cpu");
  const Image<std::uint8_t> image = test::random_image<std::uint8_t>(640, 401, 3);
  const Image<float> disparity = test::random_image<float>(640, 401);
  const Blur blur = relative_blur(0.6, 40);
  const Image<std::uint8_t> here = run(image, disparity, blur);
  Image<std::uint8_t> there(640, 401, 3);
  depth_of_field<std::uint8_t>(cpu, image.view(), disparity.view(), blur, there.view());
  for (std::int64_t i = 0; i < here.view().extent(); ++i)
    ASSERT_LE(std::abs(here.view().data[i] - there.view().data[i]), 1) << i;
}

TEST_P(DepthOfField, RefusesWrongViews) {
  Image<std::uint8_t> image(*context, 8, 8, 3), other(*context, 8, 7, 3), two(*context, 8, 8, 2);
  Image<float> disparity(*context, 8, 8), small(*context, 7, 8);
  const auto dof = [&](Image<std::uint8_t>& in, Image<float>& depth, Image<std::uint8_t>& out) {
    depth_of_field<std::uint8_t>(*context, in.view(), depth.view(), uniform(3), out.view());
  };
  EXPECT_THROW(dof(image, disparity, other), Error);
  EXPECT_THROW(dof(image, small, image), Error);
  EXPECT_THROW(dof(two, disparity, two), Error);
}

SCANLENS_ON_EVERY_DEVICE(DepthOfField);

}  // namespace
}  // namespace scanlens
