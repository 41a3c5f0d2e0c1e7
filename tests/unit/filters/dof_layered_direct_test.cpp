// Depth of field in layers: against the method done directly, pixel by pixel in double, and CUDA against the
// CPU.
#include <array>
#include <cmath>
#include <vector>

#include "filters/color_tables.h"
#include "filters/dof/composite.h"
#include "filters/dof/fill.h"
#include "filters/dof/frame_shapes.h"
#include "filters/dof/layers_formula.h"
#include "filters/dof/shapes.h"
#include "tests/unit/support/lamps.h"
#include "tests/unit/support/layered.h"

namespace scanlens {
namespace {

/// The method with the sums done directly: each pixel, or four of them, to the boxes of its shapes, in whole
/// numbers; everything else from the same formulas.
Image<float> by_direct_sums(const Image<float>& image, const Image<float>& disparity, const Blur& blur,
                            const DofStyle& style, const LightRange& range, std::vector<float>& slack) {
  const int width = static_cast<int>(image.width()), height = static_cast<int>(image.height());
  const LayeredLens lens{blur, 1, 1};
  const auto shapes = shape_table(style, blur.most);
  const auto frame = needs_pupils(style) ? frame_shapes(style, width, height, blur.most) : nullptr;
  const double white = range.white;
  const float one = std::min(67108864.f, 4294967040.f / (16 * range.most));
  std::vector<float> circle(static_cast<std::size_t>(width * height));
  float least = 1e9f, most = -1e9f;
  for (int i = 0; i < width * height; ++i) {
    circle[i] = unmixed_circle([&](int dx, int dy) {
      const int x = std::clamp(i % width + dx, 0, width - 1), y = std::clamp(i / width + dy, 0, height - 1);
      return signed_circle(disparity.view()(x, y), lens);
    });
    least = std::min(least, circle[i]);
    most = std::max(most, circle[i]);
  }
  const int layers = style.quality == DofQuality::best ? 6 : 3;
  const LayerCuts cuts = layer_cuts(layers, least, most);
  LightScale scale;
  scale.one = one;
  scale.most = range.most;
  scale.white = range.white;
  const test::DirectLamps<float, 3> lamps(image, scale, range, style, blur.most, circle, frame.get());
  using Light = test::DirectLamps<float, 3>::Values;
  std::vector<std::uint32_t> fields(static_cast<std::size_t>(layers * 4 * width * height));
  const auto reflected = [](int at, int size) {
    return at < 0 ? -1 - at : at < size ? at : 2 * size - 1 - at;
  };  // once
  const auto put = [&](int layer, const SpreadBox& box, const Light& values) {
    for (int y = box.top; y < box.bottom; ++y)
      for (int x = box.left; x < box.right; ++x) {
        const int i = reflected(x, width), j = reflected(y, height);
        if (i < 0 || j < 0 || i >= width || j >= height) continue;  // reflected twice
        for (int c = 0; c < 4; ++c)
          fields[static_cast<std::size_t>(((layer * 4 + c) * height + j) * width + i)] += values.of[c];
      }
  };
  lamps.spread(cuts, put);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      // The largest group around the pixel that is blurred alike; its first pixel deposits it.
      for (const int size : {4, 2, 1}) {
        const int left = x / size * size, top = y / size * size;
        if (left + size > width || top + size > height) continue;
        float low = 1e9f, high = -1e9f;
        double sum = 0;
        for (int j = top; j < top + size; ++j)
          for (int i = left; i < left + size; ++i) {
            low = std::min(low, circle[j * width + i]);
            high = std::max(high, circle[j * width + i]);
            sum += circle[j * width + i];
          }
        const int layer = layer_of(low, cuts);
        if (size > 1 && (!spread_as_one(low, high, size, left, top) || layer_of(high, cuts) != layer))
          continue;
        if (size == 1 && !deposits(low)) break;
        if (x != left || y != top) break;
        Light mean{};
        for (int c = 0; c < 4; ++c) {
          std::uint64_t all = 0;
          for (int i = 0; i < size * size; ++i) all += lamps.light(left + i % size, top + i / size).of[c];
          mean.of[c] = static_cast<std::uint32_t>(all / (size * size));
        }
        const auto circle_of_group = static_cast<float>(sum / (size * size));
        const auto takes = [](int) { return true; };
        const std::vector<SpreadShape>& of_size = shapes->groups[group_size(size)];
        if (frame)
          spread_to_stacks<4>(frame->task, circle_of_group, cuts, x, y, size, width, height, mean, takes,
                              put);
        else
          spread_light<4>(of_size.data(), static_cast<int>(of_size.size()), circle_of_group, cuts, x, y, size,
                          mean, takes, put);
        break;
      }
    }
  Image<float> out(width, height, 3);
  const NearLevels levels = near_levels(width, height, blur.most);
  const auto greatest = [&](int x, int y, int side) {
    float found = -1e9f;
    for (int j = 0; j < height; ++j)
      for (int i = 0; i < width; ++i)
        if (std::abs(i / side - x / side) <= 1 && std::abs(j / side - y / side) <= 1)
          found = std::max(found, circle[j * width + i]);
    return found;
  };
  const auto nearest = [&](int x, int y) {
    const float fine = greatest(x, y, levels.fine.side), coarse = greatest(x, y, levels.coarse.side);
    return fine + levels.coarse_share * (coarse - fine);
  };
  std::vector<float> weight(circle.size());
  for (int i = 0; i < width * height; ++i)
    weight[i] = weight_without_lamp(fill_weight(circle[i], nearest(i % width, i / width)),
                                    lamps.share(i % width, i / width));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const float own = circle[y * width + x];
      const float sharp[3] = {image.view()(x, y, 0), image.view()(x, y, 1), image.view()(x, y, 2)};
      Composite<3> composite;
      for (int l = 0; l < layers && composite.left > 0; ++l) {
        const auto field = [&](int c) {
          return static_cast<float>(fields[static_cast<std::size_t>(((l * 4 + c) * height + y) * width + x)]);
        };
        const float seen[3] = {field(0) / one, field(1) / one, field(2) / one};
        composite.add(seen, field(3) / 67108864.f, l == layer_of(own, cuts) ? sharpness(own) : 0.f, sharp);
      }
      if (composite.left > 0) {
        double around[4] = {};
        if (is_filled(own, composite.left)) {
          const int across = (width + 1) / 2, down = (height + 1) / 2;
          const auto add_mean = [&](int half, double share) {
            const int left = std::max(0, x / 2 - half), right = std::min(across - 1, x / 2 + half);
            const int top = std::max(0, y / 2 - half), bottom = std::min(down - 1, y / 2 + half);
            const double per_cell = share / ((right - left + 1) * (bottom - top + 1));
            for (int j = top; j <= bottom; ++j)
              for (int i = left; i <= right; ++i) {
                double sums[4] = {}, pixels = 0;
                for (int v = 2 * j; v < std::min(2 * j + 2, height); ++v)
                  for (int u = 2 * i; u < std::min(2 * i + 2, width); ++u, ++pixels) {
                    const double w = weight[v * width + u];
                    for (int c = 0; c < 3; ++c) sums[c] += w * std::min(1., image.view()(u, v, c) / white);
                    sums[3] += w;
                  }
                for (int c = 0; c < 4; ++c) around[c] += per_cell * sums[c] / pixels;
              }
          };
          // The mean over a box of whole cells and over the next larger one, blended.
          const auto add_means = [&](double radius, double share) {
            const double reach = std::max(radius, 1.) * 0.8862 * 0.9 / 2;
            const int inner = static_cast<int>(reach);
            add_mean(inner, share * (inner + 1 - reach));
            add_mean(inner + 1, share * (reach - inner));
          };
          if (own > 0) add_means(0.33 * own, 1);
          if (own > 0 && around[3] < 0.4) add_means(0.8 * own, 0.8 * (1 - around[3] / 0.4));
          const double wide = 1.25 * std::sqrt(std::max(style.anamorphic, 1 / style.anamorphic));
          if (own <= 0)
            add_means(wide * -own, 1);
          else if (around[3] < 0.15)
            add_means(wide * own, 0.25 * (1 - around[3] / 0.15));
        }
        const float means[3] = {static_cast<float>(around[0]), static_cast<float>(around[1]),
                                static_cast<float>(around[2])};
        // Terms of the fill are off by a step each, which small weights make much of.
        constexpr float kStep = 2 / 65535.f, kMostLight = 12;
        slack[static_cast<std::size_t>(y * width + x)] =
            composite.left * kMostLight * kStep / (static_cast<float>(around[3]) + kLittleFill);
        if (frame && shows_itself(own, composite.left, means[0] + means[1] + means[2]))
          composite.exact = true;
        if (!composite.exact) composite.fill(own, means, static_cast<float>(around[3]), range.white);
      }
      for (int c = 0; c < 3; ++c) out.view()(x, y, c) = composite.exact ? sharp[c] : composite.light[c];
    }
  return out;
}

