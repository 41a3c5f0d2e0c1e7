// Tones of a picture in linear light, by the picture's tone curves, one step after the other:
//
// 1. Temperature: each colour is scaled as if light of this temperature were white. 6504 K (D65) changes
//    nothing, more makes a picture warmer. Light's colour is that of a black body (Kim et al., US patent
//    7024034, 2002: chromaticity by temperature), and the luma of grey stays.
// 2. Exposure: light times 2 to the power of stops.
// 3. Contrast: light = 0.18 * (light / 0.18)^contrast, so that middle grey stays, and a stop becomes
//    `contrast` of them. Light below 0 stays.
// 4. Saturation: luma + saturation * (light - luma), by the weights of Rec. 709; 0 makes a picture grey.
//
// Grey pictures take exposure and contrast alone. Alpha stays. Integers are rounded to the nearest code
// and clipped, floats are not clipped. For integers the first three steps are a table, made in double, and
// the last is made of floats rounded one by one: the same bits on every backend.
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/parts/light.h"
#include "filters/parts/sample.h"

namespace scanlens {
namespace {

constexpr double kMiddle = 0.18, kWhitePoint = 6504;

struct TonesParams {
  double exposure = 0;
  double contrast = 1;
  double saturation = 1;
  double temperature = kWhitePoint;
};

/// The colour of a black body's light in linear sRGB, of any brightness.
void light_of_temperature(double kelvin, double (&light)[3]) {
  const double k = 1e3 / kelvin, k2 = k * k, k3 = k2 * k;
  const double x = kelvin <= 4000 ? -0.2661239 * k3 - 0.2343589 * k2 + 0.8776956 * k + 0.179910
                                  : -3.0258469 * k3 + 2.1070379 * k2 + 0.2226347 * k + 0.240390;
  const double x2 = x * x, x3 = x2 * x;
  const double y = kelvin <= 2222   ? -1.1063814 * x3 - 1.34811020 * x2 + 2.18555832 * x - 0.20219683
                   : kelvin <= 4000 ? -0.9549476 * x3 - 1.37418593 * x2 + 2.09137015 * x - 0.16748867
                                    : 3.0817580 * x3 - 5.87338670 * x2 + 3.75112997 * x - 0.37001483;
  const double X = x / y, Z = (1 - x - y) / y;
  light[0] = 3.2404542 * X - 1.5371385 - 0.4985314 * Z;
  light[1] = -0.9692660 * X + 1.8760108 + 0.0415560 * Z;
  light[2] = 0.0556434 * X - 0.2040259 + 1.0572252 * Z;
}

/// The first three steps, of one colour.
struct Scaled {
  double gain = 1, contrast = 1;

  template <class Light>
  SCANLENS_HOST_DEVICE Light operator()(Light light) const {
    const Light scaled = light * static_cast<Light>(gain);
    if (contrast == 1 || !(scaled > 0)) return scaled;
    const auto middle = static_cast<Light>(kMiddle);
    return middle * std::pow(scaled / middle, static_cast<Light>(contrast));
  }
};

/// The first three steps of each colour; grey pictures have no temperature.
struct ColourSteps {
  Scaled colours[3];

  ColourSteps(const TonesParams& params, int channels) {
    double gains[3] = {1, 1, 1};
    if (channels > 1 && params.temperature != kWhitePoint) {
      double white[3], own[3];
      light_of_temperature(kWhitePoint, white);
      light_of_temperature(params.temperature, own);
      for (int c = 0; c < 3; ++c) gains[c] = white[c] / own[c];
      const double luma = luminance(gains);
      for (double& gain : gains) gain /= luma;
    }
    for (int c = 0; c < 3; ++c) colours[c] = {std::exp2(params.exposure) * gains[c], params.contrast};
  }
};

template <class T>
struct TonePixel {
  BandTask<T> task;
  ToneView tones;
  ColourSteps steps;
  float saturation;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const T* const in = &task.rows(x, task.first + y);
    T* const out = &task.out(x, y);
    const int channels = task.out.channels;
    if (channels == 1) {
      out[0] = sample_of_light<T>(light(in[0], 0), 0, tones);
      return;
    }
    const float red = light(in[0], 0), green = light(in[1], 1), blue = light(in[2], 2);
    const float luma = 0.2126f * red + 0.7152f * green + 0.0722f * blue;
    const auto saturated = [&](float colour) {
      return saturation == 1 ? colour : luma + saturation * (colour - luma);
    };
    out[0] = sample_of_light<T>(saturated(red), 0, tones);
    out[1] = sample_of_light<T>(saturated(green), 1, tones);
    out[2] = sample_of_light<T>(saturated(blue), 2, tones);
    if (channels == 4) out[3] = in[3];
  }

 private:
  /// The table of integers holds their first three steps.
  SCANLENS_HOST_DEVICE float light(T sample, int c) const {
    const auto plain = static_cast<float>(light_of_sample(sample, c, tones));
    if constexpr (std::is_floating_point_v<T>) return steps.colours[c](plain);
    return plain;
  }
};

struct TonesFilter {
  using Params = TonesParams;
  static constexpr std::string_view kName = "tones";
  static constexpr std::string_view kHelp = "exposure, contrast, saturation and temperature, in linear light";
  static constexpr bool kTakesTones = true;
  static constexpr Param kParams[] = {
      param<&TonesParams::exposure>("exposure", "stops: 1 doubles light, -1 halves it", -20, 20),
      param<&TonesParams::contrast>("contrast", "stops that one becomes, around middle grey", 0, 10),
      param<&TonesParams::saturation>("saturation", "share of colour: 0 is grey, 1 leaves it", 0, 10),
      param<&TonesParams::temperature>(
          "temperature", "kelvins of the light that becomes white; more is warmer", 2000, 25000)};

  static std::int64_t reach(const TonesParams&) { return 0; }

  /// Returns the tables with the light of the first three steps.
  static Tones toned(const TonesParams& params, const Tones& tones, int channels) {
    Tones made{3, tones.codes, tones.buckets, {}, {}, {}};
    const ColourSteps steps(params, channels);
    for (int c = 0; c < 3; ++c) {
      const auto append = [&](auto& to, const auto& from) {
        const std::size_t count = from.size() / static_cast<std::size_t>(tones.colours);
        const auto begin = from.begin() + (tones.colours == 1 ? 0 : static_cast<std::ptrdiff_t>(count) * c);
        to.insert(to.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
      };
      append(made.light, tones.light);
      append(made.above, tones.above);
      append(made.first, tones.first);
      for (auto light = made.light.end() - tones.codes; light != made.light.end(); ++light)
        *light = steps.colours[c](*light);
    }
    return made;
  }

  template <class T>
  static void run(Context& context, const TonesParams& params, const BandTask<T>& task,
                  const ToneView& tones) {
    for_each_pixel(context, task.out.width, task.out.height,
                   TonePixel<T>{task, tones, ColourSteps(params, task.out.channels),
                                static_cast<float>(params.saturation)});
  }
};

}  // namespace

extern constinit const Filter kTones = filter_of<TonesFilter>();

}  // namespace scanlens
