// Depth of field at its bounds: where sums change from 32 to 64 bits, and which blurs are refused.
#include <cmath>
#include <limits>

#include "filters/color_tables.h"
#include "filters/lens.h"
#include "tests/unit/support/dof.h"

namespace scanlens {
namespace {

class DofBounds : public DofOnDevice {};

/// The largest radius for which boxes of 8-bit samples fit 32 bits, by bisection.
float largest_narrow_radius(int channels) {
  float narrow = 1, wide = 1000;
  for (float middle = 500; middle > narrow && middle < wide; middle = narrow + (wide - narrow) / 2)
    (fits_32_bits(uniform(middle), 1, channels) ? narrow : wide) = middle;
  return narrow;
}

TEST(Fits32Bits, ExactlyAsLongAsABoxOfWhiteDoes) {
  const auto sum_of_white = [](float radius) {
    const auto side = static_cast<std::uint64_t>(2 * box_of_equal_area(radius).inner + 3);
    return side * side * kLinear16;
  };
  for (const int channels : {1, 3}) {
    const float narrow = largest_narrow_radius(channels), wide = std::nextafter(narrow, 1000.f);
    EXPECT_TRUE(fits_32_bits(uniform(narrow), 1, channels));
    EXPECT_FALSE(fits_32_bits(uniform(wide), 1, channels));
    EXPECT_LE(sum_of_white(narrow), std::uint64_t{UINT32_MAX}) << narrow;
    EXPECT_GT(sum_of_white(wide), std::uint64_t{UINT32_MAX}) << wide;
  }
  EXPECT_FALSE(fits_32_bits(uniform(1), 1, 4)) << "weighed by alpha";
  EXPECT_FALSE(fits_32_bits(uniform(1), 2, 3)) << "24-bit terms";
  EXPECT_FALSE(fits_32_bits(uniform(1), 4, 1)) << "float";
}

TEST_P(DofBounds, WhiteStaysWhiteOnBothSidesOfTheBound) {
  constexpr std::int64_t kSize = 300;  // more than the boxes' 257, so that some are not clipped
  const Image<float> disparity = constant_disparity(kSize, kSize, 1);
  for (const int channels : {1, 3}) {
    Image<std::uint8_t> white(kSize, kSize, channels);
    std::fill_n(white.view().data, white.view().extent(), std::uint8_t{255});
    const float narrow = largest_narrow_radius(channels);
    for (const float radius : {narrow - 1, narrow, std::nextafter(narrow, 1000.f), narrow + 1, narrow + 20}) {
      test::expect_equal<std::uint8_t>(run(white, disparity, uniform(radius)).view(), white.view(),
                                       "radius " + std::to_string(radius));
      if (HasFatalFailure()) return;
    }
  }
}

/// Blurs that no lens has.
std::vector<Blur> impossible_blurs() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  std::vector<Blur> all = {{1, 0, std::nextafter(kMostRadius, kInfinity)}};
  for (const float bad : {kInfinity, kNan, -1.f}) {
    if (!(bad > 0)) all.push_back({.scale = 1, .focus = 0, .most = 1, .before = bad});
    if (!(bad > 0)) all.push_back({.scale = 1, .focus = 0, .most = 1, .behind = bad});
    all.push_back({bad, 0, 1});
    all.push_back({1, 0, bad});
  }
  for (const float bad : {kInfinity, -kInfinity, kNan}) all.push_back({1, bad, 1});
  return all;
}

std::string text_of(const Blur& blur) {
  return "scale " + std::to_string(blur.scale) + ", focus " + std::to_string(blur.focus) + ", most " +
         std::to_string(blur.most);
}

template <class Call>
void expect_usage_error(Call call, const std::string& what) {
  try {
    call();
    ADD_FAILURE() << what << " was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage) << what;
  }
}

TEST_P(DofBounds, RefusesABlurOutOfRange) {
  Image<std::uint8_t> image = upload(*context, test::random_image<std::uint8_t>(8, 8, 3));
  Image<float> disparity = upload(*context, constant_disparity(8, 8, 1));
  const auto dof = [&](const Blur& blur) {
    depth_of_field<std::uint8_t>(*context, image.view(), disparity.view(), blur, image.view());
  };
  for (const Blur& blur : impossible_blurs()) expect_usage_error([&] { dof(blur); }, text_of(blur));
  EXPECT_NO_THROW(dof({0, 0, 0}));
  EXPECT_NO_THROW(dof({1, -3, kMostRadius}));
}

TEST(RequireExact, RefusesABlurOutOfRange) {
  for (const Blur& blur : impossible_blurs())
    expect_usage_error([&] { require_exact(blur, 8, 8, 3, 1); }, text_of(blur));
  EXPECT_NO_THROW(require_exact({0, 0, 0}, 8, 8, 3, 1));
  EXPECT_NO_THROW(require_exact({1, -3, kMostRadius}, 8, 8, 3, 1));
}

TEST(RequireExact, HoldsSumsTo64Bits) {
  // 24 bits of colour times 16 of alpha leave 24 for the pixels of a box: 4096 squared.
  constexpr int kRgba = 4;
  const Blur widest = uniform(kMostRadius);
  for (const int sample_bytes : {2, 4}) {
    const auto refused = [&](const Blur& blur, std::int64_t width, std::int64_t height) {
      expect_usage_error([&] { require_exact(blur, width, height, kRgba, sample_bytes); },
                         std::to_string(width) + " x " + std::to_string(height));
    };
    EXPECT_NO_THROW(require_exact(widest, 4096, 4096, kRgba, sample_bytes));
    refused(widest, 4097, 4096);
    refused(widest, 4096, 4097);
    refused(widest, 100000, 100000);
    EXPECT_NO_THROW(require_exact(widest, 300, 50000, kRgba, sample_bytes)) << "15 million pixels";
    EXPECT_NO_THROW(require_exact(uniform(100), 100000, 100000, kRgba, sample_bytes));

    // By radius, in a picture that clips no box: an outer box with sides of 4095 pixels fits, one of 4097
    // does not.
    float narrow = 1, wide = kMostRadius;
    for (float middle = 100; middle > narrow && middle < wide; middle = narrow + (wide - narrow) / 2)
      (box_of_equal_area(middle).inner <= (4095 - 3) / 2 ? narrow : wide) = middle;
    EXPECT_NO_THROW(require_exact(uniform(narrow), 100000, 100000, kRgba, sample_bytes));
    refused(uniform(wide), 100000, 100000);
  }
  for (const int channels : {1, 3})
    for (const int sample_bytes : {1, 2, 4})
      EXPECT_NO_THROW(require_exact(widest, 500000, 500000, channels, sample_bytes)) << channels;
  EXPECT_NO_THROW(require_exact(widest, 500000, 500000, kRgba, 1)) << "16 bits of colour times 8";
}

SCANLENS_ON_EVERY_DEVICE(DofBounds);

}  // namespace
}  // namespace scanlens
