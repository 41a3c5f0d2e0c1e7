// Fog: light fades with distance, and the fog's own takes its place (Bouguer and Lambert's law; Koschmieder,
// "Theorie der horizontalen Sichtweite", 1924).
//
// out = t * in + (1 - t) * colour, where t = exp(-density * distance), in linear light by the picture's tone
// curves. Distance is in metres where depth has a unit, and density per metre: at ln(20) / density, 3 /
// density, a black thing has 95 % of the fog's light. Without a unit distance is 1 - nearness, from 0 to 1.
// Things that are infinitely far have the fog's colour. Alpha stays.
//
// The exponential is made of double sums and products alone, each rounded by itself: within 2^-50 of it, and
// the same bits on the CPU and CUDA.
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "filters/color.h"
#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/parts/light.h"
#include "filters/parts/sample.h"

namespace scanlens {
namespace {

struct FogParams {
  double density = 0.5;
  double colour = 0xc8d2dc;
};

/// exp(-x); 1 for NaN, as 0 * infinity is.
SCANLENS_HOST_DEVICE inline double fading(double x) {
  if (!(x > 0)) return 1;
  if (x > 700) return 0;
  // exp(-x) = 2^-steps * exp(rest), where the rest is within half of ln(2); its series ends below 2^-53.
  const auto steps = static_cast<std::int64_t>(x * 1.4426950408889634 + 0.5);
  const auto count = static_cast<double>(steps);
  const double rest = (count * 0.693147180369123816490 - x) + count * 1.90821492927058770002e-10;
  double sum = 1;
  for (int term = 14; term > 0; --term) sum = 1 + sum * rest / term;
  double power = 1, half = 0.5;
  for (std::int64_t left = steps; left > 0; left >>= 1, half *= half)
    if (left & 1) power *= half;
  return sum * power;
}

template <class T>
struct Fade {
  BandTask<T> task;
  ToneView tones;
  double density;
  float colour[3];

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const std::int64_t row = task.first + y;
    const T* const in = &task.rows(x, row);
    T* const out = &task.out(x, y);
    const float disparity = task.map(x, row);
    const double distance =
        task.metric ? 1 / static_cast<double>(disparity) : 1 - static_cast<double>(disparity);
    const auto share = static_cast<float>(fading(density * distance));
    const int channels = task.out.channels, colours = channels < 3 ? channels : 3;
    for (int c = 0; c < colours; ++c) {
      const auto light = static_cast<float>(light_of_sample(in[c], c, tones));
      out[c] = sample_of_light<T>(share * light + (1 - share) * colour[c], c, tones);
    }
    if (channels == 4) out[3] = in[3];
  }
};

struct Fog {
  using Params = FogParams;
  static constexpr std::string_view kName = "fog";
  static constexpr std::string_view kHelp =
      "fog by depth, in linear light: exp(-density x distance) of a pixel's light is left";
  static constexpr MapKind kMap = MapKind::any_depth;
  static constexpr bool kTakesTones = true;
  static constexpr Param kParams[] = {
      param<&FogParams::density>(
          "density", "per metre; where depth has no unit, from the nearest to the farthest", 0, 1000),
      param<&FogParams::colour>("colour", "the fog's own", 0, 0xffffff, Values::whole, Measure::colour)};

  static std::int64_t reach(const FogParams&) { return 0; }

  template <class T>
  static void run(Context& context, const FogParams& params, const BandTask<T>& task, const ToneView& tones) {
    Fade<T> fade{task, tones, params.density, {}};
    double light[3];
    for (int c = 0; c < 3; ++c)
      light[c] = srgb_to_linear_in_double((static_cast<int>(params.colour) >> (16 - 8 * c) & 255) / 255.);
    for (int c = 0; c < 3; ++c)
      fade.colour[c] = static_cast<float>(task.out.channels == 1 ? luminance(light) : light[c]);
    for_each_pixel(context, task.out.width, task.out.height, fade);
  }
};

}  // namespace

extern constinit const Filter kFog = filter_of<Fog>();

}  // namespace scanlens
