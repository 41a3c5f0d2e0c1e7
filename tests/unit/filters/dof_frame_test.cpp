// Shapes of blurred light that change over the frame, and light that is uneven over the lens: against the
// definition, point by point.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/support/layered.h"

namespace scanlens {
namespace {

constexpr int kWidth = 480, kHeight = 270;
constexpr LightRange kRange{64};

struct Look {
  std::string name;
  DofStyle style;
};

std::vector<Look> looks() {
  return {{"cat's eye", {.cats_eye = 1}},
          {"cat's eye and swirl", {.cats_eye = 0.8f, .swirl = 0.8f}},
          {"doors, curved blades", {.blades = 6, .roundness = 0.4f, .doors = 0.8f, .doors_down = 0.6f}},
          {"ovals", {.anamorphic = 1.5f, .blades = 5, .rotation = 30, .swirl = -0.6f, .edge_squeeze = 0.5f}}};
}

/// The pupil at a pixel, by its definition.
class TruePupil {
 public:
  TruePupil(const DofStyle& style, double x, double y) : style_(style) {
    fx_ = (x + 0.5) / kWidth * 2 - 1;
    fy_ = (y + 0.5) / kHeight * 2 - 1;
    const double diagonal = std::hypot(kWidth, kHeight);
    dx_ = fx_ * kWidth / diagonal;
    dy_ = fy_ * kHeight / diagonal;
    const double far = std::hypot(dx_, dy_);
    toward_x_ = far > 0 ? dx_ / far : 1;
    toward_y_ = far > 0 ? dy_ / far : 0;
    twist_ = style.swirl * far * far;
    double sum = 0, across = 0, down = 0;
    constexpr int kSteps = 150;
    for (int j = 0; j < kSteps; ++j)
      for (int i = 0; i < kSteps; ++i) {
        const double at_x = (i + 0.5) / kSteps * 5 - 2.5, at_y = (j + 0.5) / kSteps * 5 - 2.5;
        if (!holds(at_x, at_y)) continue;
        sum += 1;
        across += at_x;
        down += at_y;
      }
    middle_x_ = across / sum;
    middle_y_ = down / sum;
  }

  /// True of an offset in radii; `side` is 1 behind the focus and -1 before it.
  bool at(double right, double down, int side) const {
    return holds(side * right + middle_x_, side * down + middle_y_);
  }

 private:
  bool holds(double right, double down) const {
    // Along the radius and along the tangent of the frame.
    const double along = right * toward_x_ + down * toward_y_, beside = down * toward_x_ - right * toward_y_;
    const double stretch = std::sqrt(twist_ >= 0 ? 1 + twist_ : 1 / (1 - twist_)), u = along * stretch,
                 v = beside / stretch;
    const double ratio = std::sqrt(style_.anamorphic * (1 + style_.edge_squeeze * fx_ * fx_));
    const double x = (u * toward_x_ - v * toward_y_) * ratio, y = (u * toward_y_ + v * toward_x_) / ratio;
    if (style_.blades < 3 && std::hypot(x, y) > 1) return false;
    if (style_.blades >= 3 && !in_iris(x, y)) return false;
    const double rim = style_.blades >= 3 ? corner() : 1, barrel = style_.cats_eye * rim;
    if (style_.cats_eye > 0 && std::hypot(x + barrel * dx_, y + barrel * dy_) > rim) return false;
    if (style_.doors > 0 && (fx_ < 0 ? -x : x) > rim * (1 - style_.doors * std::abs(fx_))) return false;
    return !(style_.doors_down > 0) || (fy_ < 0 ? -y : y) <= rim * (1 - style_.doors_down * std::abs(fy_));
  }

  /// The radius of the circle that corners lie on, where the area is that of a circle of radius 1.
  double corner() const {
    const double half = std::numbers::pi / style_.blades, bend = std::asin(style_.roundness * std::sin(half));
    const double segment =
        bend > 0 ? (bend - std::sin(bend) * std::cos(bend)) / std::pow(style_.roundness, 2) : 0;
    return std::sqrt(std::numbers::pi / (style_.blades * (std::sin(half) * std::cos(half) + segment)));
  }

