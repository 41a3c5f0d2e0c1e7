// Noise removed by Wiener's filter with local moments: Lee, "Digital image enhancement and noise filtering by
// use of local statistics", IEEE Trans. PAMI 2(2), 1980; as MATLAB's wiener2 and scipy.signal.wiener have it.
//
// With m and v, mean and variance over the box around a sample, and n the square of the noise's deviation,
//
//     out = m + max(v - n, 0) / max(v, n) * (in - m):
//
// where nothing varies more than the noise does, the mean; where much does (edges, texture), the sample
// itself. Each colour by itself, in sample values as they are. Those who do not know the noise measure it:
// the standard deviation within an area that should be flat.
//
// Moments are weighed by alpha; alpha stays as it is, and so do pixels without any.
#include <cstdint>

#include "filters/parts/box_moments.h"
#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_box.h"
#include "filters/parts/sample.h"

namespace scanlens {
namespace {

struct DenoiseParams {
  double radius = 2;
  double noise = 0.03;
};

template <class T>
SCANLENS_HOST_DEVICE T wiener(T in, const LocalMoments& around, float noise) {
  // Neither is divided by 0 where nothing varies and no noise is expected.
  const float gain = around.variance > noise ? (around.variance - noise) / around.variance : 0.f;
  return clipped_sample<T>(around.mean + gain * (static_cast<float>(in) - around.mean));
}

/// All channels; no channel is alpha.
template <class T>
struct DenoiseAll {
  float noise;
  BandTask<T> task;

  template <class Around>
  SCANLENS_HOST_DEVICE void operator()(int x, int y, const Around& around) const {
    const T* const in = &task.rows(x, task.first + y);
    T* const out = &task.out(x, y);
    for (int c = 0; c < task.out.channels; ++c) out[c] = wiener(in[c], around(c), noise);
  }
};

/// Channel c of four.
template <class T>
struct DenoiseVisible {
  int c;
  float noise;
  BandTask<T> task;

  template <class Around>
  SCANLENS_HOST_DEVICE void operator()(int x, int y, const Around& around) const {
    const T* const in = &task.rows(x, task.first + y);
    T* const out = &task.out(x, y);
    out[c] = in[3] > 0 ? wiener(in[c], around(), noise) : in[c];
    out[3] = in[3];
  }
};

struct Denoise {
  using Params = DenoiseParams;
  static constexpr std::string_view kName = "denoise";
  static constexpr std::string_view kHelp =
      "less noise: the mean of the box where it varies no more than noise, edges kept (Wiener)";
  static constexpr Param kParams[] = {
      param<&DenoiseParams::radius>("radius", "pixels from the middle of the box to its edge", 1,
                                    kMostMomentsRadius, Values::whole, Measure::pixels_or_percent),
      param<&DenoiseParams::noise>("noise", "standard deviation of the noise, in shares of white", 0, 1,
                                   Values::any, Measure::share)};

  static std::int64_t reach(const Params& params) { return static_cast<std::int64_t>(params.radius); }

  template <class T>
  static void run(Context& context, const Params& params, const BandTask<T>& task) {
    const auto deviation = static_cast<float>(params.noise * kWhite<T>);
    const float noise = deviation * deviation;
    if (task.rows.channels < 4)
      return with_box_moments(context, task.rows, reach(params), [&](const auto& moments) {
        for_each_box(context, moments, task.out, task.first, DenoiseAll<T>{noise, task});
      });
    for (int c = 0; c < 3; ++c)  // in place too: a channel's moments are known before it is overwritten
      with_weighed_moments(context, task.rows, ChannelOf<T>{c}, reach(params), [&](const auto& moments) {
        for_each_box(context, moments, task.out, task.first, DenoiseVisible<T>{c, noise, task});
      });
  }
};

}  // namespace

extern constinit const Filter kDenoise = filter_of<Denoise>();

}  // namespace scanlens
