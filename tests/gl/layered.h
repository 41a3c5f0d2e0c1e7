// Common parts of the tests of depth of field by layers in OpenGL: the shaders' integers made directly, and
// the fixture that runs the shaders.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/gl/layered.h"
#include "app/photo/dof_renderer.h"
#include "core/spread/field_tiles.h"
#include "filters/color_tables.h"
#include "filters/dof/layered.h"
#include "tests/gl/buffers.h"
#include "tests/unit/support/dof.h"
#include "tests/unit/support/lamps.h"
#include "tests/unit/support/support.h"

namespace scanlens {

using Words = std::vector<std::uint32_t>;

/// Words of planes one beneath the other, without what pads their rows.
inline Words planes_of(GLuint buffer, std::int64_t width, std::int64_t rows, std::int64_t pitch) {
  const Words padded = words_of(buffer, pitch * rows);
  Words words;
  for (std::int64_t y = 0; y < rows; ++y)
    words.insert(words.end(), padded.begin() + y * pitch, padded.begin() + y * pitch + width);
  return words;
}

/// Sums a plane up in place, to its table.
inline void sum_up(std::uint32_t* plane, int across, int down) {
  for (int y = 0; y < down; ++y)
    for (int x = 1; x < across; ++x) plane[y * across + x] += plane[y * across + x - 1];
  for (int i = across; i < across * down; ++i) plane[i] += plane[i - across];
}

/// The fields that were made last: what is summed along the rows of tiles, and counts in tiles that are
/// marked, summed along whole rows and down.
inline Words fields_of(const GlLayeredDof& dof, int width, int height, int planes_per_layer, int layers) {
  const FieldElements tiles(width, height, planes_per_layer * layers);
  Words words = planes_of(dof.deposits(), width, height * planes_per_layer * layers, tiles.pitch);
  const Words marks = words_of(dof.tiles(), tiles.tiles + 1);
  std::uint32_t* word = words.data();
  for (int plane = 0; plane < planes_per_layer * layers; ++plane) {
    for (int y = 0; y < height; ++y) {
      std::uint32_t left = 0;  // of the tile
      for (int x = 0; x < width; ++x, ++word) {
        const auto tile = static_cast<std::size_t>(y / kFieldTileHeight * tiles.across + x / kFieldTileWidth);
        if (((marks[tile] | marks.back()) >> (plane / planes_per_layer) & 1u) == 0) *word = 0;
        if (x > 0 && x % kFieldTileWidth == 0) left = word[-1];
        *word += left;
      }
    }
    for (int i = width; i < width * height; ++i) word[i - width * height] += word[i - width * (height + 1)];
  }
  return words;
}

/// Results of the shaders before they are shown, by loops over pixels and the formulas in C++.
template <class T, int kSamples>
struct Direct {
  static constexpr int kPlanes = kSamples + 1;
  using Values = typename test::DirectLamps<T, kSamples>::Values;

  Direct(const Image<T>& picture, const Image<float>& disparity, const Blur& blur, const DofStyle& how,
         const LightRange& light)
      : image(picture),
        style(how),
        width(static_cast<int>(picture.width())),
        height(static_cast<int>(picture.height())),
        widest(widest_circle(layered_lens(blur, how))),
        shapes(shape_table(how, widest)) {
    if (needs_pupils(how)) frame = frame_shapes(how, width, height, widest);
    if constexpr (std::is_floating_point_v<T>) {
      scale.most = light.most;
      scale.white = light.white;
      scale.one = std::min(
          67108864.f, 4294967040.f / (16 * light.most + (light.lamps > light.most ? light.gathered : 0)));
    } else {
      scale.decode = sizeof(T) == 1 ? srgb8_to_linear16() : srgb16_to_linear24();
    }
    scale.highlights = highlights_of(style);
    const LayeredLens lens = layered_lens(blur, style);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        circles.push_back(unmixed_circle([&](int dx, int dy) {
          return signed_circle(
              disparity.view()(std::clamp(x + dx, 0, width - 1), std::clamp(y + dy, 0, height - 1)), lens);
        }));
    const auto [least, most] = std::minmax_element(circles.begin(), circles.end());
    cuts = layer_cuts(layers_of(style.quality), *least, *most);
    lamps.emplace(image, scale, light, style, widest, circles, frame.get());
  }

