// Light that falls towards the corners.
//
// A pixel keeps 1 - amount t t (3 - 2 t) of its linear light. With the distance from the middle t grows
// evenly from 0 at `clear` to 1 in the corners. An amount below 0 brightens the corners. Alpha stays as it
// is.
#include <cmath>
#include <cstdint>

#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/parts/light.h"

namespace scanlens {
namespace {

struct VignetteParams {
  double amount = 0.5;
  double clear = 0.3;
};

template <class T>
struct VignettePixel {
  VignettePixel(const BandTask<T>& rows, const ToneView& tones, const VignetteParams& params)
      : task(rows),
        tones(tones),
        amount(static_cast<float>(params.amount)),
        clear(static_cast<float>(params.clear)),
        middle_x(static_cast<double>(rows.rows.width) / 2),
        middle_y(static_cast<double>(rows.height) / 2),
        per_corner(static_cast<float>(1 / std::sqrt(middle_x * middle_x + middle_y * middle_y))) {}

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const std::int64_t row = task.first + y;
    const auto dx = static_cast<float>(x + 0.5 - middle_x);
    const auto dy = static_cast<float>(static_cast<double>(task.top + row) + 0.5 - middle_y);
    const float beyond = (sqrtf(dx * dx + dy * dy) * per_corner - clear) / (1 - clear);
    const float t = beyond > 0 ? (beyond < 1 ? beyond : 1.f) : 0.f;
    const float kept = 1 - amount * (t * t * (3 - 2 * t));
    const T* const in = &task.rows(x, row);
    T* const out = &task.out(x, y);
    const int channels = task.out.channels;
    for (int c = 0; c < (channels < 3 ? channels : 3); ++c)
      out[c] = sample_of_light<T>(static_cast<float>(light_of_sample(in[c], c, tones)) * kept, c, tones);
    if (channels == 4) out[3] = in[3];
  }

  BandTask<T> task;
  ToneView tones;
  float amount, clear;
  double middle_x, middle_y;
  float per_corner;
};

struct Vignette {
  using Params = VignetteParams;
  static constexpr std::string_view kName = "vignette";
  static constexpr std::string_view kHelp = "light that falls towards the corners";
  static constexpr bool kTakesTones = true;
  static constexpr Param kParams[] = {
      param<&VignetteParams::amount>("amount", "share of the light that the corners lose; below 0 they gain",
                                     -1, 1, Values::any, Measure::share),
      param<&VignetteParams::clear>("clear", "share of the way to the corners that stays as it is", 0, 0.95,
                                    Values::any, Measure::share)};

  static std::int64_t reach(const VignetteParams&) { return 0; }

  template <class T>
  static void run(Context& context, const VignetteParams& params, const BandTask<T>& task,
                  const ToneView& tones) {
    for_each_pixel(context, task.out.width, task.out.height, VignettePixel<T>(task, tones, params));
  }
};

}  // namespace

extern constinit const Filter kVignette = filter_of<Vignette>();

}  // namespace scanlens
