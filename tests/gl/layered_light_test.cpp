// Depth of field by layers in OpenGL, of pictures of linear light: the integers bit for bit, the pictures
// within 1e-5 of the light that the library shows.
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "filters/lens.h"
#include "tests/gl/layered.h"

namespace scanlens {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kOddLight[] = {0, -0.f, -3, 1e-42f, 1e-30f, 1, kInfinity, -kInfinity, std::nanf("")};
const float kOddAlpha[] = {0, -0.f, -3, 1e-5f, 1, kInfinity, -kInfinity, std::nanf("")};

/// Light over 30 powers of two up to 1.5 of `white`, lamps beside darkness; alpha up to 1.2. Every seventh
/// sample is odd.
Image<float> lights(std::int64_t width, std::int64_t height, int channels, float white) {
  Image<float> image = test::random_image<float>(width, height, channels);
  for (std::int64_t i = 0; i < image.view().extent(); ++i) {
    float& sample = image.view().data[i];
    const bool odd = i % 7 == 3;
    if (channels == 4 && i % 4 == 3)
      sample = odd ? kOddAlpha[i / 28 % std::ssize(kOddAlpha)] : 1.2f * sample;
    else
      sample = odd ? kOddLight[i / 7 % std::ssize(kOddLight)] : 1.5f * white * std::exp2(-30 * sample);
  }
  return image;
}

/// Light of codes, of the lights by night, and what leaves fields fewer bits than that.
constexpr LightRange kRanges[] = {{1}, {1000}, {0.25f, 0.07f}, {65536, 300}, {0.3f, 0.2f, 100, 40}};

TEST_F(GlLayers, LightHasTheBitsOfTheMethodDoneDirectly) {
  const Image<float> disparity = test::random_image<float>(61, 47), jumpy = jumpy_disparity(61, 47);
  const Blur blur{37.7f, 0.47f, 19.3f};
  for (const LightRange& light : kRanges) {
    expect_the_same_integers<1>(lights(61, 47, 1, light.most), disparity, blur, kUnusual, light);
    expect_the_same_integers<3>(lights(61, 47, 3, light.most), disparity, blur, kUnusual, light);
    expect_the_same_integers<4>(lights(61, 47, 4, light.most), disparity, blur, kUnusual, light);
    expect_the_same_integers<3>(lights(61, 47, 3, light.most), jumpy, blur, kGood, light);
    expect_the_same_integers<4>(lights(61, 47, 4, light.most), constant_disparity(61, 47, 0), Blur{90, 1, 90},
                                kGood, light);
    if (HasFatalFailure()) return;
  }
}

TEST_F(GlLayers, LightOfEveryStyleAgreesWithTheLibrary) {
  const std::vector<DofStyle> styles = every_style();
  for (std::size_t i = 0; i < styles.size(); ++i)
    for (const int channels : {1, 3, 4}) {
      const float radius = std::array{2.f, 12.f, 40.f}[(i + static_cast<std::size_t>(channels)) % 3];
      const LightRange light = kRanges[i % std::size(kRanges)];
      const Image<float> image = lights(61, 47, channels, light.most);
      expect_agreement(image, jumpy_disparity(61, 47), Blur{2 * radius, 0.5f, radius}, styles[i], light);
      expect_agreement(image, test::random_image<float>(61, 47), Blur{radius, 0.5f, radius}, styles[i],
                       light);
      if (HasFatalFailure()) return;
    }
}

/// A dark picture with lamps alone and in clusters, in the corners too, brighter from one to the next.
Image<float> lamps_in_the_dark(int width, int height, int channels, float white) {
  Image<float> image = test::random_image<float>(width, height, channels);
  for (std::int64_t i = 0; i < image.view().extent(); ++i)
    image.view().data[i] = channels == 4 && i % 4 == 3 ? white : 0.1f * white * image.view().data[i];
  float light = 0.9f * white;
  for (int y = 1; y < height; y += 31)
    for (int x = 2; x < width; x += 43)
      for (int i = 0; i < (x / 43 % 3 == 0 ? 4 : 1); ++i, light *= 1.1f)
        image.view()(std::min(x + i % 2, width - 1), std::min(y + i / 2, height - 1),
                     i % std::min(channels, 3)) = light;
  return image;
}

class GlLamps : public GlLayers {
 protected:
  template <int kSamples, class T>
  void expect_the_same_discs(const Image<T>& image, const Image<float>& disparity, const Blur& blur,
                             const DofStyle& style, const LightRange& light = {}) {
    EXPECT_TRUE((Direct<T, kSamples>(image, disparity, blur, style, light).has_lamps()));
    expect_the_same_integers<kSamples>(image, disparity, blur, style, light);
  }
};

TEST_F(GlLamps, HaveTheBitsOfTheMethodDoneDirectly) {
  const DofStyle oval{.quality = DofQuality::good, .bokeh = Bokeh::hexagon, .anamorphic = 1.7f};
  for (const float radius : {9.f, 12.f, 40.f, 75.f}) {
    const Blur blur{2 * radius, 0.5f, radius};
    const LightRange light{64}, dim{0.5f, 0.5f, 64, 60};
    const Image<float> jumpy = jumpy_disparity(132, 97), flat = constant_disparity(132, 97, 0.1f);
    expect_the_same_discs<3>(lamps_in_the_dark(132, 97, 3, 1), jumpy, blur, kGood, light);
    expect_the_same_discs<3>(lamps_in_the_dark(132, 97, 3, 1), flat, blur, kBest, light);
    expect_the_same_discs<3>(lamps_in_the_dark(132, 97, 3, 1), flat, blur, kGood, dim);
    expect_the_same_discs<4>(lamps_in_the_dark(132, 97, 4, 1), jumpy, blur, kBest, dim);
    expect_the_same_discs<1>(lamps_in_the_dark(132, 97, 1, 1), flat, blur, oval, light);
    expect_the_same_discs<4>(lamps_in_the_dark(132, 97, 4, 1), jumpy, blur, kBest, light);
    if (HasFatalFailure()) return;
  }
}

TEST_F(GlLamps, OfCodesHaveTheBitsOfTheMethodDoneDirectly) {
  const auto codes = []<class T>(T white, int channels) {
    const Image<float> light = lamps_in_the_dark(132, 97, channels, static_cast<float>(white));
    Image<T> image(132, 97, channels);
    for (std::int64_t i = 0; i < image.view().extent(); ++i)
      image.view().data[i] = static_cast<T>(std::min(light.view().data[i], static_cast<float>(white)));
    return image;
  };
  DofStyle bright = kGood;
  bright.highlights = 4;
  const Image<float> disparity = jumpy_disparity(132, 97);
  const Blur blur{40, 0.5f, 20};
  expect_the_same_discs<3>(codes(std::uint8_t{255}, 3), disparity, blur, kGood);
  expect_the_same_discs<3>(codes(std::uint8_t{255}, 3), disparity, blur, bright);
  expect_the_same_discs<1>(codes(std::uint16_t{65535}, 1), disparity, blur, kBest);
  expect_the_same_discs<4>(codes(std::uint16_t{65535}, 4), disparity, blur, bright);
}

TEST_F(GlLamps, OfCrowdsHaveTheBitsOfTheMethodDoneDirectly) {
  // The largest cells with all their discs cost more than the budget.
  Image<float> image = lamps_in_the_dark(132, 97, 3, 1);
  for (int i = 0; i < 154; ++i)
    for (int c = 0; c < 3; ++c) image.view()(5 + 11 * (i % 11), 3 + i / 11 * 7, c) = 2;
  for (const float radius : {150.f, 180.f}) {
    const Blur blur{2 * radius, 0.5f, radius};
    expect_the_same_discs<3>(image, jumpy_disparity(132, 97), blur, kBest, {64});
    expect_the_same_discs<3>(image, constant_disparity(132, 97, 0.1f), blur, kGood, {64});
  }
}

TEST_F(GlLamps, AgreeWithTheLibrary) {
  const Image<float> disparity = jumpy_disparity(132, 97);
  for (const DofStyle& style : {kGood, kBest})
    for (const int channels : {1, 3, 4})
      expect_agreement(lamps_in_the_dark(132, 97, channels, 1), disparity, Blur{40, 0.5f, 20}, style, {64});
}

TEST_F(GlLayers, ADarkPixelAllButInFocusKeepsItsLightBesideLamps) {
  Image<float> image(40, 5, 3), disparity(40, 5);
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 40; ++x) {
      const bool lamp = (x + y) % 2 == 1;
      disparity.view()(x, y) = lamp ? -0.9f : -0.5f - std::ldexp(static_cast<float>(x), -23);
      for (int c = 0; c < 3; ++c) image.view()(x, y, c) = lamp ? 1000.f : 0.001f;
    }
  expect_agreement(image, disparity, Blur{1, 0, 2}, kGood, {1000});
}

