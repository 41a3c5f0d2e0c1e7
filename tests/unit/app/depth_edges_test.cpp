// Depth maps that are brought to the size of their photo along its edges.
#include <tbb/global_control.h>

#include <array>
#include <cstring>
#include <functional>
#include <random>
#include <span>

#include "app/depth/depth.h"
#include "tests/unit/support/depth.h"

namespace scanlens::test {
namespace {

using Value = std::function<double(std::int64_t x, std::int64_t y)>;

template <class T>
Picture photo_of(std::int64_t width, std::int64_t height, int channels,
                 const std::function<T(std::int64_t x, std::int64_t y, int c)>& sample) {
  Image<T> image(width, height, channels);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c) image.view()(x, y, c) = sample(x, y, c);
  return {std::move(image)};
}

Picture grey_photo(std::int64_t width, std::int64_t height, const Value& code) {
  return photo_of<std::uint8_t>(width, height, 1,
                                [&](auto x, auto y, int) { return static_cast<std::uint8_t>(code(x, y)); });
}

Depth map_of(std::int64_t width, std::int64_t height, const Value& value) {
  Depth depth;
  depth.disparity = Image<float>(width, height);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) depth.disparity.view()(x, y) = static_cast<float>(value(x, y));
  find_extremes(depth);
  return depth;
}

Depth along_edges(const Depth& map, const Picture& photo) {
  return resized(copy_of(map), rows_of(photo), DepthResample::edges);
}

Depth bilinear(const Depth& map, const Picture& photo) {
  return resized(copy_of(map), rows_of(photo), DepthResample::bilinear);
}

/// Shrinks a map by whole steps, as its mean.
Depth reduced(const Depth& map, std::int64_t step) {
  return resized(copy_of(map), map.disparity.width() / step, map.disparity.height() / step);
}

/// A texture of 40 .. 215 without a scale of its own.
double texture(std::int64_t x, std::int64_t y) {
  return static_cast<double>(40 + ((x * 7919 + y * 104729 + x * y * 31) & 0xFFFF) % 176);
}

TEST(DepthAlongEdges, AConstantMapStaysConstant) {
  const Picture photo = grey_photo(67, 41, texture);
  for (const float value : {0.f, 0.1f, 1 / 3.f, 1.f, 1e30f}) {
    const Depth map = map_of(9, 5, [&](auto, auto) { return value; });
    for (const float each : values_of(along_edges(map, photo))) ASSERT_EQ(each, value);
  }
}

TEST(DepthAlongEdges, AStepLiesWhereThePhotosEdgeLies) {
  constexpr std::int64_t kWidth = 96, kHeight = 64, kStep = 8;
  for (std::int64_t edge = 40; edge < 48; ++edge)
    for (const bool slanted : {false, true}) {
      const auto is_near = [&](auto x, auto y) { return x < edge + (slanted ? y / 3 : 0); };
      const Depth truth = map_of(kWidth, kHeight, [&](auto x, auto y) { return is_near(x, y) ? 0.9 : 0.2; });
      const Picture photo =
          grey_photo(kWidth, kHeight, [&](auto x, auto y) { return is_near(x, y) ? 200 : 90; });
      const Depth map = reduced(truth, kStep);
      const Floats expected = values_of(truth), found = values_of(along_edges(map, photo)),
                   smooth = values_of(bilinear(map, photo));
      // A little is left of mixtures of both in the map.
      const double within = edge % kStep == 0 && !slanted ? 1e-4 : 0.08;
      int smeared = 0;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_NEAR(found[i], expected[i], within) << "edge " << edge << ", pixel " << i;
        smeared += std::abs(smooth[i] - expected[i]) > 0.1f;
      }
      EXPECT_GE(smeared, 4 * kHeight) << "bilinear is another thing";
    }
}

