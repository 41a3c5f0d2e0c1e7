// The shape of lights, from 1 to 40 pixels across, held against their blur by the true iris: a disc or
// polygon with a soft edge, summed over the light's pixels.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "filters/brightness.h"
#include "tests/unit/support/layered.h"

namespace scanlens {
namespace {

/// A light: the pixels of each row, from first to end - 1. They are about the middle of a square picture.
struct Light {
  int across;
  bool round;

  /// Returns half of the row's width, below 0 for none. `down` counts from the middle.
  int half_width(int down) const {
    const int half = across / 2;
    if (!round) return half;
    return std::abs(down) > half ? -1 : static_cast<int>(std::sqrt(half * (half + 1) - down * down));
  }
};

/// An iris as a lens has it, of sum 1, by samples: a disc, or a polygon of the same area that stands on a
/// side.
class Iris {
 public:
  Iris(double radius, const DofStyle& style) {
    const int sides = style.blades >= 3               ? static_cast<int>(style.blades)
                      : style.bokeh == Bokeh::hexagon ? 6
                      : style.bokeh == Bokeh::octagon ? 8
                                                      : 0;
    const double wide = 1 / std::sqrt(double{style.anamorphic}), high = std::sqrt(double{style.anamorphic});
    const double half = sides > 0 ? std::numbers::pi / sides : 0;
    const double inner = sides > 0 ? radius * std::sqrt(half / std::tan(half)) : radius;
    reach_ = static_cast<int>(1.6 * radius * std::max(wide, high)) + 2;
    shares_.resize(static_cast<std::size_t>(side() * side()));
    double sum = 0;
    for (int y = -reach_; y <= reach_; ++y)
      for (int x = -reach_; x <= reach_; ++x) {
        constexpr int kSamples = 5;
        int inside = 0;
        for (int s = 0; s < kSamples * kSamples; ++s) {
          const double right = (x + (s % kSamples + 0.5) / kSamples - 0.5) / wide;
          const double down = (y + (s / kSamples + 0.5) / kSamples - 0.5) / high;
          double farthest = sides > 0 ? -1e9 : std::hypot(right, down);
          for (int i = 0; i < sides; ++i) {
            const double toward =
                std::numbers::pi / 2 + style.rotation * std::numbers::pi / 180 + 2 * half * i;
            farthest = std::max(farthest, right * std::cos(toward) + down * std::sin(toward));
          }
          inside += farthest < inner;
        }
        sum += shares_[static_cast<std::size_t>((y + reach_) * side() + x + reach_)] = inside;
      }
    for (double& share : shares_) share /= sum;
  }

  int reach() const { return reach_; }

  /// Returns the blur of a light of sum 1 in the middle of a picture.
  Image<double> blur_of(const Light& light, int size) const {
    std::vector<double> sums(static_cast<std::size_t>(side() * (side() + 1)));  // along rows
    for (int y = 0; y < side(); ++y)
      for (int x = 0; x < side(); ++x)
        sums[static_cast<std::size_t>(y * (side() + 1) + x + 1)] =
            sums[static_cast<std::size_t>(y * (side() + 1) + x)] +
            shares_[static_cast<std::size_t>(y * side() + x)];
    Image<double> blurred(size, size);
    std::fill_n(blurred.view().data, blurred.view().extent(), 0.);
    double pixels = 0;
    for (int row = -light.across; row <= light.across; ++row) {
      const int half = light.half_width(row);
      if (half < 0 || std::abs(row) > light.across / 2) continue;
      pixels += 2 * half + 1;
      for (int y = 0; y < size; ++y) {
        const int down = y - size / 2 - row + reach_;
        if (down < 0 || down >= side()) continue;
        const double* const of_row = sums.data() + static_cast<std::ptrdiff_t>(down * (side() + 1));
        for (int x = 0; x < size; ++x) {
          const int right = x - size / 2 + reach_;
          blurred.view()(x, y) +=
              of_row[std::clamp(right + half + 1, 0, side())] - of_row[std::clamp(right - half, 0, side())];
        }
      }
    }
    for (std::int64_t i = 0; i < blurred.view().extent(); ++i) blurred.view().data[i] /= pixels;
    return blurred;
  }

 private:
  int side() const { return 2 * reach_ + 1; }