class LayeredDofDirectly : public LayeredDof {};

TEST_P(LayeredDofDirectly, IsTheMethodDoneDirectly) {
  SCANLENS_TAKES_SECONDS();
  constexpr LightRange kRange{.most = 16, .white = 0.8f};
  std::vector<DofStyle> styles = every_look();
  styles.insert(styles.end(),
                {kGood, kBest, {.quality = DofQuality::good, .bokeh = Bokeh::hexagon, .anamorphic = 1.5f}});
  for (const DofStyle& style : styles)
    for (const auto& [width, height] : {std::pair{1, 1}, {7, 90}, {67, 53}, {132, 134}})
      for (const float radius : {1.5f, 6.f, 22.f, 60.f}) {
        if (needs_pupils(style) && (width != 67 || radius == 1.5f)) continue;
        // Groups of four pixels a side take a large picture and wide circles; its direct sums take seconds.
        if (width > 100 &&
            !(style.bokeh == Bokeh::disc && radius == (style.quality == DofQuality::good ? 60 : 22)))
          continue;
        Image<float> image = test::random_image<float>(width, height, 3);
        image.view()(width / 2, height / 2) = 12;
        const Image<float> disparity = jumpy_disparity(width, height);
        const Blur blur{2 * radius, 0.45f, radius};
        std::vector<float> slack(static_cast<std::size_t>(width * height));
        const Image<float> expected = by_direct_sums(image, disparity, blur, style, kRange, slack);
        const Image<float> out = run(image, disparity, blur, style, kRange);
        for (std::int64_t i = 0; i < out.view().extent(); ++i)
          ASSERT_NEAR(out.view().data[i], expected.view().data[i],
                      5e-4 * (1 + expected.view().data[i]) + slack[static_cast<std::size_t>(i / 3)])
              << width << " x " << height << ", radius " << radius << ", pixel " << i / 3 % width << ", "
              << i / 3 / width;
      }
}