TEST(DepthAlongEdges, ColoursOfOneLumaAreToldApart) {
  const auto is_near = [](auto x) { return x < 29; };
  const Picture photo = photo_of<std::uint16_t>(64, 32, 3, [&](auto x, auto, int c) {
    constexpr std::array<std::uint16_t, 3> kRed{60000, 10000, 12000}, kGreen{17148, 22739, 12000};
    return (is_near(x) ? kRed : kGreen)[static_cast<std::size_t>(c)];
  });
  const Depth truth = map_of(64, 32, [&](auto x, auto) { return is_near(x) ? 1 : 0; });
  const Floats found = values_of(along_edges(reduced(truth, 4), photo));
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], is_near(i % 64), 0.05) << i;
}

TEST(DepthAlongEdges, ASlopeStaysASlopeUnderAnyTexture) {
  const Picture photo = grey_photo(120, 80, texture);
  const Depth slope = map_of(15, 10, [](auto x, auto y) { return 0.05 + 0.04 * x + 0.03 * y; });
  EXPECT_EQ(values_of(along_edges(slope, photo)), values_of(bilinear(slope, photo)));
  const Picture stripes = grey_photo(120, 80, [](auto x, auto) { return x / 6 % 2 ? 255 : 0; });
  EXPECT_EQ(values_of(along_edges(slope, stripes)), values_of(bilinear(slope, stripes)));
}

TEST(DepthAlongEdges, TextureBesideAJumpLeavesBothSidesFlat) {
  const Picture photo =
      grey_photo(96, 48, [](auto x, auto y) { return (x < 50 ? 170 : 0) + ((x + y) & 1) * 60; });
  const Depth truth = map_of(96, 48, [](auto x, auto) { return x < 50 ? 0.8 : 0.1; });
  const Floats found = values_of(along_edges(reduced(truth, 4), photo));
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], i % 96 < 50 ? 0.8 : 0.1, 0.03) << i;
}

TEST(DepthAlongEdges, NothingInThePhotoLeavesTheJumpBetweenItsPixels) {
  const Picture photo = grey_photo(64, 64, [](auto, auto) { return 77; });
  const Depth map = map_of(8, 8, [](auto x, auto) { return x < 4 ? 1 : 0; });
  const Floats found = values_of(along_edges(map, photo));
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i] > 0.5f, i % 64 < 32) << i;
    ASSERT_TRUE(found[i] >= 0 && found[i] <= 1);
  }
}

TEST(DepthAlongEdges, AnyShapesOfMapAndPhoto) {
  const std::int64_t sides[] = {1, 2, 3, 31, 32, 33, 97};
  for (const std::int64_t width : sides)
    for (const std::int64_t height : sides) {
      const Picture photo = grey_photo(width, height, texture);
      for (const auto& [map_width, map_height] :
           {std::pair{1, 1}, {1, 7}, {7, 1}, {32, 5}, {5, 98}, {99, 98}}) {
        const Depth map = map_of(map_width, map_height, [](auto x, auto y) { return texture(y, x) / 255; });
        const Depth found = along_edges(map, photo);
        ASSERT_EQ(found.disparity.width(), width);
        ASSERT_EQ(found.disparity.height(), height);
        for (const float value : values_of(found)) ASSERT_TRUE(value >= map.least && value <= map.most);
        if (map_width >= width && map_height >= height) {
          ASSERT_EQ(values_of(found), values_of(bilinear(map, photo))) << "nothing grows";
        }
      }
    }
}

TEST(DepthAlongEdges, SamplesThatAreNoLightDoNotSpread) {
  const Depth map = map_of(6, 4, [](auto x, auto) { return x < 3 ? 2 : 0.5; });
  const Picture photo = photo_of<float>(48, 32, 4, [](auto x, auto y, int c) {
    constexpr float kOdd[] = {kNan, kInfinity, -kInfinity, -1, 1e38f};
    return (x + y) % 9 == 0 ? kOdd[(x * 3 + y + c) % 5] : x < 24 ? 1.5f : 0.02f;
  });
  for (const float value : values_of(along_edges(map, photo))) ASSERT_TRUE(value >= 0.5f && value <= 2);
}