  int reach_;
  std::vector<double> shares_;
};

/// Returns the shares that a light has of a result without its background.
Image<double> shares_of(const Image<float>& out, float background) {
  Image<double> shares(out.width(), out.height());
  double sum = 0;
  for (std::int64_t i = 0; i < shares.view().extent(); ++i)
    sum += shares.view().data[i] = double{out.view().data[i]} - background;
  for (std::int64_t i = 0; i < shares.view().extent(); ++i) shares.view().data[i] /= sum;
  return shares;
}

double half_distance(const Image<double>& one, const Image<double>& other) {
  double sum = 0;
  for (std::int64_t i = 0; i < one.view().extent(); ++i)
    sum += std::fabs(one.view().data[i] - other.view().data[i]);
  return sum / 2;
}

/// Returns how many pixels lie within the outline of `one`, and more than a pixel outside of that of `other`.
/// Outlines are where pictures have the value `half`.
int pixels_outside(const Image<double>& one, const Image<double>& other, double half) {
  const auto size = static_cast<int>(one.width());
  int outside = 0;
  for (int y = 1; y + 1 < size; ++y)
    for (int x = 1; x + 1 < size; ++x) {
      if (one.view()(x, y) < half) continue;
      double most = 0;
      for (int i = 0; i < 9; ++i) most = std::max(most, other.view()(x + i % 3 - 1, y + i / 3 - 1));
      outside += most < half;
    }
  return outside;
}

class LightsOfDof : public LayeredDof {
 protected:
  static void paint(Image<float>& image, const Light& light, float brightness, float background) {
    std::fill_n(image.view().data, image.view().extent(), background);
    const std::int64_t middle = image.width() / 2;
    for (int row = -light.across / 2; row <= light.across / 2; ++row)
      for (int x = -light.half_width(row); x <= light.half_width(row); ++x)
        image.view()(middle + x, middle + row) = brightness;
  }

  Image<float> blurred(const Light& light, float brightness, float background, float radius,
                       const DofStyle& style, int size, const LightRange& range) {
    Image<float> image(size, size, 1);
    paint(image, light, brightness, background);
    return run(image, constant_disparity(size, size, 0), Blur{radius, 1, radius}, style, range);
  }

  static int size_of(const Iris& iris, const Light& light, int off) {
    return 2 * (iris.reach() + light.across / 2 + 4) + 1 + 2 * off;
  }

  void expect_round(const Image<float>& out, float background, const Image<double>& truth, float radius,
                    const std::string& what) {
    const Image<double> made = shares_of(out, background);
    EXPECT_LE(half_distance(made, truth), radius < 10 ? 0.028 : 0.02) << what;
    const double half = *std::max_element(truth.view().data, truth.view().data + truth.view().extent()) / 2;
    EXPECT_EQ(pixels_outside(made, truth, half), 0) << what;
    EXPECT_EQ(pixels_outside(truth, made, half), 0) << what;
  }

