// Depth of field by layers in OpenGL: its integers against the method done directly, bit for bit, and its
// pictures against the library's on the CPU, on whatever OpenGL there is.
#include "app/gl/layered.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "app/commands/apply_dof.h"
#include "app/session/session.h"
#include "filters/color_tables.h"
#include "filters/dof/layered.h"
#include "filters/lens.h"
#include "tests/gl/buffers.h"
#include "tests/unit/support/dof.h"
#include "tests/unit/support/support.h"

namespace scanlens {
namespace {

using Words = std::vector<std::uint32_t>;

/// Depth that slants so little that wide groups are spread as one.
Image<float> sloping_disparity(int width, int height) {
  Image<float> disparity(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) disparity.view()(x, y) = 0.02f * static_cast<float>(x + y) / 200;
  return disparity;
}

/// What the shaders make before it is shown, by loops over pixels and the formulas in C++.
template <class T, int kSamples>
struct Direct {
  static constexpr int kPlanes = kSamples + 1;
  struct Values {
    std::uint32_t of[kPlanes];
  };

  Direct(const Image<T>& picture, const Image<float>& disparity, const Blur& blur, const DofStyle& how)
      : image(picture),
        style(how),
        width(static_cast<int>(picture.width())),
        height(static_cast<int>(picture.height())),
        widest(widest_circle(layered_lens(blur, how))),
        shapes(shape_table(how, widest)) {
    scale.decode = sizeof(T) == 1 ? srgb8_to_linear16() : srgb16_to_linear24();
    scale.highlights = style.highlights;
    const LayeredLens lens = layered_lens(blur, style);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        circles.push_back(unmixed_circle([&](int dx, int dy) {
          return signed_circle(
              disparity.view()(std::clamp(x + dx, 0, width - 1), std::clamp(y + dy, 0, height - 1)), lens);
        }));
    const auto [least, most] = std::minmax_element(circles.begin(), circles.end());
    cuts = layer_cuts(layers_of(style.quality), *least, *most);
  }

  float circle(int x, int y) const { return circles[static_cast<std::size_t>(y * width + x)]; }
  const T* pixel(int x, int y) const { return image.view().row(y) + x * kSamples; }

  /// Planes one beneath the other.
  Words fields() const {
    Words sums(static_cast<std::size_t>(layers_of(style.quality) * kPlanes * width * height));
    deposit(sums, 0, 0, 4);
    for (std::size_t first = 0; first < sums.size(); first += static_cast<std::size_t>(width * height))
      sum_up(sums.data() + first, width, height);
    return sums;
  }

  Words fill_table() const {
    const int across = fill_cells(width), down = fill_cells(height);
    const NearLevels tiles = near_levels(width, height, widest);
    std::vector<float> nearest(static_cast<std::size_t>(tiles.count()), -widest);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        std::int64_t first = 0;
        for (const NearTiles& level : {tiles.fine, tiles.coarse}) {
          float& of_tile =
              nearest[static_cast<std::size_t>(first + y / level.side * level.across + x / level.side)];
          of_tile = std::max(of_tile, circle(x, y));
          first += level.count();
        }
      }
    Words sums(static_cast<std::size_t>(across * down * kPlanes));
    for (int y = 0; y < height; y += kFillCell)
      for (int x = 0; x < width; x += kFillCell) {
        FillCell<kSamples> cell;
        const float around = tiles.nearest_around(nearest.data(), x / tiles.fine.side, y / tiles.fine.side,
                                                  [](float near) { return near; });
        for (int j = y; j < std::min(height, y + kFillCell); ++j)
          for (int i = x; i < std::min(width, x + kFillCell); ++i) {
            float light[kSamples];
            light_to_show<kSamples>(pixel(i, j), scale, light);
            cell.add(light, fill_weight(circle(i, j), around));
          }
        cell.finish(fill_one(widest), pixel_hash(x, y), [&](int c, std::uint32_t term) {
          sums[static_cast<std::size_t>((c * down + y / kFillCell) * across + x / kFillCell)] = term;
        });
      }
    for (int c = 0; c < kPlanes; ++c) sum_up(sums.data() + c * across * down, across, down);
    return sums;
  }

 private:
  static void sum_up(std::uint32_t* plane, int across, int down) {
    for (int y = 0; y < down; ++y)
      for (int x = 1; x < across; ++x) plane[y * across + x] += plane[y * across + x - 1];
    for (int i = across; i < across * down; ++i) plane[i] += plane[i - across];
  }

  /// Deposits all groups of side x side from (x, y) on, as one or in quarters.
  void deposit(Words& sums, int left, int top, int side) const {
    for (int y = top; y < (side == 4 ? height : std::min(height, top + 2 * side)); y += side)
      for (int x = left; x < (side == 4 ? width : std::min(width, left + 2 * side)); x += side)
        if (!deposit_as_one(sums, x, y, side)) deposit(sums, x, y, side / 2);
  }

