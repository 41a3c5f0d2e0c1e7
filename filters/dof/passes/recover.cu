#include <algorithm>
#include <array>
#include <cmath>

#include "filters/dof/passes.h"
#include "filters/parts/box_sums.h"
#include "filters/parts/for_each_pixel.h"

namespace scanlens {
namespace {

constexpr float kClipped = 0.9f, kAlmost = 0.8f, kRim = 0.25f;
constexpr int kReach = 8, kWideReach = 16;  // a lamp's window, and that of what stands around it
constexpr std::uint32_t kOfRim = 4096;  // one word counts both: clipped pixels, and those of a rim or more
constexpr int kGains = 256;
constexpr float kGainSteps = 16;

/// Light of a sample, white being 1.
template <class T>
SCANLENS_HOST_DEVICE float light_at(T sample, const LightScale& scale) {
  if constexpr (std::is_floating_point_v<T>)
    return clipped_light(sample, scale.most);
  else
    return light_of_entry(scale.decode[sample], 1 / (sizeof(T) == 1 ? kWhite16 : kWhite24), 1);
}

template <class T>
SCANLENS_HOST_DEVICE float brightest_at(const T* pixel, int channels, const LightScale& scale) {
  float brightest = 0;
  for (int c = 0; c < (channels < 3 ? 1 : 3); ++c) {
    const float light = light_at(pixel[c], scale);
    brightest = light > brightest ? light : brightest;
  }
  return brightest;
}

/// Counts a pixel, and writes the colour of a rim's.
template <class T>
struct Mark {
  View<const T> image;
  LightScale scale;
  View<std::uint16_t> counted;
  View<std::uint8_t> rims;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const T* const pixel = &image(x, y);
    const float light = brightest_at(pixel, image.channels, scale);
    counted(x, y) = static_cast<std::uint16_t>(light >= kClipped ? kOfRim + 1 : light >= kRim ? kOfRim : 0);
    const bool is_rim = light >= kRim && light < kClipped;
    for (int c = 0; c < rims.channels; ++c)
      rims(x, y, c) = static_cast<std::uint8_t>(is_rim ? light_at(pixel[c], scale) * 255 + 0.5f : 0);
  }
};

SCANLENS_HOST_DEVICE float share_within(float value, float from, float to) {
  const float share = (value - from) / (to - from);
  return share < 0 ? 0.f : share > 1 ? 1.f : share;
}

/// Writes a pixel's light.
template <class T>
struct Recover {
  View<const T> image;
  View<const float> known;
  LightScale scale;
  float share;
  const float* gains;
  BoxSums<std::uint32_t> counted, rims;
  View<float> light;

  /// The light by which a lamp exceeds white, by its white.
  SCANLENS_HOST_DEVICE float guessed(int x, int y) const {
    constexpr float kHalf = 144, kThreeQuarters = 217;  // of the window's pixels
    const std::uint32_t here = counted.sum(counted.around(x, y, kReach), 0),
                        around = counted.sum(counted.around(x, y, kWideReach), 0);
    const auto white = static_cast<float>(here % kOfRim), all = static_cast<float>(here / kOfRim);
    if (white == 0) return 0;
    const float outside = static_cast<float>(around % kOfRim) - white;
    const float by_rim = white / (all > white ? all - white : 1.f), step = kGainSteps * by_rim;
    // Skies and paper go on outside of the window, or fill it. Signs have less rim than any bell.
    const float spot = share_within(white, kThreeQuarters, kHalf) * share_within(outside / white, 1, 0.5f) *
                       share_within(by_rim, 8, 4);
    return spot * (gains[step < kGains - 1 ? static_cast<int>(step) : kGains - 1] - 1);
  }

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const T* const pixel = &image(x, y);
    float* const to = &light(x, y);
    const int colors = image.channels < 3 ? 1 : 3;
    const float white = brightest_at(pixel, image.channels, scale);
    const float clipped = share * share_within(white, kAlmost, kClipped);
    const float beyond = clipped > 0 && !known.data ? clipped * guessed(x, y) * white : 0.f;
    float most = 0, ratio[3] = {1, 1, 1};
    if (beyond > 0 && colors == 3) {
      for (int c = 0; c < 3; ++c) ratio[c] = static_cast<float>(rims.sum(rims.around(x, y, kReach), c));
      most = ratio[0] > ratio[1] ? ratio[0] : ratio[1];
      most = ratio[2] > most ? ratio[2] : most;
    }
    const float gain = scale.highlights.boost > 0 ? highlight_gain(white * kOneLight, scale.highlights) : 1.f;
    for (int c = 0; c < colors; ++c) {
      const float own = light_at(pixel[c], scale);
      float more = most > 0 ? beyond * (ratio[c] / most) : beyond;
      if (known.data) {
        const float there = clipped_light(known(x, y, known.channels < 3 ? 0 : c), kMostRecovered);
        more = there > own ? clipped * (there - own) : 0.f;
      }
      to[c] = (own + more) * gain;
    }
    if (image.channels == 4) to[3] = alpha_share(pixel[3]);
  }
};