  static std::string words(const Light& light, float radius, const DofStyle& style, int off) {
    return fmt::format("{} of {} pixels, radius {}, {}, {} blades, {}, {} off",
                       light.round ? "a circle" : "a square", light.across, radius,
                       kDofQualityNames[static_cast<int>(style.quality)], style.blades,
                       kBokehNames[static_cast<int>(style.bokeh)], off);
  }
};

constexpr Light kLights[] = {{1, false}, {3, false}, {5, false},  {5, true},  {9, true},
                             {13, true}, {19, true}, {19, false}, {29, true}, {39, true}};

TEST_P(LightsOfDof, FloatsAreRound) {
  for (const float radius : {8.f, 12.3f, 20.f, 23.7f, 40.4f, 80.f})
    for (const DofStyle& style : {kGood, kBest}) {
      const Iris iris(radius, style);
      for (const Light& light : kLights) {
        const int off = light.across % 4;
        const int size = size_of(iris, light, off);
        const Image<double> truth = iris.blur_of(light, size);
        for (const float background : {0.f, 0.2f}) {
          // The blur of a pixel or few is less than a code of what is around.
          if (background > 0 && static_cast<float>(light.across * light.across) < radius * radius / 160)
            continue;
          expect_round(blurred(light, 1, background, radius, style, size, {}), background, truth, radius,
                       words(light, radius, style, off) + (background > 0 ? " on grey" : ""));
        }
      }
    }
}

TEST_P(LightsOfDof, TheyHaveTheShapeThatIsAskedFor) {
  const DofStyle styles[] = {{.quality = DofQuality::good, .blades = 3},
                             {.quality = DofQuality::good, .bokeh = Bokeh::hexagon},
                             {.quality = DofQuality::best, .bokeh = Bokeh::hexagon, .rotation = 30},
                             {.quality = DofQuality::good, .bokeh = Bokeh::octagon},
                             {.quality = DofQuality::good, .anamorphic = 1.6f},
                             {.quality = DofQuality::best, .anamorphic = 0.7f, .blades = 5, .rotation = 77}};
  for (const DofStyle& style : styles)
    for (const float radius : {8.f, 15.f, 24.f, 40.4f, 70.f}) {
      const Iris iris(radius, style);
      for (const Light& light : {Light{1, false}, {5, true}, {9, true}, {19, true}}) {
        if (static_cast<float>(light.across) > 2 * radius) continue;  // its blur has its own shape
        const int off = light.across % 3, size = size_of(iris, light, off);
        expect_round(blurred(light, 1, 0, radius, style, size, {}), 0, iris.blur_of(light, size), radius,
                     words(light, radius, style, off));
      }
    }
}

TEST_P(LightsOfDof, CrowdsHaveTheShapeThatIsAskedFor) {
  constexpr int kSize = 1000, kAcross = 9, kLights = 64, kWidest = 39;
  constexpr float kLight = 2000;  // of each, so that small ones count too
  const DofStyle styles[] = {kGood,
                             {.quality = DofQuality::good, .blades = 3},
                             {.quality = DofQuality::best, .bokeh = Bokeh::hexagon},
                             {.quality = DofQuality::good, .bokeh = Bokeh::octagon}};
  for (const DofStyle& style : styles)
    for (const float radius : {24.5f, 46.f}) {
      const Iris iris(radius, style);
      const int edge = iris.reach() + kWidest / 2 + 4, apart = (kSize - 2 * edge) / (kAcross - 1);
      Image<float> image(kSize, kSize, 1);
      std::fill_n(image.view().data, image.view().extent(), 0.f);
      Image<double> truth(kSize, kSize);
      std::fill_n(truth.view().data, truth.view().extent(), 0.);
      for (int i = 0; i < kLights; ++i) {
        const Light light{3 + i * 14 % (kWidest - 1), i % 3 > 0};
        const int left = edge + i % kAcross * apart, top = edge + i / kAcross * apart;
        const int size = size_of(iris, light, 0);
        const Image<double> blur = iris.blur_of(light, size);
        float pixels = 0;
        for (int row = -light.across / 2; row <= light.across / 2; ++row)
          pixels += 2.f * static_cast<float>(light.half_width(row)) + 1;
        for (int row = -light.across / 2; row <= light.across / 2; ++row)
          for (int x = -light.half_width(row); x <= light.half_width(row); ++x)
            image.view()(left + x, top + row) = kLight / pixels;
        for (int y = 0; y < size; ++y)
          for (int x = 0; x < size; ++x)
            truth.view()(left + x - size / 2, top + y - size / 2) += blur.view()(x, y) / kLights;
      }
      const Image<float> out =
          run(image, constant_disparity(kSize, kSize, 0), Blur{radius, 1, radius}, style, {kLight / 9});
      EXPECT_LE(half_distance(shares_of(out, 0), truth), style.blades == 3 ? 0.031 : 0.022) << fmt::format(
          "radius {}, {} blades, {}", radius, style.blades, kBokehNames[static_cast<int>(style.bokeh)]);
    }
}

TEST_P(LightsOfDof, LightOfAnyRangeIsKept) {
  struct Case {
    float light, background;
  };
  for (const Case& one : {Case{1000, 0.01f}, {1000, 0.0003f}, {1e7f, 1}, {3000, 0.0003f}})
    for (const float radius : {8.f, 20.f, 41.f})
      for (const Light& light : {Light{1, false}, {3, false}, {5, false}})
        for (const DofStyle& style : {kGood, kBest}) {
          const Iris iris(radius, style);
          const int size = size_of(iris, light, 40);
          Image<float> image(size, size, 1);
          paint(image, light, one.light, one.background);
          const LightRange range = brightness_of(std::as_const(image).view()).light;
          const Image<float> out = blurred(light, one.light, one.background, radius, style, size, range);
          double sum = 0, kept = 0;
          for (std::int64_t i = 0; i < out.view().extent(); ++i) {
            sum += image.view().data[i];
            kept += out.view().data[i];
          }
          const std::string what = words(light, radius, style, 40) + fmt::format(" of {}", one.light);
          EXPECT_NEAR(kept / sum, 1, 0.01) << what;
          EXPECT_NEAR(out.view()(0, 0), one.background, 0.2 * one.background) << what;
          EXPECT_LE(half_distance(shares_of(out, one.background), iris.blur_of(light, size)), 0.028) << what;
        }
}

/// Returns the light of one channel of codes.
Image<float> light_of(const Image<std::uint16_t>& codes, int channel) {
  Image<float> light(codes.width(), codes.height());
  for (std::int64_t y = 0; y < light.height(); ++y)
    for (std::int64_t x = 0; x < light.width(); ++x)
      light.view()(x, y) = static_cast<float>(srgb_to_linear(codes.view()(x, y, channel) / 65535.));
  return light;
}

TEST_P(LightsOfDof, ColouredCodesThatAreBoostedAreRound) {
  constexpr std::array<std::uint16_t, 3> kAmber = {65535, 50000, 30000};
  for (const float radius : {8.f, 20.f, 40.4f})
    for (const DofQuality quality : {DofQuality::good, DofQuality::best})
      for (const Light& light : {Light{1, false}, {3, false}, {5, true}, {9, true}, {19, true}}) {
        // Codes hold no light above white.
        if (9 * static_cast<float>(light.across * light.across) > 3 * radius * radius) continue;
        const DofStyle style{.quality = quality, .highlights = 8};
        const Iris iris(radius, style);
        const int size = size_of(iris, light, 0);
        Image<float> shape(size, size, 1);
        paint(shape, light, 1, 0);
        Image<std::uint16_t> image(size, size, 3);
        for (std::int64_t i = 0; i < shape.view().extent(); ++i)
          for (std::size_t c = 0; c < 3; ++c)
            image.view().data[3 * i + static_cast<std::int64_t>(c)] =
                shape.view().data[i] > 0 ? kAmber[c] : std::uint16_t{0};
        const Image<std::uint16_t> out =
            run(image, constant_disparity(size, size, 0), Blur{radius, 1, radius}, style);
        for (int c = 0; c < 3; ++c)
          expect_round(light_of(out, c), 0, iris.blur_of(light, size), radius,
                       words(light, radius, style, 0) + fmt::format(", channel {}", c));
      }
}

TEST_P(LightsOfDof, BesideAnEdgeOfDepthTheyAreRoundWhereTheyAreSeen) {
  // A wall in focus hides all from some pixels right of the light on, or lies behind a light that is near.
  for (const bool near : {false, true})
    for (const float radius : {12.3f, 40.4f})
      for (const DofStyle& style : {kGood, kBest}) {
        const Light light{5, true};
        const Iris iris(radius, style);
        const int size = size_of(iris, light, 0), wall = size / 2 + 6;
        Image<float> image(size, size, 1), disparity(size, size, 1);
        paint(image, light, 1, 0);
        for (std::int64_t y = 0; y < size; ++y)
          for (std::int64_t x = 0; x < size; ++x)
            disparity.view()(x, y) = x >= wall ? 0.5f : near ? 1.f : 0.f;
        const Image<float> out = run(image, disparity, Blur{2 * radius, 0.5f, radius}, style);
        const Image<double> truth = iris.blur_of(light, size);
        double off = 0, seen = 0;
        for (std::int64_t y = 0; y < size; ++y)
          for (std::int64_t x = 0; x < (near ? size : wall); ++x) {
            off += std::fabs(out.view()(x, y) / 21. - truth.view()(x, y));
            seen += truth.view()(x, y);
          }
        EXPECT_LE(off / 2 / seen, 0.02) << words(light, radius, style, 0) << (near ? ", near" : ", far");
      }
}

SCANLENS_ON_EVERY_DEVICE(LightsOfDof);

}  // namespace
}  // namespace scanlens