  bool deposit_as_one(Words& sums, int x, int y, int side) const {
    if (side == 1 && !deposits(circle(x, y))) return true;
    if (x + side > width || y + side > height) return false;
    float low = circle(x, y), high = low;
    std::uint64_t light[kPlanes] = {};
    for (int j = y; j < y + side; ++j)
      for (int i = x; i < x + side; ++i) {
        low = std::min(low, circle(i, j));
        high = std::max(high, circle(i, j));
        Values values;
        light_to_spread<kSamples>(pixel(i, j), scale, values);
        for (int c = 0; c < kPlanes; ++c) light[c] += values.of[c];
      }
    const int layer = layer_of(low, cuts);
    if (side > 1 && (!spread_as_one(low, high, side) || layer_of(high, cuts) != layer)) return false;
    Values mean;
    for (int c = 0; c < kPlanes; ++c) mean.of[c] = static_cast<std::uint32_t>(light[c] / (side * side));
    const auto& of_size = shapes.groups[group_size(side)];
    const float mean_circle = sum_of_circles(x, y, side) / static_cast<float>(side * side);
    spread_light<kPlanes>(
        of_size.data(), static_cast<int>(of_size.size()), mean_circle, cuts, x, y, side, mean,
        [&](int of, const SpreadBox& box, const Values& values) {
          for_each_corner(box, width, height, [&](int at_x, int at_y, int sign) {
            for (int c = 0; c < kPlanes; ++c)
              sums[static_cast<std::size_t>(((of * kPlanes + c) * height + at_y) * width + at_x)] +=
                  static_cast<std::uint32_t>(sign) * values.of[c];
          });
        });
    return true;
  }

  float sum_of_circles(int x, int y, int side) const {
    if (side == 1) return circle(x, y);
    const int half = side / 2;
    return (sum_of_circles(x, y, half) + sum_of_circles(x + half, y, half)) +
           (sum_of_circles(x, y + half, half) + sum_of_circles(x + half, y + half, half));
  }

  const Image<T>& image;
  DofStyle style;
  int width, height;
  float widest;
  const ShapeTable& shapes;
  LightScale scale;
  std::vector<float> circles;
  LayerCuts cuts;
};

/// Words of planes one beneath the other, without what pads their rows.
Words planes_of(GLuint buffer, std::int64_t width, std::int64_t rows) {
  const std::int64_t pitch = GlLayeredDof::field_pitch(width);
  const Words padded = words_of(buffer, pitch * rows);
  Words words;
  for (std::int64_t y = 0; y < rows; ++y)
    words.insert(words.end(), padded.begin() + y * pitch, padded.begin() + y * pitch + width);
  return words;
}

constexpr DofStyle kGood{.quality = DofQuality::good};
constexpr DofStyle kBest{.quality = DofQuality::best};

/// OpenGL, with no computing device. All tests share the shaders, which take llvmpipe seconds to compile.
class GlLayers : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    try {
      gl.emplace(GlContext::open());
      layered.emplace(*gl);
    } catch (const Error& error) {
      missing = error.what();
    }
  }
  static void TearDownTestSuite() {
    layered.reset();
    gl.reset();
  }
  void SetUp() override {
    if (!layered) SCANLENS_SKIP_OR_FAIL(missing);
    gl->make_current();
  }

  template <class T>
  Image<T> by_opengl(const Image<T>& image, const Image<float>& disparity, const Blur& blur,
                     const DofStyle& style, GlLayeredDof* other = nullptr) {
    Picture picture{Image<T>(image.width(), image.height(), image.channels())};
    copy(host, image.view(), std::get<Image<T>>(picture.samples).view());
    return std::get<Image<T>>(
        apply_dof(*gl, other ? *other : *layered, picture, disparity, blur, style).samples);
  }

  template <class T, int kSamples>
  void expect_the_same_integers(int width, int height, const Image<float>& disparity, const Blur& blur,
                                const DofStyle& style) {
    const auto image = test::random_image<T>(width, height, kSamples);
    const Direct<T, kSamples> direct(image, disparity, blur, style);
    by_opengl(image, disparity, blur, style);
    const std::int64_t planes = kSamples + 1;
    const auto expect_equal = [&](const Words& made, const Words& expected, std::int64_t across,
                                  std::int64_t down, const char* what) {
      ASSERT_EQ(made.size(), expected.size());
      const auto wrong = std::mismatch(made.begin(), made.end(), expected.begin()).first - made.begin();
      ASSERT_EQ(wrong, static_cast<std::ptrdiff_t>(made.size()))
          << what << " of " << width << " x " << height << " x " << kSamples << ", radius " << blur.most
          << ", plane " << wrong / (across * down) << ", row " << wrong / across % down << ", column "
          << wrong % across << ": " << made[static_cast<std::size_t>(wrong)] << " instead of "
          << expected[static_cast<std::size_t>(wrong)];
    };
    expect_equal(planes_of(layered->fields(), width, height * planes * layers_of(style.quality)),
                 direct.fields(), width, height, "fields");
    const int across = fill_cells(width), down = fill_cells(height);
    expect_equal(planes_of(layered->fill(), across, down * planes), direct.fill_table(), across, down,
                 "fill");
  }

  /// OpenGL's picture is the library's but for a code.
  template <class T>
  void expect_agreement(const Image<T>& image, const Image<float>& disparity, const Blur& blur,
                        const DofStyle& style) {
    Image<T> expected(image.width(), image.height(), image.channels());
    depth_of_field<T>(host, image.view(), disparity.view(), blur, expected.view(), 1, style);
    const Image<T> made = by_opengl(image, disparity, blur, style);
    for (std::int64_t i = 0; i < expected.view().extent(); ++i)
      ASSERT_NEAR(made.view().data[i], expected.view().data[i], 1)
          << "sample " << i << " of " << image.width() << " x " << image.height() << " x " << image.channels()
          << ", " << kDofQualityNames[static_cast<int>(style.quality)] << ", "
          << kBokehNames[static_cast<int>(style.bokeh)] << ", radius " << blur.most;
  }

  Context host = Context::open("cpu");
  static inline std::optional<GlContext> gl;
  static inline std::optional<GlLayeredDof> layered;
  static inline std::string missing;
};

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
  DofStyle style{.quality = DofQuality::best, .bokeh = Bokeh::hexagon, .anamorphic = 1.3f};
  style.near = 1.7f;
  style.far = 0.6f;
  style.highlights = 3.3f;
  const Image<float> disparity = test::random_image<float>(61, 47);
  const Blur blur{37.7f, 0.47f, 19.3f};
  expect_the_same_integers<std::uint8_t, 1>(61, 47, disparity, blur, style);
  expect_the_same_integers<std::uint8_t, 3>(61, 47, disparity, blur, style);
  expect_the_same_integers<std::uint8_t, 4>(61, 47, disparity, blur, style);
  expect_the_same_integers<std::uint16_t, 1>(61, 47, disparity, blur, style);
  expect_the_same_integers<std::uint16_t, 3>(61, 47, disparity, blur, style);
  expect_the_same_integers<std::uint16_t, 4>(61, 47, disparity, blur, style);
}