  /// Sides are arcs whose sine over half of them is `roundness` times that of the circle's.
  bool in_iris(double x, double y) const {
    const double half = std::numbers::pi / style_.blades, bend = std::asin(style_.roundness * std::sin(half));
    const double corner = this->corner();
    for (int i = 0; i < static_cast<int>(style_.blades); ++i) {
      const double toward = std::numbers::pi * (0.5 + style_.rotation / 180) + 2 * half * i;
      const double out = x * std::cos(toward) + y * std::sin(toward),
                   aside = y * std::cos(toward) - x * std::sin(toward);
      if (bend > 0) {
        const double radius = corner / style_.roundness;
        if (std::hypot(out - corner * std::cos(half) + radius * std::cos(bend), aside) > radius) return false;
      } else if (out > corner * std::cos(half)) {
        return false;
      }
    }
    return true;
  }

  DofStyle style_;
  double fx_, fy_, dx_, dy_, toward_x_, toward_y_, twist_, middle_x_ = 0, middle_y_ = 0;
};

class FrameOfDof : public LayeredDof {
 protected:
  /// `side` is 1 behind the focus and -1 before it.
  Image<float> blurred(const Image<float>& image, float radius, DofStyle style, DofQuality quality,
                       int side) {
    style.quality = quality;
    return run(image, constant_disparity(image.width(), image.height(), side > 0 ? 0.f : 1.f),
               Blur{radius, side > 0 ? 1.f : 0.f, radius}, style, kRange);
  }
};

Image<float> black(int width, int height) {
  Image<float> image(width, height, 1);
  std::fill_n(image.view().data, image.view().extent(), 0.f);
  return image;
}

/// Half the sum of the differences from light_at(right, down), in radii, around a place, where both have the
/// sum 1.
template <class LightAt>
double distance_from(const LightAt& light_at, View<const float> out, int x, int y, double radius,
                     double& sum) {
  constexpr int kAway = 52, kSamples = 6;
  std::vector<double> want, got;
  double of_want = 0;
  sum = 0;
  for (int j = -kAway; j <= kAway; ++j)
    for (int i = -kAway; i <= kAway; ++i) {
      double light = 0;
      for (int s = 0; s < kSamples * kSamples; ++s)
        light += light_at((i - 0.5 + (s % kSamples + 0.5) / kSamples) / radius,
                          (j - 0.5 + (s / kSamples + 0.5) / kSamples) / radius);
      of_want += want.emplace_back(light);
      sum += got.emplace_back(out(x + i, y + j));
    }
  double difference = 0;
  for (std::size_t i = 0; i < want.size(); ++i) difference += std::fabs(want[i] / of_want - got[i] / sum);
  return difference / 2;
}

TEST_P(FrameOfDof, LampsHaveThePupilOfTheirPlace) {
  constexpr float kRadius = 24, kLight = 50;
  const std::array<std::array<int, 2>, 7> places = {
      {{60, 60}, {240, 61}, {419, 61}, {150, 135}, {330, 136}, {61, 209}, {240, 209}}};
  Image<float> image = black(kWidth, kHeight);
  for (const auto& [x, y] : places) image.view()(x, y) = kLight;
  for (const Look& look : looks())
    for (const int side : {1, -1}) {
      const Image<float> good = blurred(image, kRadius, look.style, DofQuality::good, side),
                         best = blurred(image, kRadius, look.style, DofQuality::best, side);
      for (const auto& [x, y] : places) {
        const TruePupil pupil(look.style, x, y);
        for (const Image<float>* out : {&good, &best}) {
          double sum = 0;
          const auto light_at = [&](double right, double down) {
            return pupil.at(right, down, side) ? 1. : 0.;
          };
          EXPECT_LE(distance_from(light_at, out->view(), x, y, kRadius, sum), 0.017)
              << look.name << " at " << x << ", " << y << ", side " << side;
          // Light is shown over the coverage, which shapes that change make uneven by a hundredth or so.
          EXPECT_NEAR(sum / kLight, 1, 0.015) << look.name << ": all of the light";
        }
      }
    }
}

/// The light at a square distance from a lens's middle, 0 .. 1, by the definition of each option.
double light_of_lens(const DofStyle& style, int side, double square) {
  if (square > 1 || square < style.mirror * style.mirror) return 0;
  const double rim = side * style.spherical;
  const double of_rim =
      rim > 0 ? 1 + 3 * rim * (std::pow(square, 3) - 0.25) : 1 + rim - 2 * rim * (1 - square);
  const double of_edge = 1 - style.soft_edge + 3 * style.soft_edge * std::pow(1 - square, 2);
  return of_rim * of_edge * (1 + 0.6 * style.onion * std::cos(10 * std::numbers::pi * square));
}

TEST_P(FrameOfDof, LampsHaveTheLightOfTheLens) {
  struct Case {
    std::string name;
    DofStyle style;
    double most;
  };
  const Case cases[] = {{"bubbles", {.spherical = 1}, 0.055},
                        {"bubbles reversed", {.spherical = -0.7f}, 0.05},
                        {"soft edge", {.soft_edge = 1}, 0.035},
                        {"mirror", {.mirror = 0.5f}, 0.025},
                        {"onion", {.onion = 1}, 0.08},
                        {"all", {.spherical = 0.6f, .soft_edge = 0.4f, .mirror = 0.3f, .onion = 0.3f}, 0.07}};
  constexpr float kRadius = 24, kLight = 50;
  constexpr int kSize = 131, kMiddle = 65;
  Image<float> image = black(kSize, kSize);
  image.view()(kMiddle, kMiddle) = kLight;
  for (const Case& one : cases)
    for (const int side : {1, -1}) {
      const Image<float> out = blurred(image, kRadius, one.style, DofQuality::good, side);
      double sum = 0;
      const auto light_at = [&](double right, double down) {
        return light_of_lens(one.style, side, right * right + down * down);
      };
      EXPECT_LE(distance_from(light_at, out.view(), kMiddle, kMiddle, kRadius, sum), one.most)
          << one.name << ", side " << side;
      EXPECT_NEAR(sum / kLight, 1, 1e-3) << one.name;
      const auto [least, most] = std::minmax_element(out.view().data, out.view().data + out.view().extent());
      EXPECT_GE(*least, 0) << one.name;
      EXPECT_LT(*most, kLight) << one.name << ": differences of zones wrapped around";
    }
}

/// A texture of smooth noise, by sums of waves.
Image<float> waves() {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(0, 1);
  Image<float> image(kWidth, kHeight, 1);
  std::vector<std::array<double, 4>> all;
  for (int i = 0; i < 40; ++i)
    all.push_back({any(random) - 0.5, any(random) - 0.5, any(random) * 7, any(random)});
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      double light = 0.3;
      for (const auto& [across, down, phase, size] : all)
        light += size * 0.02 * std::sin(across * x + down * y + phase);
      image.view()(x, y) = static_cast<float>(std::clamp(light, 0., 1.));
    }
  return image;
}

double code(double light) {
  return light <= 0.0031308 ? light * 12.92 : 1.055 * std::pow(light, 1 / 2.4) - 0.055;
}

/// A part of the picture, from its middle towards a corner.
constexpr int kLeft = 150, kRight = 205, kTop = 32, kBottom = 75, kReach = 24;

/// `image` as pupils blur it in that part. Each cell of 8 x 8 pixels has the pupil of its middle.
Image<double> by_pupils(const Image<float>& image, const DofStyle& style, double radius, int side) {
  constexpr int kCell = 8;
  Image<double> light(kWidth, kHeight), weight(kWidth, kHeight);
  std::fill_n(light.view().data, light.view().extent(), 0.);
  std::fill_n(weight.view().data, weight.view().extent(), 0.);
  for (int y = kTop - kReach; y < kBottom + kReach; y += kCell)
    for (int x = kLeft - kReach; x < kRight + kReach; x += kCell) {
      const TruePupil pupil(style, x + kCell / 2., y + kCell / 2.);
      std::vector<std::array<int, 2>> held;  // by quarters of pixels
      for (int j = -kReach; j <= kReach; ++j)
        for (int i = -kReach; i <= kReach; ++i)
          for (int s = 0; s < 4; ++s)
            if (pupil.at((i - 0.25 + 0.5 * (s % 2)) / radius, (j - 0.25 + 0.5 * (s / 2)) / radius, side))
              held.push_back({i, j});
      for (int s = 0; s < kCell * kCell; ++s) {
        const int from_x = x + s % kCell, from_y = y + s / kCell;
        for (const auto& [i, j] : held)
          if (from_x + i >= 0 && from_y + j >= 0) {
            light.view()(from_x + i, from_y + j) += image.view()(from_x, from_y) / held.size();
            weight.view()(from_x + i, from_y + j) += 1. / held.size();
          }
      }
    }
  for (std::int64_t i = 0; i < light.view().extent(); ++i) light.view().data[i] /= weight.view().data[i];
  return light;
}

TEST_P(FrameOfDof, SurfacesAreBlurredByThePupils) {
  constexpr float kRadius = 10;
  const Image<float> image = waves();
  for (const Look& look : looks())
    for (const int side : {1, -1}) {
      const Image<double> want = by_pupils(image, look.style, kRadius, side);
      for (const DofQuality quality : {DofQuality::good, DofQuality::best}) {
        const Image<float> out = blurred(image, kRadius, look.style, quality, side);
        double squares = 0;
        for (int y = kTop; y < kBottom; ++y)
          for (int x = kLeft; x < kRight; ++x)
            squares += std::pow(code(out.view()(x, y)) - code(want.view()(x, y)), 2);
        const double decibels = -10 * std::log10(squares / ((kBottom - kTop) * (kRight - kLeft)));
        EXPECT_GE(decibels, quality == DofQuality::best ? 54 : 49) << look.name << ", side " << side;
      }
    }
}

/// Blurs that reach out of the picture are mirrored, and shapes that lean are not turned by that.
TEST_P(FrameOfDof, PlainSurfacesStayPlainUpToTheBorder) {
  Image<float> image(120, 68, 1);
  std::fill_n(image.view().data, image.view().extent(), 0.4f);
  for (const Look& look : looks())
    for (const int side : {1, -1})
      for (const float radius : {1.7f, 9.f, 21.f}) {
        const Image<float> out = blurred(image, radius, look.style, DofQuality::good, side);
        for (std::int64_t i = 0; i < out.view().extent(); ++i)
          ASSERT_NEAR(code(out.view().data[i]), code(0.4), 0.5 / 255) << look.name << ", radius " << radius;
      }
}

TEST_P(FrameOfDof, ShapesThatPixelsAreTooCoarseForStayPlain) {
  struct Case {
    DofStyle style;
    float radius;
  };
  // A ring that is as wide as the lens in pixels, and rings that pass the whole picture.
  for (const Case& one : {Case{{.anamorphic = 4, .edge_squeeze = 1, .mirror = 0.9f}, 7},
                          Case{{.mirror = 0.9f}, 200}, Case{{.mirror = 0.5f}, 400}})
    for (const int side : {1, -1}) {
      Image<float> image(300, 180, 1);
      std::fill_n(image.view().data, image.view().extent(), 0.4f);
      const Image<float> out = blurred(image, one.radius, one.style, DofQuality::best, side);
      for (std::int64_t i = 0; i < out.view().extent(); ++i)
        ASSERT_NEAR(code(out.view().data[i]), code(0.4), 1. / 255)
            << "radius " << one.radius << ", pixel " << i;
    }
}

/// Their stacks are larger than circles of their radius: rows of memory follow from the table.
TEST_P(FrameOfDof, TheNarrowestPupilsStayInTheirRows) {
  const DofStyle style{.anamorphic = 4, .blades = 3, .swirl = 1, .doors = 1, .edge_squeeze = 2};
  for (const float radius : {5.72f, 7.42f, 7.985f}) {
    const Image<float> out = blurred(black(500, 400), radius, style, DofQuality::good, 1);
    EXPECT_EQ(*std::max_element(out.view().data, out.view().data + out.view().extent()), 0.f);
  }
}

/// Near surfaces cover those behind them, though its shapes change over the frame.
TEST_P(FrameOfDof, NearSurfacesAreOpaque) {
  constexpr float kRadius = 12;
  Image<float> image(kWidth, kHeight, 1), disparity(kWidth, kHeight);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const bool is_near = x < kWidth / 2;
      image.view()(x, y) = is_near ? 0.2f : 1.f;
      disparity.view()(x, y) = is_near ? 1.f : 0.f;
    }
  for (const Look& look : looks()) {
    DofStyle style = look.style;
    style.quality = DofQuality::good;
    const Image<float> out = run(image, disparity, Blur{kRadius, 0, kRadius}, style, kRange);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth / 2 - 3 * static_cast<int>(kRadius); ++x)
        ASSERT_NEAR(code(out.view()(x, y)), code(0.2), 1. / 255) << look.name << " at " << x << ", " << y;
  }
}

SCANLENS_ON_EVERY_DEVICE(FrameOfDof);

}  // namespace
}  // namespace scanlens