/// Is what filters/depth/fit.h says, in double precision, pixel by pixel.
class Reference {
 public:
  Reference(const Depth& map, const Picture& photo, const Floats& smooth)
      : map_(map.disparity.view()), photo_(photo), smooth_(smooth) {
    Floats sorted = values_of(map);
    std::sort(sorted.begin(), sorted.end());
    const std::size_t odd = sorted.size() / 1000;
    range_ = double{sorted[sorted.size() - 1 - odd]} - sorted[odd];

    means_.resize(sorted.size());
    std::vector<int> counts(sorted.size());
    for (std::int64_t y = 0; y < photo.height(); ++y)
      for (std::int64_t x = 0; x < photo.width(); ++x) {
        const std::int64_t i = (2 * x + 1) * map_.width / (2 * photo.width());
        const std::int64_t j = (2 * y + 1) * map_.height / (2 * photo.height());
        const std::size_t place = static_cast<std::size_t>(j * map_.width + i);
        const double count = ++counts[place];
        for (int c = 0; c < 3; ++c) {
          double& mean = means_[place][static_cast<std::size_t>(c)];
          mean += (tone(x, y, c) - mean) / count;
        }
      }
  }

  double at(std::int64_t x, std::int64_t y) const {
    const double u = middle(x, photo_.width(), map_.width), v = middle(y, photo_.height(), map_.height);
    const auto left = static_cast<std::int64_t>(std::floor(u)),
               top = static_cast<std::int64_t>(std::floor(v));
    double least = 1e300, most = -1e300, bend = 0;
    each(left, top, [&](auto i, auto j) {
      least = std::min(least, depth(i, j));
      most = std::max(most, depth(i, j));
      bend = std::max(bend, bend_at(clamped(i, map_.width), clamped(j, map_.height)));
    });
    const double smooth = smooth_[static_cast<std::size_t>(y * photo_.width() + x)];
    const double share = std::clamp((std::min(bend, most - least) / range_ - 0.01) / 0.02, 0.0, 1.0);
    if (share == 0) return smooth;
    const double middle_depth = (least + most) / 2;
    std::array<double, 2> weights{}, sums{};
    each(left, top, [&](auto i, auto j) {
      const double away = std::pow(double(i) - u, 2) + std::pow(double(j) - v, 2);
      double apart = 0;
      for (int c = 0; c < 3; ++c) apart += std::pow(mean(i, j, c) - tone(x, y, c), 2);
      const double over = depth(i, j) - middle_depth;
      const double weight = std::exp(-away / 0.72) / std::pow(1 + apart / 0.01, 2) * std::abs(over);
      weights[over > 0] += weight;
      sums[over > 0] += weight * depth(i, j);
    });
    const double near = std::pow(weights[1], 2), far = std::pow(weights[0], 2);
    const double layered = (near * sums[1] / weights[1] + far * sums[0] / weights[0]) / (near + far);
    return smooth + share * (layered - smooth);
  }

 private:
  static double middle(std::int64_t i, std::int64_t side, std::int64_t map_side) {
    return (double(i) + 0.5) * double(map_side) / double(side) - 0.5;
  }
  static std::int64_t clamped(std::int64_t i, std::int64_t side) {
    return std::clamp(i, std::int64_t{0}, side - 1);
  }
  static void each(std::int64_t left, std::int64_t top, const auto& visit) {
    for (std::int64_t j = top - 1; j <= top + 2; ++j)
      for (std::int64_t i = left - 1; i <= left + 2; ++i) visit(i, j);
  }
  double depth(std::int64_t i, std::int64_t j) const {
    return map_(clamped(i, map_.width), clamped(j, map_.height));
  }
  double bend_at(std::int64_t i, std::int64_t j) const {
    const double here = 2 * depth(i, j);
    const double along = i > 0 && i + 1 < map_.width ? depth(i - 1, j) + depth(i + 1, j) - here : 0;
    const double down = j > 0 && j + 1 < map_.height ? depth(i, j - 1) + depth(i, j + 1) - here : 0;
    return std::max(std::abs(along), std::abs(down));
  }
  double tone(std::int64_t x, std::int64_t y, int c) const {
    return std::visit(
        [&]<class T>(const Image<T>& image) -> double {
          const double sample = image.view()(x, y, image.channels() < 3 ? 0 : c);
          if (!std::is_floating_point_v<T>) return sample / std::numeric_limits<T>::max();
          return 2 * std::sqrt(sample) / (1 + std::sqrt(sample));
        },
        photo_.samples);
  }
  double mean(std::int64_t i, std::int64_t j, int c) const {
    return means_[static_cast<std::size_t>(clamped(j, map_.height) * map_.width + clamped(i, map_.width))]
                 [static_cast<std::size_t>(c)];
  }

