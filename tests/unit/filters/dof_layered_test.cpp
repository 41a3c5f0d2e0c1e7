// Depth of field in layers: against the method done directly, pixel by pixel in double, and by the properties
// that anyone can check.
#include <cmath>
#include <functional>
#include <vector>

#include "filters/color_tables.h"
#include "filters/dof/composite.h"
#include "filters/dof/fill.h"
#include "filters/dof/layers_formula.h"
#include "filters/dof/shapes.h"
#include "filters/lens.h"
#include "tests/unit/support/dof.h"

namespace scanlens {
namespace {

class LayeredDof : public DofOnDevice {
 protected:
  template <class T>
  Image<T> run(const Image<T>& image, const Image<float>& disparity, const Blur& blur, const DofStyle& style,
               float white = 1) {
    test::GuardedArray<T> from(*context, image.view());
    test::GuardedArray<float> depth(*context, disparity.view());
    test::GuardedArray<T> to(*context,
                             test::random_image<T>(image.width(), image.height(), image.channels()).view());
    depth_of_field<T>(*context, from.view(), depth.view(), blur, to.view(), white, style);
    return to.image();
  }
};

constexpr DofStyle kGood{.quality = DofQuality::good};
constexpr DofStyle kBest{.quality = DofQuality::best};

TEST_P(LayeredDof, WithoutBlurNothingChanges) {
  for (const DofStyle& style : every_style())
    for (const int channels : {1, 3, 4}) {
      const auto bytes = test::random_image<std::uint8_t>(61, 47, channels);
      const Image<std::uint8_t> same = run(bytes, jumpy_disparity(61, 47), Blur{0, 0.5f, 0}, style);
      ASSERT_TRUE(std::equal(bytes.view().data, bytes.view().data + bytes.view().extent(), same.view().data));
      const auto shorts = test::random_image<std::uint16_t>(61, 47, channels);
      const Image<std::uint16_t> also = run(shorts, jumpy_disparity(61, 47), Blur{0, 0.5f, 0}, style);
      ASSERT_TRUE(
          std::equal(shorts.view().data, shorts.view().data + shorts.view().extent(), also.view().data));
    }
}

TEST_P(LayeredDof, AConstantPictureStaysConstantToTheBorder) {
  for (const DofStyle& style : every_style())
    for (const float radius : {0.6f, 1.f, 2.5f, 7.3f, 15.9f, 16.f, 29.f})
      for (const float focus : {-1.f, 1.f}) {  // all before the focus, or all behind it
        Image<std::uint8_t> image(90, 70, 3);
        for (std::int64_t i = 0; i < image.view().extent(); ++i)
          image.view().data[i] = static_cast<std::uint8_t>(i % 3 == 0 ? 3 : i % 3 == 1 ? 129 : 254);
        const Image<std::uint8_t> out =
            run(image, constant_disparity(90, 70, 0), Blur{radius, focus, radius}, style);
        for (std::int64_t i = 0; i < image.view().extent(); ++i)
          ASSERT_EQ(out.view().data[i], image.view().data[i]) << "sample " << i << ", radius " << radius;
      }
}

TEST_P(LayeredDof, APlainSurfaceOfAnyRadiiStaysPlain) {
  for (const DofStyle& style : {kGood, kBest}) {
    Image<std::uint8_t> image(120, 100, 1);
    std::fill_n(image.view().data, image.view().extent(), std::uint8_t{140});
    const Image<std::uint8_t> out = run(image, jumpy_disparity(120, 100), Blur{40, 0.5f, 20}, style);
    for (std::int64_t i = 0; i < out.view().extent(); ++i)
      ASSERT_NEAR(out.view().data[i], 140, 1) << "pixel " << i % 120 << ", " << i / 120;
  }
}

TEST_P(LayeredDof, PixelsInFocusBehindNothingAreCopied) {
  // The left half is in focus, the right one far behind it.
  const auto image = test::random_image<std::uint16_t>(128, 64, 3);
  Image<float> disparity(128, 64);
  for (std::int64_t y = 0; y < 64; ++y)
    for (std::int64_t x = 0; x < 128; ++x) disparity.view()(x, y) = x < 64 ? 0.5f : 0.f;
  for (const DofStyle& style : {kGood, kBest}) {
    const Image<std::uint16_t> out = run(image, disparity, Blur{40, 0.5f, 20}, style);
    for (std::int64_t y = 0; y < 64; ++y)
      for (std::int64_t i = 0; i < 64 * 3; ++i) ASSERT_EQ(out.view().row(y)[i], image.view().row(y)[i]);
  }
}

/// The light of a picture that is black but for one pixel, spread.
TEST_P(LayeredDof, EnergyIsKept) {
  for (const DofStyle& style : every_style())
    for (const float radius : {0.8f, 1.7f, 3.4f, 9.6f, 17.2f, 33.3f, 45.f})
      for (const auto& [x, y] : {std::pair{60, 60}, {1, 2}, {119, 60}}) {
        Image<float> image(120, 120, 3);
        std::fill_n(image.view().data, image.view().extent(), 0.f);
        for (int c = 0; c < 3; ++c) image.view()(x, y, c) = 50;
        const Image<float> out =
            run(image, constant_disparity(120, 120, 0), Blur{radius, 1, radius}, style, 64);
        double sum = 0;
        for (std::int64_t i = 0; i < out.view().extent(); ++i) sum += out.view().data[i];
        ASSERT_NEAR(sum, 150, 0.15) << "radius " << radius << " at " << x << ", " << y;
      }
}

TEST_P(LayeredDof, ABlurredPointIsAsLargeAsItsCircle) {
  for (const Bokeh bokeh : {Bokeh::box, Bokeh::disc, Bokeh::hexagon})
    for (const float radius : {4.f, 9.5f, 14.25f, 25.f}) {
      Image<float> image(101, 101, 1);
      std::fill_n(image.view().data, image.view().extent(), 0.f);
      image.view()(50, 50) = 60;
      const Image<float> out = run(image, constant_disparity(101, 101, 0), Blur{radius, 1, radius},
                                   DofStyle{.quality = DofQuality::best, .bokeh = bokeh}, 64);
      double moment = 0, sum = 0;
      for (std::int64_t y = 0; y < 101; ++y)
        for (std::int64_t x = 0; x < 101; ++x) {
          moment += out.view()(x, y) * static_cast<double>((x - 50) * (x - 50) + (y - 50) * (y - 50));
          sum += out.view()(x, y);
        }
      // A disc's second moment is half its radius squared; the shapes are near it.
      EXPECT_NEAR(moment / sum / (radius * radius / 2), 1, bokeh == Bokeh::disc ? 0.06 : 0.12)
          << radius << " shape " << static_cast<int>(bokeh);
    }
}

/// The method with the sums done directly: each pixel, or four of them, to the boxes of its shapes, in whole
/// numbers; everything else from the same formulas.
Image<float> by_direct_sums(const Image<float>& image, const Image<float>& disparity, const Blur& blur,
                            const DofStyle& style, float white, std::vector<float>& slack) {
  const int width = static_cast<int>(image.width()), height = static_cast<int>(image.height());
  const LayeredLens lens{blur.scale, blur.focus, blur.most, 1, 1};
  const ShapeTable& shapes = shape_table(style, blur.most);
  const float one = std::min(67108864.f, 4294967040.f / (16 * white));
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
  struct Light {
    std::uint32_t of[4];
  };
  std::vector<std::uint32_t> fields(static_cast<std::size_t>(layers * 4 * width * height));
  const auto reflected = [](int at, int size) {
    return at < 0 ? -1 - at : at < size ? at : 2 * size - 1 - at;
  };  // once
  const auto light = [&](int x, int y) {
    Light values{};
    for (int c = 0; c < 3; ++c)
      values.of[c] = static_cast<std::uint32_t>(std::clamp(image.view()(x, y, c), 0.f, white) * one);
    values.of[3] = 1 << 26;
    return values;
  };
  const auto put = [&](int layer, const SpreadBox& box, const Light& values) {
    for (int y = box.top; y < box.bottom; ++y)
      for (int x = box.left; x < box.right; ++x) {
        const int i = reflected(x, width), j = reflected(y, height);
        if (i < 0 || j < 0 || i >= width || j >= height) continue;  // reflected twice
        for (int c = 0; c < 4; ++c)
          fields[static_cast<std::size_t>(((layer * 4 + c) * height + j) * width + i)] += values.of[c];
      }
  };
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
          for (int i = 0; i < size * size; ++i) all += light(left + i % size, top + i / size).of[c];
          mean.of[c] = static_cast<std::uint32_t>(all / (size * size));
        }
        const std::vector<SpreadShape>& of_size = shapes.groups[size == 4 ? 2 : size - 1];
        spread_light<4>(
            of_size.data(), static_cast<int>(of_size.size()), static_cast<float>(sum / (size * size)), cuts,
            x, y, size, width, height, mean, [](int) { return true; }, put);
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
  for (int i = 0; i < width * height; ++i) weight[i] = fill_weight(circle[i], nearest(i % width, i / width));
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
          // The mean over a box of whole cells and over the next larger one, blended.
          const double reach = std::max(own, 1.f) * 0.8862 * 0.9 / 2;
          const int across = (width + 1) / 2, down = (height + 1) / 2, inner = static_cast<int>(reach);
          for (const int half : {inner, inner + 1}) {
            const int left = std::max(0, x / 2 - half), right = std::min(across - 1, x / 2 + half);
            const int top = std::max(0, y / 2 - half), bottom = std::min(down - 1, y / 2 + half);
            const double share = half == inner ? inner + 1 - reach : reach - inner;
            const double per_cell = share / ((right - left + 1) * (bottom - top + 1));
            for (int j = top; j <= bottom; ++j)
              for (int i = left; i <= right; ++i) {
                double sums[4] = {}, pixels = 0;
                for (int v = 2 * j; v < std::min(2 * j + 2, height); ++v)
                  for (int u = 2 * i; u < std::min(2 * i + 2, width); ++u, ++pixels) {
                    const double w = weight[v * width + u];
                    for (int c = 0; c < 3; ++c) sums[c] += w * image.view()(u, v, c);
                    sums[3] += w;
                  }
                for (int c = 0; c < 4; ++c) around[c] += per_cell * std::min(16., sums[c] / pixels);
              }
          }
        }
        const float means[3] = {static_cast<float>(around[0]), static_cast<float>(around[1]),
                                static_cast<float>(around[2])};
        // Terms of the fill are off by a step each, which small weights make much of.
        constexpr float kStep = 2 / 65535.f, kMostLight = 12;
        slack[static_cast<std::size_t>(y * width + x)] =
            composite.left * kMostLight * kStep / (static_cast<float>(around[3]) + kLittleFill);
        if (!composite.exact) composite.fill(means, static_cast<float>(around[3]));
      }
      for (int c = 0; c < 3; ++c) out.view()(x, y, c) = composite.exact ? sharp[c] : composite.light[c];
    }
  return out;
}

