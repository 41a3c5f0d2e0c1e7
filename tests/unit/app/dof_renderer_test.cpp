// Depth of field on pictures of every kind, by the scan library.
#include "app/photo/dof_renderer.h"

#include <cmath>
#include <limits>

#include "app/photo/brightness.h"
#include "filters/depth_of_field.h"
#include "filters/lens.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

class DofRendering : public test::OnDevice {
 protected:
  /// A blur of the same radius everywhere.
  template <class T>
  Image<T> blurred(Image<T> image, float radius) {
    const std::int64_t width = image.width(), height = image.height();
    Picture picture{std::move(image)};
    const DofJob job = dof_job(picture, {radius, 0, radius}, {}, brightness_of(picture).light);
    Picture result = DofRenderer(*context).run(std::move(picture), filled<float>(width, height, 1, 1.f), job);
    return std::get<Image<T>>(std::move(result.samples));
  }

  template <class T>
  static Image<T> filled(std::int64_t width, std::int64_t height, int channels, T value) {
    Image<T> image(width, height, channels);
    std::fill_n(image.view().data, image.view().extent(), value);
    return image;
  }
};

TEST_P(DofRendering, AConstantPictureAboveOneKeepsItsLight) {
  for (const int channels : {1, 3})
    for (const float light : {7.f, 1.5f, 1000.f})
      for (const float radius : {1.f, 6.5f, 40.f}) {
        const Image<float> result = blurred(filled(64, 48, channels, light), radius);
        ASSERT_EQ(result.channels(), channels);
        for (std::int64_t i = 0; i < result.view().extent(); ++i)
          ASSERT_NEAR(result.view().data[i], light, 1e-5 * light) << channels << " channels, sample " << i;
      }
}

TEST_P(DofRendering, AConstantPictureAboveOneWithAlphaKeepsItsLight) {
  Image<float> image = filled(64, 48, 4, 7.f);
  for (std::int64_t i = 3; i < image.view().extent(); i += 4) image.view().data[i] = 0.5f;
  const Image<float> result = blurred(std::move(image), 6.5f);
  for (std::int64_t i = 0; i < result.view().extent(); ++i)
    if (i % 4 == 3)
      ASSERT_NEAR(result.view().data[i], 0.5f, 1.0 / 65535) << i;
    else
      ASSERT_NEAR(result.view().data[i], 7.f, 7e-5) << i;
}

TEST_P(DofRendering, AHighlightKeepsItsEnergy) {
  constexpr std::int64_t kSize = 129;
  for (const int channels : {1, 3})
    for (const float radius : {0.8f, 4.f, 11.7f, 30.f}) {
      Image<float> image = filled(kSize, kSize, channels, 0.f);
      for (int c = 0; c < channels; ++c)
        image.view()(kSize / 2, kSize / 2, c) = 50.f / static_cast<float>(1 + c);
      const Image<float> result = blurred(std::move(image), radius);
      for (int c = 0; c < channels; ++c) {
        double energy = 0;
        for (std::int64_t y = 0; y < kSize; ++y)
          for (std::int64_t x = 0; x < kSize; ++x) energy += result.view()(x, y, c);
        const double expected = 50.0 / (1 + c);
        EXPECT_NEAR(energy, expected, 1e-3 * expected) << "radius " << radius << ", channel " << c;
      }
    }
}

TEST_P(DofRendering, AHighlightLeavesTheShadowsAsTheyAre) {
  // The table is scaled to the highlight. Light of 0.001 beside 50 is still thousands of its steps.
  Image<float> image = filled(96, 64, 3, 0.001f);
  image.view()(90, 5, 1) = 50;
  const Image<float> result = blurred(std::move(image), 5);
  for (std::int64_t y = 0; y < 64; ++y)
    for (std::int64_t x = 0; x < 80; ++x)
      for (int c = 0; c < 3; ++c) ASSERT_NEAR(result.view()(x, y, c), 0.001f, 5e-6) << x << ", " << y;
}