class LayeredDofOnBoth : public LayeredDof {
 protected:
  void expect_same(std::int64_t width, std::int64_t height, int channels, const Image<float>& disparity,
                   float radius, const DofStyle& style) {
    expect_same(test::random_image<std::uint8_t>(width, height, channels), disparity, radius, style);
  }
  template <class T>
  void expect_same(const Image<T>& image, const Image<float>& disparity, float radius, const DofStyle& style,
                   const LightRange& range = {}) {
    const std::int64_t width = image.width(), height = image.height();
    const int channels = image.channels();
    const Blur blur{2 * radius, 0.5f, radius};
    const Image<T> there = run(image, disparity, blur, style, range);
    Image<T> here(width, height, channels);
    depth_of_field<T>(host_, image.view(), disparity.view(), blur, here.view(), range, style);
    for (std::int64_t i = 0; i < here.view().extent(); ++i) {
      const double own = here.view().data[i];
      ASSERT_NEAR(own, there.view().data[i], std::is_floating_point_v<T> ? 2e-6 * (1 + own) : 1)
          << "sample " << i << " of " << width << " x " << height << ", radius " << radius;
    }
  }

 private:
  Context host_ = Context::open("cpu");
};

TEST_P(LayeredDofOnBoth, DifferByACodeAtMost) {
  if (!context->on_cuda()) GTEST_SKIP() << "compares CUDA with the CPU";
  for (const auto& [width, height] : {std::pair{31, 33}, {127, 32}, {257, 129}, {640, 361}}) {
    const Image<float> jumpy = jumpy_disparity(width, height), few = islands(width, height);
    for (const DofStyle& style : every_style())
      for (const int channels : {1, 3, 4})
        for (const float radius : {2.f, 12.f, 40.f}) {
          expect_same(width, height, channels, jumpy, radius, style);
          expect_same(width, height, channels, few, radius, style);
        }
  }
}

