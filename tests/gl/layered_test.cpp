// Depth of field by layers in OpenGL. Its integers against the method done directly, bit for bit. Its
// pictures of codes against the library's on the CPU. On whatever OpenGL there is.
#include "tests/gl/layered.h"

#include <limits>

#include "filters/lens.h"

namespace scanlens {
namespace {

/// Depth that slants so little that wide groups are spread as one.
Image<float> sloping_disparity(int width, int height) {
  Image<float> disparity(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) disparity.view()(x, y) = 0.02f * static_cast<float>(x + y) / 200;
  return disparity;
}

TEST_F(GlLayers, FieldsAndFillHaveTheBitsOfTheMethodDoneDirectly) {
  constexpr std::pair<int, int> kSizes[] = {{1, 1}, {7, 90}, {67, 53}, {132, 34}};
  int turn = 0;
  for (const DofStyle& style : every_style())
    for (const float radius : {2.f, 12.f, 40.f}) {
      const auto [width, height] = kSizes[turn++ % 4];
      const Image<float> disparity = jumpy_disparity(width, height);
      expect_the_same_integers<std::uint8_t, 3>(width, height, disparity, Blur{2 * radius, 0.45f, radius},
                                                style);
      if (HasFatalFailure()) return;
    }
}

/// A dark picture with lamps.
template <class T>
Image<T> lamps_in_the_dark(int width, int height, int channels, T white) {
  Image<T> image = test::random_image<T>(width, height, channels);
  for (std::int64_t i = 0; i < image.view().extent(); ++i) {
    const bool lamp = i / channels % width % 31 < 2 && i / channels / width % 23 < 2;
    if (!(channels == 4 && i % 4 == 3))
      image.view().data[i] = lamp ? white : static_cast<T>(image.view().data[i] / 5);
  }
  return image;
}

TEST_F(GlLayers, LooksHaveTheBitsOfTheMethodDoneDirectly) {
  for (const DofStyle& style : every_look())
    for (const float radius : {7.f, 44.f}) {
      const Blur blur{2 * radius, 0.45f, radius};
      expect_the_same_integers<3>(lamps_in_the_dark<std::uint8_t>(167, 53, 3, 255), jumpy_disparity(167, 53),
                                  blur, style);
      if (HasFatalFailure()) return;
    }
  expect_the_same_integers<4>(lamps_in_the_dark<float>(71, 59, 4, 40), sloping_disparity(71, 59),
                              Blur{60, -1, 60}, every_look()[1], {.most = 64, .white = 1});
}

TEST_F(GlLayers, LooksAgreeWithTheLibraryWithinOneCode) {
  for (const DofStyle& style : every_look())
    for (const float radius : {5.f, 30.f, 200.f})
      expect_agreement(lamps_in_the_dark<std::uint8_t>(131, 67, 3, 255), jumpy_disparity(131, 67),
                       Blur{2 * radius, 0.5f, radius}, style);
}

TEST_F(GlLayers, GroupsThatAreSpreadAsOneHaveTheSameBits) {
  const Image<float> disparity = sloping_disparity(71, 59);
  for (const float radius : {20.f, 60.f, 200.f})
    for (const float focus : {-1.f, 1.f}) {  // all before the focus, or all behind it
      expect_the_same_integers<std::uint8_t, 3>(71, 59, disparity, Blur{radius, focus, radius}, kGood);
      expect_the_same_integers<std::uint16_t, 4>(71, 59, disparity, Blur{0.8f * radius, focus, radius},
                                                 kBest);
      if (HasFatalFailure()) return;
    }
}

TEST_F(GlLayers, AllFormatsAndFactorsHaveTheSameBits) {
  const Image<float> disparity = test::random_image<float>(61, 47);
  const Blur blur{37.7f, 0.47f, 19.3f};
  expect_the_same_integers<std::uint8_t, 1>(61, 47, disparity, blur, kUnusual);
  expect_the_same_integers<std::uint8_t, 3>(61, 47, disparity, blur, kUnusual);
  expect_the_same_integers<std::uint8_t, 4>(61, 47, disparity, blur, kUnusual);
  expect_the_same_integers<std::uint16_t, 1>(61, 47, disparity, blur, kUnusual);
  expect_the_same_integers<std::uint16_t, 3>(61, 47, disparity, blur, kUnusual);
  expect_the_same_integers<std::uint16_t, 4>(61, 47, disparity, blur, kUnusual);
}

TEST_F(GlLayers, RowsLongerThanAWorkGroupTakesAtOnceHaveTheSameBits) {
  expect_the_same_integers<std::uint8_t, 1>(2531, 3, jumpy_disparity(2531, 3), Blur{20, 0.5f, 10}, kGood);
  expect_the_same_integers<std::uint8_t, 1>(5, 1201, jumpy_disparity(5, 1201), Blur{20, 0.5f, 10}, kGood);
}

TEST_F(GlLayers, TilesThatNoLightReachesHoldWhatTheFrameBeforeLeft) {
  const auto image = test::random_image<std::uint8_t>(700, 300, 3);
  for (const DofStyle& style : {kGood, kBest})
    for (const float radius : {2.f, 12.f, 40.f}) {
      by_opengl(image, jumpy_disparity(700, 300), Blur{24, 0.5f, 12}, style);
      expect_the_same_integers<3>(image, islands(700, 300), Blur{2 * radius, 0.5f, radius}, style);
      expect_agreement(image, islands(700, 300), Blur{2 * radius, 0.5f, radius}, style);
      if (HasFatalFailure()) return;
    }
}

TEST_F(GlLayers, CirclesMayReachFartherThanThePicture) {
  if (gl->software()) GTEST_SKIP() << "takes minutes by software";
  const auto image = test::random_image<std::uint8_t>(4160, 1120, 3);
  for (const float radius : {700.f, 3000.f})
    expect_agreement(image, islands(4160, 1120), Blur{2 * radius, 0.5f, radius}, kGood);
}

TEST_F(GlLayers, EveryStyleAgreesWithTheLibraryWithinOneCode) {
  constexpr std::pair<int, int> kSizes[] = {{1, 1}, {61, 47}, {83, 29}, {33, 64}};
  int turn = 0;
  for (const DofStyle& style : every_style())
    for (const float radius : {2.f, 12.f, 40.f}) {
      const auto [width, height] = kSizes[turn % 4];
      const int channels = turn % 3 == 0 ? 1 : turn % 3 + 2;
      const Image<float> disparity = jumpy_disparity(width, height);
      const Blur blur{2 * radius, 0.5f, radius};
      if (turn++ % 2)
        expect_agreement(test::random_image<std::uint8_t>(width, height, channels), disparity, blur, style);
      else
        expect_agreement(test::random_image<std::uint16_t>(width, height, channels), disparity, blur, style);
      if (HasFatalFailure()) return;
    }
}

TEST_F(GlLayers, AgreeWithAZoneInFocus) {
  expect_agreement(test::random_image<std::uint8_t>(61, 47, 3), jumpy_disparity(61, 47),
                   relative_blur(0.4, 11, 0.3), kBest);
}

TEST_F(GlLayers, ZeroApertureReproducesTheInput) {
  const Image<float> disparity = test::random_image<float>(65, 33);
  for (const DofStyle& style : {kGood, kBest})
    for (const int channels : {1, 3, 4}) {
      const auto bytes = test::random_image<std::uint8_t>(65, 33, channels);
      test::expect_equal<std::uint8_t>(by_opengl(bytes, disparity, relative_blur(0.4, 0), style).view(),
                                       bytes.view(), "8 bit");
      const auto words = test::random_image<std::uint16_t>(65, 33, channels);
      test::expect_equal<std::uint16_t>(by_opengl(words, disparity, relative_blur(0.4, 0), style).view(),
                                        words.view(), "16 bit");
    }
}

TEST_F(GlLayers, DisparityThatIsNoNumberIsFarBehind) {
  Image<float> unknown = jumpy_disparity(61, 47), far = jumpy_disparity(61, 47);
  for (int i = 0; i < 61; ++i) {
    unknown.view()(i, 20) = i % 2 ? std::nanf("") : -std::numeric_limits<float>::infinity();
    far.view()(i, 20) = -1e6f;
    unknown.view()(i, 30) = std::numeric_limits<float>::infinity();
    far.view()(i, 30) = 1e6f;
  }
  const auto image = test::random_image<std::uint8_t>(61, 47, 3);
  const Blur blur{24, 0.5f, 12};
  test::expect_equal<std::uint8_t>(by_opengl(image, unknown, blur, kGood).view(),
                                   by_opengl(image, far, blur, kGood).view(), "unknown");
}

TEST_F(GlLayers, FramesInKeptBuffersAreThoseOfNewOnes) {
  struct Frame {
    int width, height, channels;
    float radius;
    DofStyle style;
  };
  const Frame frames[] = {{90, 40, 3, 9, kGood}, {41, 67, 4, 30, kBest}, {90, 40, 3, 9, kGood},
                          {90, 40, 3, 9, kBest}, {90, 40, 3, 24, kGood}, {3, 5, 1, 2, kGood}};
  for (const Frame& frame : frames) {
    const auto image = test::random_image<std::uint8_t>(frame.width, frame.height, frame.channels);
    const Image<float> disparity = jumpy_disparity(frame.width, frame.height);
    const Blur blur{2 * frame.radius, 0.5f, frame.radius};
    const Image<std::uint8_t> first = by_opengl(image, disparity, blur, frame.style);
    test::expect_equal<std::uint8_t>(by_opengl(image, disparity, blur, frame.style).view(), first.view(),
                                     "again");
    const auto shorts = test::random_image<std::uint16_t>(9, 8, 3);
    by_opengl(shorts, jumpy_disparity(9, 8), blur, frame.style);
    test::expect_equal<std::uint8_t>(by_opengl(image, disparity, blur, frame.style).view(), first.view(),
                                     "after another format");
    by_opengl(test::random_image<float>(9, 8, 3), jumpy_disparity(9, 8), blur, frame.style);
    test::expect_equal<std::uint8_t>(by_opengl(image, disparity, blur, frame.style).view(), first.view(),
                                     "after floats");
    GlLayeredDof fresh(*gl);
    test::expect_equal<std::uint8_t>(by_opengl(image, disparity, blur, frame.style, &fresh).view(),
                                     first.view(), "in new buffers");
  }
}

TEST_F(GlLayers, ItsBuffersTakeTheMemoryItPromises) {
  for (const int bits : {8, 16, 32})
    for (const DofStyle& style : {kGood, kBest}) {
      const Texture color = Texture::image_2d(rgba_format(bits), 77, 39),
                    disparity = Texture::image_2d(GL_R32F, 77, 39);
      const DofJob job{77, 39, bits, 4, {5, 0, 31}, style};
      const std::int64_t before = bytes_of_all_buffers();
      GlLayeredDof dof(*gl);
      dof.run(color, disparity, job);
      EXPECT_EQ(dof.memory(job).opengl, bytes_of_all_buffers() - before);
    }
}

TEST_F(GlLayers, RefusesFieldsThatDoNotFitAndStylesOutOfRange) {
  const auto side =
      static_cast<std::int64_t>(std::sqrt(static_cast<double>(gl->max_ssbo_bytes()) / (12 * 4)));
  const auto fits = [](std::int64_t width, std::int64_t height, const DofStyle& style) {
    return layered->fits({width, height, 8, 3, {}, style});
  };
  EXPECT_TRUE(fits(std::min<std::int64_t>(side, gl->max_texture_size()) / 4 * 4 - 4, 4, kGood));
  EXPECT_TRUE(fits(side / 2, side / 2, kGood));
  EXPECT_FALSE(fits(side + 4, side + 4, kGood));
  EXPECT_FALSE(fits(side, side, kBest));
  EXPECT_FALSE(fits(std::int64_t{1} << 40, 1, kGood));
  const Texture color = Texture::image_2d(GL_RGBA8, 8, 8), disparity = Texture::image_2d(GL_R32F, 8, 8);
  EXPECT_THROW(layered->run(color, disparity, {8, 8, 8, 3, {1, 0, 1e9f}, kGood}), Error);
  EXPECT_THROW(
      layered->run(color, disparity, {8, 8, 8, 3, {1, 0, 1}, {.quality = DofQuality::good, .anamorphic = 5}}),
      Error);
}

}  // namespace
}  // namespace scanlens
