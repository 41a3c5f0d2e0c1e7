// Colours become grey of the same luminance.
//
// Luminance is the mean of linear light by the weights of sRGB's primaries (Rec. ITU-R BT.709). `amount` is
// the share of it in the result's light. Alpha stays as it is.
#include <cstdint>

#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/parts/light.h"

namespace scanlens {
namespace {

struct GreyParams {
  double amount = 1;
};

template <class T>
struct GreyPixel {
  BandTask<T> task;
  ToneView tones;
  double amount;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const int channels = task.out.channels;
    const T* const in = &task.rows(x, task.first + y);
    T* const out = &task.out(x, y);
    double light[3];
    for (int c = 0; c < 3; ++c) light[c] = light_of_sample(in[c], c, tones);
    const double grey = amount * luminance(light);
    for (int c = 0; c < 3; ++c)
      out[c] = sample_of_light<T>(static_cast<float>((1 - amount) * light[c] + grey), c, tones);
    if (channels == 4) out[3] = in[3];
  }
};

struct Grey {
  using Params = GreyParams;
  static constexpr std::string_view kName = "grey";
  static constexpr std::string_view kHelp = "grey of the same luminance, in linear light";
  static constexpr bool kTakesTones = true;
  static constexpr Param kParams[] = {param<&GreyParams::amount>("amount", "share of the colour that goes", 0,
                                                                 1, Values::any, Measure::share)};

  static std::int64_t reach(const GreyParams&) { return 0; }

  template <class T>
  static void run(Context& context, const GreyParams& params, const BandTask<T>& task,
                  const ToneView& tones) {
    if (task.out.channels == 1) return copy_rows(context, task);
    for_each_pixel(context, task.out.width, task.out.height, GreyPixel<T>{task, tones, params.amount});
  }
};

}  // namespace

extern constinit const Filter kGrey = filter_of<Grey>();

}  // namespace scanlens
