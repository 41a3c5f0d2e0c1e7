#include <algorithm>
#include <cmath>
#include <type_traits>

#include "filters/dof/passes.h"
#include "filters/lens.h"
#include "filters/parts/for_each_pixel.h"

namespace scanlens {
namespace {

struct Level {
  View<const float> disparity;
  Blur blur;
  View<float> out;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const auto width = static_cast<int>(disparity.width), height = static_cast<int>(disparity.height);
    out(x, y) = disparity(x, y) - (focus_on_plane(blur, x, y, width, height) - blur.focus);
  }
};

struct Move {
  View<const float> disparity;
  LayeredLens lens, wide;
  float by;
  View<float> out;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const float circle = signed_circle(disparity(x, y), lens);
    const float half = 0.5f * (circle < 0 ? -circle : circle);
    const float moved = circle + (by < -half ? -half : by > half ? half : by);
    const Blur& blur = wide.blur;
    float beyond = 0;
    if (moved > 0) beyond = blur.before + moved / (wide.near * blur.scale);
    if (moved < 0) beyond = moved / (wide.far * blur.scale) - blur.behind;
    out(x, y) = blur.focus + beyond;
  }
};

template <class T>
struct RedAndBlue {
  View<const T> from;
  View<T> out;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    out(x, y, 0) = from(x, y, 0);
    out(x, y, 2) = from(x, y, 2);
  }
};

template <class T>
struct Shift {
  View<const T> from;
  LightScale scale;
  float share;  ///< of the distance from the middle
  View<T> out;

  SCANLENS_HOST_DEVICE float light_at(int x, int y, int c) const {
    if constexpr (std::is_floating_point_v<T>)
      return from(x, y, c);
    else
      return light_of_entry(scale.decode[from(x, y, c)], 1 / (sizeof(T) == 1 ? kWhite16 : kWhite24), 1);
  }

  /// A place in steps of 1/256 pixel, inside of the picture.
  SCANLENS_HOST_DEVICE static int moved(int at, std::int64_t side, float by) {
    const float from_middle = static_cast<float>(at) - 0.5f * static_cast<float>(side - 1);
    const int steps = 256 * at + static_cast<int>(std::floor(from_middle * by * 256 + 0.5f));
    const int last = 256 * static_cast<int>(side - 1);
    return steps < 0 ? 0 : steps > last ? last : steps;
  }

  SCANLENS_HOST_DEVICE T shifted(int x, int y, int c, float by) const {
    constexpr int kSteps = 256;
    const int across = moved(x, from.width, by), down = moved(y, from.height, by);
    const int left = across / kSteps, top = down / kSteps;
    const int right = left + (across % kSteps > 0), bottom = top + (down % kSteps > 0);
    const float of_right = static_cast<float>(across % kSteps) / kSteps,
                of_bottom = static_cast<float>(down % kSteps) / kSteps;
    if (left == right && top == bottom) return from(left, top, c);
    const float above = light_at(left, top, c) * (1 - of_right) + light_at(right, top, c) * of_right;
    const float below = light_at(left, bottom, c) * (1 - of_right) + light_at(right, bottom, c) * of_right;
    return sample_of_light<T>(above * (1 - of_bottom) + below * of_bottom, scale);
  }

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    for (int c = 1; c < out.channels; c += c == 1 ? 2 : 1) out(x, y, c) = from(x, y, c);
    out(x, y, 0) = shifted(x, y, 0, share);
    out(x, y, 2) = shifted(x, y, 2, -share);
  }
};

}  // namespace

void make_level(Context& context, View<const float> disparity, const Blur& blur, View<float> out) {
  for_each_pixel(context, out.width, out.height, Level{disparity, blur, out});
}

Blur widened(const Blur& blur, const DofStyle& style, float by) {
  constexpr float kLeastFactor = 0.25f;
  const LayeredLens lens = lens_of(blur, style);
  const float factor =
      std::max(lens.near > 0 && lens.far > 0 ? std::min(lens.near, lens.far) : std::max(lens.near, lens.far),
               kLeastFactor);
  Blur wide = blur;
  wide.most = std::min(blur.most + std::abs(by) / factor, kMostRadius);
  return wide;
}

void move_circles(Context& context, View<const float> disparity, const Blur& blur, const Blur& wide,
                  const DofStyle& style, float by, View<float> out) {
  for_each_pixel(context, out.width, out.height,
                 Move{disparity, lens_of(blur, style), lens_of(wide, style), by, out});
}

template <class T>
void take_red_and_blue(Context& context, View<const T> from, View<T> out) {
  for_each_pixel(context, out.width, out.height, RedAndBlue<T>{from, out});
}

template <class T>
void shift_colors(Context& context, View<const T> from, const LightScale& scale, float pixels, View<T> out) {
  const double half_diagonal =
      std::hypot(static_cast<double>(out.width), static_cast<double>(out.height)) / 2;
  for_each_pixel(context, out.width, out.height,
                 Shift<T>{from, scale, static_cast<float>(pixels / half_diagonal), out});
}

#define SCANLENS_INSTANTIATE(T)                                      \
  template void take_red_and_blue(Context&, View<const T>, View<T>); \
  template void shift_colors(Context&, View<const T>, const LightScale&, float, View<T>);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(float)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