TEST_P(DofRendering, OneBrokenSampleLeavesTheRestItsLight) {
  for (const int channels : {1, 3, 4}) {
    Image<float> image = filled(96, 64, channels, 0.5f);
    image.view()(90, 5, 0) = 1e10f;
    Picture picture{std::move(image)};
    const Brightness brightness = brightness_of(picture);
    EXPECT_EQ(brightness.clipped, 1);
    EXPECT_EQ(brightness.brightest, 1e10f);
    EXPECT_EQ(brightness.light.white, 1);
    EXPECT_EQ(brightness.x, 90);
    EXPECT_EQ(brightness.y, 5);
    const Image<float> result = blurred(std::get<Image<float>>(std::move(picture.samples)), 5);
    for (std::int64_t y = 0; y < 64; ++y)
      for (std::int64_t x = 0; x < 80; ++x)
        for (int c = 0; c < channels; ++c)
          ASSERT_NEAR(result.view()(x, y, c), 0.5f, 5e-4) << channels << " channels: " << x << ", " << y;
  }
}

TEST_P(DofRendering, SamplesThatAreNoLightDoNotSpreadAsSuch) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Image<float> image = filled(64, 48, 1, 2.f);
  image.view()(10, 10) = std::numeric_limits<float>::quiet_NaN();
  image.view()(40, 30) = kInfinity;
  image.view()(20, 40) = -kInfinity;
  const Image<float> result = blurred(std::move(image), 4);
  for (std::int64_t y = 0; y < 48; ++y)
    for (std::int64_t x = 0; x < 64; ++x) {
      ASSERT_TRUE(std::isfinite(result.view()(x, y))) << x << ", " << y;
      ASSERT_GE(result.view()(x, y), 0.f);
      ASSERT_LE(result.view()(x, y), 2.0001f) << "infinity counts as the brightest finite sample";
    }
  EXPECT_NEAR(result.view()(60, 3), 2.f, 2e-5);
}

TEST_P(DofRendering, PicturesKeepTheirKind) {
  const auto check = [&]<class T>(int channels, T code) {
    const Image<T> expected = filled<T>(40, 30, channels, code);
    test::expect_equal<T>(blurred(filled<T>(40, 30, channels, code), 5).view(), expected.view(),
                          std::to_string(sizeof(T)) + " bytes a sample");
  };
  for (const int channels : {1, 3, 4}) {
    check(channels, std::uint8_t{200});
    check(channels, std::uint16_t{54321});
  }
}

TEST_P(DofRendering, TakesTheMemoryItPromises) {
  constexpr std::int64_t kWidth = 1031, kHeight = 773, kSlack = 4 << 20;
  const auto check = [&]<class T>(Image<T> image, const Blur& blur) {
    const Picture picture{std::move(image)};
    const auto inputs = static_cast<std::int64_t>(picture.bytes()) +
                        kWidth * kHeight * static_cast<std::int64_t>(sizeof(float));
    const DofJob job = dof_job(picture, blur, {});
    const std::int64_t promised = DofRenderer::library_bytes(job);
    Context fresh = Context::open(GetParam());
    Picture copied{test::random_image<T>(kWidth, kHeight, picture.channels())};
    DofRenderer(fresh).run(std::move(copied), filled(kWidth, kHeight, 1, 1.f), job);
    const std::int64_t taken = inputs + static_cast<std::int64_t>(fresh.kept_bytes());
    EXPECT_GE(promised, taken - kSlack) << picture.description() << ", radius " << blur.most;
    EXPECT_LE(promised, 2 * taken) << picture.description() << ", radius " << blur.most;
  };
  for (const int channels : {1, 3, 4})
    for (const float radius : {3.f, 200.f}) {
      const Blur blur{radius, 0, radius};
      check(Image<std::uint8_t>(kWidth, kHeight, channels), blur);
      check(Image<std::uint16_t>(kWidth, kHeight, channels), blur);
      check(Image<float>(kWidth, kHeight, channels), blur);
    }
}

SCANLENS_ON_EVERY_DEVICE(DofRendering);

}  // namespace
}  // namespace scanlens
