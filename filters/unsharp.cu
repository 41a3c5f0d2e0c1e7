// Unsharp masking: what distinguishes a sample from the mean around it is amplified.
//
// out = in + amount * (in - mean), where the mean is over the box of kBox, in sample values as they are (sRGB
// codes, as most programs do it, so that dark and bright halos look alike). With alpha, the mean of colours
// is weighed by it, so that colours which cannot be seen do not show at borders; alpha stays as it is, and so
// do pixels without any. Integers are rounded to nearest (halves up) and clipped; floats are not clipped.
//
// The mean is float(sum) / float(weight) of exact sums; of 8 bits without alpha it is one down columns and
// one along rows (filters/blur), rounded to 16 bits each time, which is faster. Every step of the formula is
// a float rounded by itself, so integers are the same on every backend. Before rounding they are off by less
// than 0.2 for 16 bits, and for 8 by less than 0.001, or without alpha 0.004 times `amount` more. For floats,
// the mean colour of nearly transparent pixels is as exact as sums of doubles.
#include <cstdint>

#include "filters/blur/blur.h"
#include "filters/parts/box_sums.h"
#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/parts/sample.h"

namespace scanlens {
namespace {

struct UnsharpParams {
  double amount = 1;
  double radius = 2;
};

template <class T, class Sum>
struct Sharpen {
  BoxSums<Sum> sums;
  float amount;
  BandTask<T> task;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const int channels = task.out.channels, colours = channels < 3 ? channels : 3;
    const int row = static_cast<int>(task.first) + y;
    const T* const in = &task.rows(x, row);
    T* const out = &task.out(x, y);
    const bool visible = channels < 4 || in[3] > 0;
    const Box box = sums.around(x, row);
    const float weight = sums.weight(box);
    for (int c = 0; c < colours; ++c) {
      const float mean = static_cast<float>(sums.sum(box, c)) / weight;
      out[c] = visible ? sharpened(in[c], mean, amount) : in[c];
    }
    if (channels == 4) out[3] = in[3];
  }
};

struct Unsharp {
  using Params = UnsharpParams;
  static constexpr std::string_view kName = "unsharp";
  static constexpr std::string_view kHelp =
      "sharper edges: adds a sample's difference from the mean around it";
  static constexpr Param kParams[] = {
      param<&UnsharpParams::amount>("amount", "share of the difference that is added", 0, 10),
      param<&UnsharpParams::radius>("radius", "pixels from the middle of the mean's square to its edge", 0,
                                    kMostBoxRadius, Values::whole, Measure::pixels_or_percent)};

  static std::int64_t reach(const UnsharpParams& params) { return static_cast<std::int64_t>(params.radius); }

  static bool goes_by_lines(const UnsharpParams& params, const RowFormat& rows) {
    return rows.sample_bytes == 1 && rows.channels != 4 && reach(params) <= kMostLineRadius;
  }

  template <class T>
  static void run(Context& context, const UnsharpParams& params, const BandTask<T>& task) {
    const View<const T>& rows = task.rows;
    const RowFormat format{rows.width, rows.height, rows.channels, sizeof(T)};
    if (goes_by_lines(params, format))
      return blur(context, square_boxes(reach(params), rows.width, rows.height),
                  Finish{Finish::To::sharp, static_cast<float>(params.amount)}, task);
    with_box_sums(context, task.rows, reach(params), [&]<class Sum>(const BoxSums<Sum>& sums) {
      for_each_pixel(context, task.out.width, task.out.height,
                     Sharpen<T, Sum>{sums, static_cast<float>(params.amount), task});
    });
  }
};

}  // namespace

extern constinit const Filter kUnsharp = filter_of<Unsharp>();

}  // namespace scanlens
