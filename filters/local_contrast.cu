// Local contrast by Wallis' filter: "An approach to the space variant restoration and enhancement of images",
// Symposium on Current Mathematical Problems in Image Science, 1976.
//
// With m and s, mean and deviation of luma over the box around a pixel, luma becomes
//
//     m + brightness * (grey - m) + gain * (luma - m),    gain = limit * deviation / (limit * s + deviation),
//
// so that deviations come near the wanted one. In flat areas (sky, noise) no difference is amplified more
// than `limit` times. `grey` is half of the codes, or what light that is. Unlike the tiles of CLAHE, which it
// serves for, it has no seams and no histogram.
//
// Luma is of sample values as they are. All colours of a pixel are scaled alike, up to `limit` times, so hues
// stay. The rest of the luma is added as grey, so that the noise of dark pixels does not become colour. Where
// a colour would leave the range of integers, all are scaled to fit it. Moments are weighed by alpha; alpha
// stays as it is, and so do pixels without any.
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "filters/parts/box_moments.h"
#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_box.h"
#include "filters/parts/sample.h"

namespace scanlens {
namespace {

struct LocalContrastParams {
  double radius = 40;
  double deviation = 0.25;
  double limit = 3;
  double brightness = 0;
};

/// Colours of `luma` scaled until they have `wanted`.
template <class T>
SCANLENS_HOST_DEVICE void scale_colours(const T* in, int colours, float luma, float wanted, float limit,
                                        T* out) {
  float factor = 1;
  if (luma > 0) {
    wanted = wanted > 0 ? wanted : 0.f;
    factor = wanted < limit * luma ? wanted / luma : limit;
  }
  const float grey = wanted - luma * factor;
  float scaled[3] = {}, most = 0;
  for (int c = 0; c < colours; ++c) {
    scaled[c] = static_cast<float>(in[c]) * factor + grey;
    most = scaled[c] > most ? scaled[c] : most;
  }
  const bool fits = std::is_floating_point_v<T> || most <= kWhite<T>;
  const float shrunk = fits ? 1.f : kWhite<T> / most;
  for (int c = 0; c < colours; ++c) out[c] = clipped_sample<T>(scaled[c] * shrunk);
}

template <class T>
struct Wallis {
  float deviation, limit, brightness, grey;  ///< the first and the last in units of luma
  float luma_to_samples;
  BandTask<T> task;

  template <class Around>
  SCANLENS_HOST_DEVICE void operator()(int x, int y, const Around& around) const {
    const int channels = task.out.channels, colours = channels < 3 ? channels : 3;
    const int row = static_cast<int>(task.first) + y;
    const T* const in = &task.rows(x, row);
    T* const out = &task.out(x, y);
    if (channels == 4 && !(in[3] > 0)) {
      for (int c = 0; c < 4; ++c) out[c] = in[c];
      return;
    }
    const float luma = Luma<T>::of(in, channels);
    const LocalMoments here = around();
    const float gain = limit * deviation / (limit * sqrtf(here.variance) + deviation);
    const float mean = here.mean + brightness * (grey - here.mean);
    const float wanted = mean + gain * (luma - here.mean);
    scale_colours(in, colours, luma * luma_to_samples, wanted * luma_to_samples, limit, out);
    if (channels == 4) out[3] = in[3];
  }
};

struct LocalContrast {
  using Params = LocalContrastParams;
  static constexpr std::string_view kName = "local_contrast";
  static constexpr std::string_view kHelp =
      "more contrast where there is little, less where there is much (Wallis); colours keep their hue";
  static constexpr Param kParams[] = {
      param<&LocalContrastParams::radius>("radius", "pixels from the middle of the box to its edge", 1,
                                          kMostMomentsRadius, Values::whole, Measure::pixels_or_percent),
      param<&LocalContrastParams::deviation>("deviation",
                                             "wanted standard deviation of luma in boxes, in shares of white",
                                             0.001, 1, Values::any, Measure::share),
      param<&LocalContrastParams::limit>("limit", "the most that a difference is amplified", 1, 20),
      param<&LocalContrastParams::brightness>(
          "brightness", "share by which the boxes' mean is moved to middle grey: 0 not at all, 1 wholly", 0,
          1, Values::any, Measure::share)};

  static std::int64_t reach(const Params& params) { return static_cast<std::int64_t>(params.radius); }

  template <class T>
  static void run(Context& context, const Params& params, const BandTask<T>& task) {
    constexpr double kMiddleGrey = std::is_floating_point_v<T> ? 0.214 : 0.5;
    const float white = Luma<T>::white(task.rows.channels);
    const Wallis<T> wallis{static_cast<float>(params.deviation * white),
                           static_cast<float>(params.limit),
                           static_cast<float>(params.brightness),
                           static_cast<float>(kMiddleGrey * white),
                           kWhite<T> / white,
                           task};
    with_luma_moments(context, task.rows, reach(params), [&](const auto& moments) {
      for_each_box(context, moments, task.out, task.first, wallis);
    });
  }
};

}  // namespace

extern constinit const Filter kLocalContrast = filter_of<LocalContrast>();

}  // namespace scanlens