  float circle(int x, int y) const { return circles[static_cast<std::size_t>(y * width + x)]; }
  const T* pixel(int x, int y) const { return image.view().row(y) + x * kSamples; }

  /// Planes one beneath the other.
  Words fields() const {
    Words sums(static_cast<std::size_t>(layers_of(style.quality) * kPlanes * width * height));
    deposit(sums, 0, 0, 4);
    lamps->spread(
        cuts, [&](int layer, const SpreadBox& box, const Values& values) { put(sums, layer, box, values); });
    for (std::size_t first = 0; first < sums.size(); first += static_cast<std::size_t>(width * height))
      sum_up(sums.data() + first, width, height);
    return sums;
  }

  bool has_lamps() const {
    for (int i = 0; i < width * height; ++i)
      if (lamps->share(i % width, i / width) > 0) return true;
    return false;
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
            cell.add(light, weight_without_lamp(fill_weight(circle(i, j), around), lamps->share(i, j)),
                     1 / scale.white);
          }
        cell.finish((std::min(x + 2, width) - x) * (std::min(y + 2, height) - y),
                    fill_one(widest, wide_fill(style)), pixel_hash(x, y), [&](int c, std::uint32_t term) {
                      sums[static_cast<std::size_t>((c * down + y / kFillCell) * across + x / kFillCell)] =
                          term;
                    });
      }
    for (int c = 0; c < kPlanes; ++c) sum_up(sums.data() + c * across * down, across, down);
    return sums;
  }

 private:
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
        const Values values = lamps->light(i, j);
        for (int c = 0; c < kPlanes; ++c) light[c] += values.of[c];
      }
    const int layer = layer_of(low, cuts);
    if (side > 1 && (!spread_as_one(low, high, side, x, y) || layer_of(high, cuts) != layer)) return false;
    Values mean;
    for (int c = 0; c < kPlanes; ++c) mean.of[c] = static_cast<std::uint32_t>(light[c] / (side * side));
    const auto& of_size = shapes->groups[group_size(side)];
    const float mean_circle = sum_of_circles(x, y, side) / static_cast<float>(side * side);
    const auto takes = [](int) { return true; };
    const auto add = [&](int of, const SpreadBox& box, const Values& values) { put(sums, of, box, values); };
    if (frame)
      spread_to_stacks<kPlanes>(frame->task, mean_circle, cuts, x, y, side, width, height, mean, takes, add);
    else
      spread_light<kPlanes>(of_size.data(), static_cast<int>(of_size.size()), mean_circle, cuts, x, y, side,
                            mean, takes, add);
    return true;
  }

  void put(Words& sums, int layer, const SpreadBox& box, const Values& values) const {
    for_each_corner(box, width, height, [&](int at_x, int at_y, int sign) {
      for (int c = 0; c < kPlanes; ++c)
        sums[static_cast<std::size_t>(((layer * kPlanes + c) * height + at_y) * width + at_x)] +=
            static_cast<std::uint32_t>(sign) * values.of[c];
    });
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
  const std::shared_ptr<const ShapeTable> shapes;
  std::shared_ptr<const FrameShapes> frame;  ///< null where it needs no pupils
  LightScale scale;
  std::vector<float> circles;
  LayerCuts cuts;
  std::optional<test::DirectLamps<T, kSamples>> lamps;
};

inline constexpr DofStyle kGood{.quality = DofQuality::good};
inline constexpr DofStyle kBest{.quality = DofQuality::best};
/// Every factor counts in it.
inline constexpr DofStyle kUnusual{.quality = DofQuality::best,
                                   .bokeh = Bokeh::disc,
                                   .anamorphic = 1.3f,
                                   .blades = 7,
                                   .rotation = 40,
                                   .near = 1.7f,
                                   .far = 0.6f,
                                   .highlights = 3.3f};