TEST_P(LayeredDof, IsTheMethodDoneDirectly) {
  for (const DofStyle& style :
       {kGood, kBest, DofStyle{.quality = DofQuality::good, .bokeh = Bokeh::hexagon, .anamorphic = 1.5f}})
    for (const auto& [width, height] : {std::pair{1, 1}, {7, 90}, {67, 53}, {132, 134}})
      for (const float radius : {1.5f, 6.f, 22.f, 60.f}) {
        // Groups of four pixels a side take a large picture and wide circles; its direct sums take seconds.
        if (width > 100 &&
            !(style.bokeh == Bokeh::disc && radius == (style.quality == DofQuality::good ? 60 : 22)))
          continue;
        Image<float> image = test::random_image<float>(width, height, 3);
        image.view()(width / 2, height / 2) = 12;
        const Image<float> disparity = jumpy_disparity(width, height);
        const Blur blur{2 * radius, 0.45f, radius};
        std::vector<float> slack(static_cast<std::size_t>(width * height));
        const Image<float> expected = by_direct_sums(image, disparity, blur, style, 16, slack);
        const Image<float> out = run(image, disparity, blur, style, 16);
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
    const auto image = test::random_image<std::uint8_t>(width, height, channels);
    const Blur blur{2 * radius, 0.5f, radius};
    const Image<std::uint8_t> there = run(image, disparity, blur, style);
    Image<std::uint8_t> here(width, height, channels);
    depth_of_field<std::uint8_t>(host_, image.view(), disparity.view(), blur, here.view(), 1, style);
    for (std::int64_t i = 0; i < here.view().extent(); ++i)
      ASSERT_NEAR(here.view().data[i], there.view().data[i], 1)
          << "sample " << i << " of " << width << " x " << height << ", radius " << radius;
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

TEST_P(LayeredDofOnBoth, CirclesMayReachFartherThanThePicture) {
  if (!context->on_cuda()) GTEST_SKIP() << "compares CUDA with the CPU";
  constexpr std::int64_t kWidth = 4160, kHeight = 1120;
  for (const float radius : {700.f, 3000.f})
    expect_same(kWidth, kHeight, 3, islands(kWidth, kHeight), radius, kGood);
}

TEST_P(LayeredDof, InPlaceIsTheSame) {
  const auto image = test::random_image<std::uint8_t>(150, 110, 4);
  const Image<float> disparity = jumpy_disparity(150, 110);
  const Blur blur{30, 0.5f, 15};
  const Image<std::uint8_t> beside = run(image, disparity, blur, kGood);
  test::GuardedArray<std::uint8_t> both(*context, image.view());
  test::GuardedArray<float> depth(*context, disparity.view());
  depth_of_field<std::uint8_t>(*context, both.view(), depth.view(), blur, both.view(), 1, kGood);
  const Image<std::uint8_t> out = both.image();
  ASSERT_TRUE(std::equal(out.view().data, out.view().data + out.view().extent(), beside.view().data));
}

TEST_P(LayeredDof, NothingButItsPixelsAndRadiusMatters) {
  // A slow pull of the focus is smooth: a tenth of a pixel of radius moves no pixel by more than some codes.
  const auto image = [] {
    Image<std::uint8_t> picture(200, 150, 1);
    for (std::int64_t y = 0; y < 150; ++y)
      for (std::int64_t x = 0; x < 200; ++x)
        picture.view()(x, y) = static_cast<std::uint8_t>((x / 20 + y / 20) % 2 ? 190 : 90);
    return picture;
  }();
  Image<float> disparity(200, 150);
  for (std::int64_t y = 0; y < 150; ++y)
    for (std::int64_t x = 0; x < 200; ++x) disparity.view()(x, y) = static_cast<float>(x) / 200.f;
  for (const DofStyle& style : {kGood, kBest})
    for (const float radius : {5.f, 15.9f, 30.f}) {
      const Image<std::uint8_t> one = run(image, disparity, Blur{2 * radius, 0.5f, radius}, style);
      const Image<std::uint8_t> two =
          run(image, disparity, Blur{2 * radius + 0.2f, 0.5f, radius + 0.1f}, style);
      for (std::int64_t i = 0; i < one.view().extent(); ++i)
        ASSERT_NEAR(one.view().data[i], two.view().data[i], 4)
            << "pixel " << i % 200 << ", " << i / 200 << " radius " << radius;
    }
}

TEST_P(LayeredDof, APullShowsNoStepWhereGroupsAreSpreadAsOne) {
  constexpr std::int64_t kWidth = 160, kHeight = 24;
  constexpr float kPull = 0.1f;
  constexpr int kMostChange = 2 * 257;               // two codes of 8 bits
  Image<std::uint16_t> stripes(kWidth, kHeight, 1);  // edges part groups
  for (std::int64_t y = 0; y < kHeight; ++y)
    for (std::int64_t x = 0; x < kWidth; ++x)
      stripes.view()(x, y) = static_cast<std::uint16_t>((x / 41) % 2 ? 50000 : 20000);
  const Image<float> disparity = constant_disparity(kWidth, kHeight, 0);
  for (const int side : {2, 4}) {
    const float first = least_group_radius(side) - 0.5f, last = first + 0.125f * first + 1;
    Image<std::uint16_t> before;
    for (float radius = first; radius < last; radius += kPull) {
      Image<std::uint16_t> pulled = run(stripes, disparity, Blur{2 * radius, 0.5f, radius}, kGood);
      for (std::int64_t i = 0; i < before.view().extent(); ++i)
        ASSERT_NEAR(pulled.view().data[i], before.view().data[i], kMostChange)
            << "pixel " << i % kWidth << ", " << i / kWidth << " radius " << radius;
      before = std::move(pulled);
    }
  }
}

TEST_P(LayeredDof, GroupsLeaveNoPatternOfTheirLattice) {
  constexpr std::int64_t kSize = 256;
  constexpr float kRadius = 50, kMostRipple = 250;  // a code of 8 bits
  const Image<float> disparity = constant_disparity(kSize, kSize, 0);
  for (const bool across : {true, false}) {
    Image<std::uint16_t> edge(kSize, kSize, 1);
    for (std::int64_t y = 0; y < kSize; ++y)
      for (std::int64_t x = 0; x < kSize; ++x)
        edge.view()(x, y) = (across ? x : y) % 128 < 64 ? 60000 : 30000;
    const Image<std::uint16_t> blurred = run(edge, disparity, Blur{2 * kRadius, 0.5f, kRadius}, kGood);
    const auto at = [&](std::int64_t along, std::int64_t beside) {
      return static_cast<float>(across ? blurred.view()(along, beside) : blurred.view()(beside, along));
    };
    // What a pixel differs by from the mean over a period around it, where the blur is smooth.
    for (std::int64_t beside = 64; beside < 192; ++beside)
      for (std::int64_t i = 64; i < 192; ++i) {
        const float around = (at(i - 2, beside) + at(i + 2, beside)) / 2 + at(i - 1, beside) + at(i, beside) +
                             at(i + 1, beside);
        ASSERT_NEAR(at(i, beside), around / 4, kMostRipple) << (across ? "column " : "row ") << i;
      }
  }
}

TEST_P(LayeredDof, AnAbsurdSampleTurnsNothingBlack) {
  Image<float> image(64, 64, 3);
  std::fill_n(image.view().data, image.view().extent(), 0.25f);
  image.view()(32, 32, 1) = 1e30f;
  image.view()(3, 3, 0) = std::nanf("");
  const Image<float> out = run(image, constant_disparity(64, 64, 0), Blur{8, 1, 8}, kGood, 10000);
  for (std::int64_t i = 0; i < out.view().extent(); ++i) {
    ASSERT_TRUE(std::isfinite(out.view().data[i]));
    ASSERT_GT(out.view().data[i], 0.2f) << "sample " << i;
  }
}

TEST_P(LayeredDof, FactorsOfOneSideLeaveTheOtherAlone) {
  const auto image = test::random_image<std::uint8_t>(100, 60, 3);
  const Image<float> disparity = constant_disparity(100, 60, 0.2f);
  const Blur blur{20, 0.5f, 20};
  const auto same = [&](const DofStyle& a, const DofStyle& b) {
    const Image<std::uint8_t> p = run(image, disparity, blur, a), q = run(image, disparity, blur, b);
    return std::equal(p.view().data, p.view().data + p.view().extent(), q.view().data);
  };
  EXPECT_TRUE(same(kGood, {.quality = DofQuality::good, .near = 3}));
  EXPECT_FALSE(same(kGood, {.quality = DofQuality::good, .far = 2}));
  EXPECT_FALSE(same(kGood, {.quality = DofQuality::good, .highlights = 4}));
}

TEST_P(LayeredDof, AFactorAboveOneWidensTheLargestCirclesToo) {
  const auto image = test::random_image<std::uint8_t>(100, 60, 3);
  const Image<float> disparity = jumpy_disparity(100, 60);
  const Image<std::uint8_t> twice =
      run(image, disparity, {20, 0.5f, 4}, {.quality = DofQuality::good, .near = 2});
  const Image<std::uint8_t> half =
      run(image, disparity, {40, 0.5f, 8}, {.quality = DofQuality::good, .far = 0.5f});
  test::expect_equal<std::uint8_t>(twice.view(), half.view(), "near 2 of 4 pixels, and far 0.5 of 8");
}

TEST_P(LayeredDof, RefusesFactorsOutOfRange) {
  const auto image = test::random_image<std::uint8_t>(8, 8, 3);
  for (const DofStyle& style : {DofStyle{.anamorphic = 0},
                                {.anamorphic = 5},
                                {.near = -1},
                                {.far = 9},
                                {.highlights = 16},
                                {.highlights = std::nanf("")}})
    EXPECT_THROW(run(image, constant_disparity(8, 8, 0), uniform(1), style), Error);
}

SCANLENS_ON_EVERY_DEVICE(LayeredDof);
SCANLENS_ON_EVERY_DEVICE(LayeredDofOnBoth);

}  // namespace
}  // namespace scanlens