  View<const float> map_;
  const Picture& photo_;
  const Floats& smooth_;
  double range_;
  std::vector<std::array<double, 3>> means_;
};

template <class T>
void expect_reference(std::int64_t width, std::int64_t height, int channels, std::int64_t map_width,
                      std::int64_t map_height, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> share(0, 1);
  const Depth map = map_of(map_width, map_height, [&](auto x, auto y) {
    if (x == 7 && y == 3 && map_width * map_height > 1000)
      return 8.0;  // one odd pixel is no reason to see no jump
    return share(random) < 0.3 ? share(random) : 0.25;
  });
  const Picture photo = photo_of<T>(width, height, channels, [&](auto, auto, int) {
    return static_cast<T>(share(random) *
                          (std::is_floating_point_v<T> ? 3.0 : double(std::numeric_limits<T>::max())));
  });
  const Floats smooth = values_of(bilinear(map, photo)), found = values_of(along_edges(map, photo));
  const Reference reference(map, photo, smooth);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      ASSERT_NEAR(found[static_cast<std::size_t>(y * width + x)], reference.at(x, y), 2e-5)
          << "(" << x << ", " << y << ") of " << width << " x " << height << ", seed " << seed;
}

TEST(DepthAlongEdges, IsWhatItsHeaderSays) {
  expect_reference<std::uint8_t>(33, 31, 3, 8, 7, 1);
  expect_reference<std::uint8_t>(32, 32, 1, 31, 3, 2);
  expect_reference<std::uint16_t>(37, 23, 4, 5, 23, 3);
  expect_reference<float>(29, 40, 3, 11, 13, 4);
  expect_reference<float>(64, 3, 1, 1, 2, 5);
  expect_reference<std::uint8_t>(97, 61, 3, 50, 30, 6);
}

TEST(DepthAlongEdges, PartsAndThreadsDoNotMatter) {
  constexpr std::int64_t kWidth = 203, kHeight = 131;
  std::mt19937 random(6);
  std::uniform_int_distribution<int> code(0, 255);
  const Picture photo = photo_of<std::uint8_t>(
      kWidth, kHeight, 3, [&](auto, auto, int) { return static_cast<std::uint8_t>(code(random)); });
  const Depth map = map_of(29, 17, [&](auto, auto) { return code(random); });
  const Floats expected = values_of(along_edges(map, photo));
  for (const std::int64_t part : {1, 5, 64, 130}) {
    PhotoRows rows = rows_of(photo);
    rows.read = [&](const PhotoRows::Take& take) {
      const View<const std::uint8_t> view = std::get<Image<std::uint8_t>>(photo.samples).view();
      for (std::int64_t y = 0; y < kHeight; y += part)
        take(std::as_bytes(
            std::span(view.row(y), static_cast<std::size_t>(std::min(part, kHeight - y) * kWidth * 3))));
    };
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, part == 5 ? 1 : 7);
    ASSERT_EQ(values_of(resized(copy_of(map), rows, DepthResample::edges)), expected)
        << part << " rows at a time";
  }
}

}  // namespace
}  // namespace scanlens::test