TEST_F(GlLayers, ZeroApertureReproducesLightBitForBit) {
  const Image<float> disparity = test::random_image<float>(65, 33);
  for (const DofStyle& style : {kGood, kBest})
    for (const int channels : {1, 3, 4}) {
      const Image<float> image = lights(65, 33, channels, 1000);
      const Image<float> made = by_opengl(image, disparity, relative_blur(0.4, 0), style, nullptr, {1000});
      for (std::int64_t i = 0; i < image.view().extent(); ++i)
        ASSERT_EQ(std::memcmp(made.view().data + i, image.view().data + i, sizeof(float)), 0)
            << "sample " << i << " of " << channels << " channels: " << image.view().data[i] << " became "
            << made.view().data[i];
    }
}

TEST_F(GlLayers, RefusesAWhiteThatIsNoLight) {
  const Texture color = Texture::image_2d(GL_RGBA32F, 8, 8), disparity = Texture::image_2d(GL_R32F, 8, 8);
  for (const float none : {0.f, -1.f, kInfinity, std::nanf("")})
    for (const LightRange& light : {LightRange{none, 1}, LightRange{1, none}})
      EXPECT_THROW(layered->run(color, disparity, {8, 8, 32, 3, {1, 0, 1}, kGood, light}), Error);
}

}  // namespace
}  // namespace scanlens
