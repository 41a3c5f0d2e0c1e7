// The likeness of neighbours in a photo without texture: rolling guidance (Zhang et al. 2014) by the guided
// filter (He et al. 2010), whose boxes are sums from tables.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/sparse/solve_order.h"
#include "filters/color_tables.h"
#include "filters/parts/follow_lines.h"
#include "filters/strokes/parts.h"

namespace scanlens {
extern const Filter kGaussian;
}

namespace scanlens::strokes {
namespace {

constexpr double kSigmas = 450;      // of the Gaussian across the photo's width
constexpr double kLeastSigma = 1.5;  // pixels
constexpr float kDeviation = 0.03f;
constexpr int kRounds = 3;
constexpr float kEdge = 3e-5f;  // squared difference of Lab / 100 that halves a link

/// CIE's lightness function of 0 .. 1, and one entry more than steps.
constexpr int kLightnessSteps = 4096;
const float* lightness() {
  static const std::array<float, kLightnessSteps + 1> table = [] {
    std::array<float, kLightnessSteps + 1> made;
    for (int i = 0; i <= kLightnessSteps; ++i) {
      const double t = static_cast<double>(i) / kLightnessSteps;
      made[static_cast<std::size_t>(i)] =
          static_cast<float>(t > 0.008856 ? std::cbrt(t) : 7.787 * t + 16. / 116);
    }
    return made;
  }();
  return table.data();
}

/// To 16 bits, in which the photo is smoothed.
struct Widen {
  View<const std::uint8_t> photo;
  View<std::uint16_t> wide;
  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    for (int c = 0; c < 3; ++c) wide(x, y, c) = static_cast<std::uint16_t>(257 * photo(x, y, c));
  }
};

struct MeanOfColours {
  View<const std::uint16_t> colours;
  View<std::uint16_t> grey;
  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const std::uint16_t* const c = &colours(x, y);
    grey(x, y) = static_cast<std::uint16_t>((static_cast<std::uint32_t>(c[0]) + c[1] + c[2] + 1) / 3);
  }
};

/// CIE Lab / 100.
struct ToLab {
  View<const std::uint16_t> colours;
  const std::uint32_t* light;
  const float* lightness;
  View<float> lab;

  SCANLENS_HOST_DEVICE float lightness_of(float red, float green, float blue, const float* row) const {
    const float light_there =
        rounded_product(row[0], red) + rounded_product(row[1], green) + rounded_product(row[2], blue);
    const float place = light_there * kLightnessSteps;
    const int i =
        place < 0 ? 0 : (place < kLightnessSteps - 1 ? static_cast<int>(place) : kLightnessSteps - 1);
    return lightness[i] + rounded_product(place - static_cast<float>(i), lightness[i + 1] - lightness[i]);
  }
  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    // sRGB's primaries in shares of its white.
    constexpr float kX[] = {0.433953f, 0.376219f, 0.189828f}, kY[] = {0.212671f, 0.715160f, 0.072169f},
                    kZ[] = {0.017758f, 0.109477f, 0.872766f};
    constexpr float kToShare = 1.f / 16777215;
    const std::uint16_t* const c = &colours(x, y);
    const float red = static_cast<float>(light[c[0]]) * kToShare,
                green = static_cast<float>(light[c[1]]) * kToShare,
                blue = static_cast<float>(light[c[2]]) * kToShare;
    const float of_x = lightness_of(red, green, blue, kX), of_y = lightness_of(red, green, blue, kY),
                of_z = lightness_of(red, green, blue, kZ);
    lab(x, y, 0) = rounded_product(1.16f, of_y);
    lab(x, y, 1) = rounded_product(5.f, of_x - of_y);
    lab(x, y, 2) = rounded_product(2.f, of_y - of_z);
  }
};

struct MakeLinks {
  View<const float> lab;
  float *right, *down;
  SCANLENS_HOST_DEVICE float link(int x, int y, int x1, int y1) const {
    float distance = 0;
    for (int c = 0; c < 3; ++c) {
      const float difference = lab(x1, y1, c) - lab(x, y, c);
      distance += rounded_product(difference, difference);
    }
    return kEdge / (distance + kEdge);
  }
  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const std::int64_t i = y * lab.width + x;
    right[i] = x + 1 < lab.width ? link(x, y, x + 1, y) : 0.f;
    down[i] = y + 1 < lab.height ? link(x, y, x, y + 1) : 0.f;
  }
};

}  // namespace

Links make_links(Context& context, View<const std::uint8_t> photo) {
  const std::int64_t width = photo.width, height = photo.height, pixels = width * height;
  Workspace workspace(context);
  const auto colours = [&] {
    return View<std::uint16_t>(workspace.take<std::uint16_t>(3 * pixels), width, height, 3);
  };
  const View<std::uint16_t> wide = colours();
  View<std::uint16_t> guide = colours(), next = colours();
  const View<std::uint16_t> grey(workspace.take<std::uint16_t>(pixels), width, height);
  for_each_pixel(context, width, height, Widen{photo, wide});

  const double sigma = std::max(kLeastSigma, static_cast<double>(width) / kSigmas);
  FilterCall gaussian = {&kGaussian, kGaussian.defaults()};
  kGaussian.params[0].in(gaussian.params) = sigma;
  run_filter<std::uint16_t>(context, gaussian, wide, guide);
  const LineFit fit = {std::min<std::int64_t>(kMostMomentsRadius, static_cast<std::int64_t>(2 * sigma + 0.5)),
                       kDeviation * kDeviation};
  for (int round = 0; round < kRounds; ++round) {
    for_each_pixel(context, width, height, MeanOfColours{guide, grey});
    const View<const std::uint16_t> guiding = grey;
    with_box_moments(context, guiding, fit.radius, [&](const auto& moments) {
      for (int c = 0; c < 3; ++c)
        follow_lines(context, fit, BandTask<std::uint16_t>{wide, 0, next, {}, 0, height}, guiding, c,
                     kColourSteps, [&](const auto& use) {
                       with_cross_moments(context, guiding, moments, View<const std::uint16_t>(wide), c, use);
                     });
    });
    std::swap(guide, next);
  }

  const View<float> lab(workspace.take<float>(3 * pixels), width, height, 3);
  for_each_pixel(context, width, height,
                 ToLab{guide, context.readable(srgb16_to_linear24(), 65536),
                       context.readable(lightness(), kLightnessSteps + 1), lab});
  Links links = {Array<float>(context, pixels, width), Array<float>(context, pixels, width)};
  for (const auto* array : {&links.right, &links.down})
    for_each(context, width, SetZero<float>{array->data() - width});
  for_each_pixel(context, width, height, MakeLinks{lab, links.right.data(), links.down.data()});
  return links;
}

}  // namespace scanlens::strokes