/// OpenGL, with no computing device. All tests share the shaders, which take llvmpipe seconds to compile.
class GlLayers : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    try {
      gl.emplace(GlContext::open());
    } catch (const Error& error) {
      missing = error.what();
    }
  }
  static void TearDownTestSuite() {
    layered.reset();
    gl.reset();
  }
  void SetUp() override {
    if (!gl) SCANLENS_SKIP_OR_FAIL(missing);
    gl->make_current();
    if (!layered) layered.emplace(*gl);  // a shader that does not compile fails the test
  }

  template <class T>
  Image<T> by_opengl(const Image<T>& image, const Image<float>& disparity, const Blur& blur,
                     const DofStyle& style, GlLayeredDof* other = nullptr, const LightRange& light = {}) {
    Picture picture{Image<T>(image.width(), image.height(), image.channels())};
    copy(host, image.view(), std::get<Image<T>>(picture.samples).view());
    return std::get<Image<T>>(run_in_textures(*gl, other ? *other : *layered, picture, disparity,
                                              dof_job(picture, blur, style, light))
                                  .samples);
  }

  template <class T, int kSamples>
  void expect_the_same_integers(int width, int height, const Image<float>& disparity, const Blur& blur,
                                const DofStyle& style) {
    expect_the_same_integers<kSamples>(test::random_image<T>(width, height, kSamples), disparity, blur,
                                       style);
  }

  template <int kSamples, class T>
  void expect_the_same_integers(const Image<T>& image, const Image<float>& disparity, const Blur& blur,
                                const DofStyle& style, const LightRange& light = {}) {
    const Direct<T, kSamples> direct(image, disparity, blur, style, light);
    by_opengl(image, disparity, blur, style, nullptr, light);
    const auto width = static_cast<int>(image.width()), height = static_cast<int>(image.height());
    constexpr int kPlanes = kSamples + 1;
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
    expect_equal(fields_of(*layered, width, height, kPlanes, layers_of(style.quality)), direct.fields(),
                 width, height, "fields");
    const int across = fill_cells(width), down = fill_cells(height);
    expect_equal(planes_of(layered->fill(), across, down * kPlanes, GlLayeredDof::fill_pitch(width)),
                 direct.fill_table(), across, down, "fill");
  }

  /// Tolerance between OpenGL's sample and the library's: a code, or 1e-5 of the light. OpenGL may take
  /// numbers below 2^-126, light times alpha too, for 0.
  template <class T>
  static T slack(T expected) {
    if constexpr (std::is_floating_point_v<T>)
      return 1e-5f * std::fabs(expected) + 1e-28f;
    else
      return 1;
  }

  /// OpenGL's picture is the library's but for that; what was copied, numbers or none, has the same bits.
  template <class T>
  void expect_agreement(const Image<T>& image, const Image<float>& disparity, const Blur& blur,
                        const DofStyle& style, const LightRange& light = {}) {
    Image<T> expected(image.width(), image.height(), image.channels());
    depth_of_field<T>(host, image.view(), disparity.view(), blur, expected.view(), light, style);
    const Image<T> made = by_opengl(image, disparity, blur, style, nullptr, light);
    for (std::int64_t i = 0; i < expected.view().extent(); ++i) {
      const T own = made.view().data[i], wanted = expected.view().data[i];
      if (std::memcmp(&own, &wanted, sizeof(T)) == 0) continue;
      ASSERT_NEAR(own, wanted, slack(wanted))
          << "sample " << i << " of " << image.width() << " x " << image.height() << " x " << image.channels()
          << ", " << kDofQualityNames[static_cast<int>(style.quality)] << ", "
          << kBokehNames[static_cast<int>(style.bokeh)] << ", radius " << blur.most;
    }
  }

  Context host = Context::open("cpu");
  static inline std::optional<GlContext> gl;
  static inline std::optional<GlLayeredDof> layered;
  static inline std::string missing;
};

}  // namespace scanlens