template <class T>
struct Show {
  View<const float> before, after;
  View<const T> image;
  LightScale scale;
  View<T> out;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    for (int c = 0; c < image.channels; ++c) {
      const float light = after(x, y, c);
      if (light == before(x, y, c))
        out(x, y, c) = image(x, y, c);
      else
        out(x, y, c) = c == 3 ? sample_of_alpha<T>(light) : sample_of_light<T>(light, scale);
    }
  }
};

/// By how much a bell's light exceeds white, over the pixels where it does; by the white's pixels over those
/// of its rim, in sixteenths. The peak P of a bell follows from the areas above two heights.
const float* gains_of_bells() {
  static const std::array<float, kGains> gains = [] {
    std::array<float, kGains> table;
    for (int i = 0; i < kGains; ++i) {
      const double peak = kClipped * std::pow(kClipped / kRim, i / kGainSteps);
      const double mean = i > 0 ? (peak - kClipped) / std::log(peak / kClipped) : 1;
      table.at(i) = static_cast<float>(std::clamp<double>(mean, 1, kMostRecovered));
    }
    return table;
  }();
  return gains.data();
}

}  // namespace

template <class T>
void recover_light(Context& context, View<const T> image, View<const float> known, const LightScale& scale,
                   const DofStyle& style, View<float> light) {
  const std::int64_t width = image.width, height = image.height;
  const int colors = image.channels < 3 ? 1 : 3;
  Recover<T> recover{image, known, scale, style.recover, context.readable(gains_of_bells(), kGains),
                     {},    {},    light};
  if (known.data) return for_each_pixel(context, width, height, recover);
  Workspace workspace(context);
  const View<std::uint16_t> counted(workspace.take<std::uint16_t>(width * height), width, height);
  const View<std::uint8_t> rims(workspace.take<std::uint8_t>(width * height * colors), width, height, colors);
  for_each_pixel(context, width, height, Mark<T>{image, scale, counted, rims});
  const View<std::uint32_t> counts(workspace.take<std::uint32_t>(width * height), width, height);
  const View<std::uint32_t> sums(workspace.take<std::uint32_t>(width * height * colors), width, height,
                                 colors);
  summed_area_table(context, View<const std::uint16_t>(counted), counts, {});
  summed_area_table(context, View<const std::uint8_t>(rims), sums, {});
  recover.counted = {counts, kWideReach};
  recover.rims = {sums, kReach};
  for_each_pixel(context, width, height, recover);
}

template <class T>
void show_recovered(Context& context, View<const float> before, View<const float> after, View<const T> image,
                    const LightScale& scale, View<T> out) {
  for_each_pixel(context, out.width, out.height, Show<T>{before, after, image, scale, out});
}

#define SCANLENS_INSTANTIATE(T)                                                               \
  template void recover_light(Context&, View<const T>, View<const float>, const LightScale&,  \
                              const DofStyle&, View<float>);                                  \
  template void show_recovered(Context&, View<const float>, View<const float>, View<const T>, \
                               const LightScale&, View<T>);
SCANLENS_INSTANTIATE(std::uint8_t)
SCANLENS_INSTANTIATE(std::uint16_t)
SCANLENS_INSTANTIATE(float)
#undef SCANLENS_INSTANTIATE

}  // namespace scanlens