TEST_P(LayeredDofOnBoth, LampsDifferByACodeAtMost) {
  if (!context->on_cuda()) GTEST_SKIP() << "compares CUDA with the CPU";
  const Image<float> jumpy = jumpy_disparity(643, 362), flat = constant_disparity(643, 362, 0);
  for (const int apart : {7, 40, 97})  // of the closest not all are affordable
    for (const int channels : {1, 3, 4}) {
      Image<std::uint8_t> lamps(643, 362, channels);
      for (std::int64_t i = 0; i < lamps.view().extent(); ++i) {
        const std::int64_t x = i / channels % 643, y = i / channels / 643;
        const bool alpha = channels == 4 && i % 4 == 3, lamp = x % apart < 3 && y % apart < 2;
        lamps.view().data[i] = static_cast<std::uint8_t>(alpha || lamp ? 255 - x % 5 : i % 60);
      }
      for (DofStyle style : {kGood, kBest, DofStyle{.quality = DofQuality::good, .bokeh = Bokeh::hexagon}})
        for (const float radius : {9.f, 23.f, 90.f}) {
          expect_same(lamps, jumpy, radius, style);
          style.highlights = 5;
          expect_same(lamps, flat, radius, style);
        }
    }
}

/// Floats show more of what is off in a field than codes do. Pictures have several tiles.
TEST_P(LayeredDofOnBoth, LooksAreTheSame) {
  if (!context->on_cuda()) GTEST_SKIP() << "compares CUDA with the CPU";
  constexpr LightRange kRange{.most = 64, .white = 1};
  int turn = 0;
  for (const auto& [width, height] : {std::pair{7, 90}, {257, 129}, {643, 362}})
    for (const DofStyle& style : every_look())
      for (const float radius : {3.f, 12.f, 45.f, 180.f})
        for (const Image<float>& disparity :
             {jumpy_disparity(width, height), constant_disparity(width, height, 1),
              constant_disparity(width, height, 0)}) {
          const int channels = std::array{1, 3, 4}[(turn % 3 + turn / 3) % 3];
          ++turn;
          Image<float> lamps = test::random_image<float>(width, height, channels);
          for (std::int64_t i = 0; i < lamps.view().extent(); ++i) {
            const std::int64_t x = i / channels % width, y = i / channels / width;
            if (!(channels == 4 && i % 4 == 3) && x % 61 < 3 && y % 47 < 2) lamps.view().data[i] = 50;
          }
          expect_same(lamps, disparity, radius, style, kRange);
        }
}

TEST_P(LayeredDofOnBoth, CirclesMayReachFartherThanThePicture) {
  if (!context->on_cuda()) GTEST_SKIP() << "compares CUDA with the CPU";
  constexpr std::int64_t kWidth = 4160, kHeight = 1120;
  for (const float radius : {700.f, 3000.f})
    for (const DofStyle& style : {kGood, every_look()[1]})
      expect_same(kWidth, kHeight, 3, islands(kWidth, kHeight), radius, style);
}

SCANLENS_ON_EVERY_DEVICE(LayeredDofDirectly);
SCANLENS_ON_EVERY_DEVICE(LayeredDofOnBoth);

}  // namespace
}  // namespace scanlens