TEST_F(GlLayers, RowsLongerThanAWorkGroupTakesAtOnceHaveTheSameBits) {
  expect_the_same_integers<std::uint8_t, 1>(2531, 3, jumpy_disparity(2531, 3), Blur{20, 0.5f, 10}, kGood);
  expect_the_same_integers<std::uint8_t, 1>(5, 1201, jumpy_disparity(5, 1201), Blur{20, 0.5f, 10}, kGood);
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
    GlLayeredDof fresh(*gl);
    test::expect_equal<std::uint8_t>(by_opengl(image, disparity, blur, frame.style, &fresh).view(),
                                     first.view(), "in new buffers");
  }
}

TEST_F(GlLayers, ItsBuffersTakeTheMemoryItPromises) {
  for (const int bits : {8, 16})
    for (const DofStyle& style : {kGood, kBest}) {
      const Texture color = Texture::image_2d(rgba_format(bits), 77, 39),
                    disparity = Texture::image_2d(GL_R32F, 77, 39);
      const Blur blur{5, 0, 31};
      const std::int64_t before = bytes_of_all_buffers();
      GlLayeredDof dof(*gl);
      dof.run(color, disparity, bits, 4, blur, style);
      EXPECT_EQ(dof.memory(77, 39, bits, 4, blur, style).opengl, bytes_of_all_buffers() - before);
    }
}

TEST_F(GlLayers, RefusesFieldsThatDoNotFitAndStylesOutOfRange) {
  const auto side =
      static_cast<std::int64_t>(std::sqrt(static_cast<double>(gl->max_ssbo_bytes()) / (12 * 4)));
  EXPECT_TRUE(layered->fits(std::min<std::int64_t>(side, gl->max_texture_size()) / 4 * 4 - 4, 4, 3, kGood));
  EXPECT_TRUE(layered->fits(side / 2, side / 2, 3, kGood));
  EXPECT_FALSE(layered->fits(side + 4, side + 4, 3, kGood));
  EXPECT_FALSE(layered->fits(side, side, 3, kBest));
  EXPECT_FALSE(layered->fits(std::int64_t{1} << 40, 1, 3, kGood));
  const Texture color = Texture::image_2d(GL_RGBA8, 8, 8), disparity = Texture::image_2d(GL_R32F, 8, 8);
  EXPECT_THROW(layered->run(color, disparity, 8, 3, Blur{1, 0, 1e9f}, kGood), Error);
  EXPECT_THROW(layered->run(color, disparity, 8, 3, Blur{1, 0, 1},
                            DofStyle{.quality = DofQuality::good, .anamorphic = 5}),
               Error);
}

}  // namespace
}  // namespace scanlens
