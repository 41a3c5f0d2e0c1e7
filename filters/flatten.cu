// Flattening: a sample is divided by the mean of the large box around it, which takes away uneven light on
// scans, documents and slides of a microscope (shading correction, pseudo flat field).
//
// out = in * target * white / mean, in sample values as they are and for every channel by itself, so that the
// colour of uneven light goes, too. With alpha, the mean of colours is weighed by it; alpha stays as it is.
// Where the mean is nothing, samples do. Integers are rounded to nearest and clipped; white is 1 for floats,
// which are not clipped.
//
// The mean is one down columns and one along rows, rounded to 16 bits each time, and every other step is a
// float rounded by itself: integers are the same on every backend. What is rounded changes 8 bits by 0.004 of
// the result over the mean before they are rounded to samples themselves, and 16 bits by 1.01 of the same.
#include "filters/blur/blur.h"
#include "filters/parts/filter_of.h"

namespace scanlens {
namespace {

struct FlattenParams {
  double radius = 64;
  double target = 0.9;
};

struct Flatten {
  using Params = FlattenParams;
  static constexpr std::string_view kName = "flatten";
  static constexpr std::string_view kHelp =
      "even light: divides by the mean around a sample (sRGB codes), for scans, documents, microscopy";
  static constexpr Param kParams[] = {
      param<&FlattenParams::radius>("radius", "pixels from the middle of the mean's square to its edge", 1,
                                    10000, Values::whole, Measure::pixels_or_percent),
      param<&FlattenParams::target>("target", "share of white that the mean becomes", 0.01, 1, Values::any,
                                    Measure::share)};
  static_assert(kParams[0].most <= kMostLineRadius);

  static std::int64_t reach(const FlattenParams& params) { return static_cast<std::int64_t>(params.radius); }

  static std::int64_t scratch_bytes(const FlattenParams& params, const RowFormat& rows) {
    return blur_bytes(square_boxes(reach(params), rows.width, rows.height), rows);
  }

  template <class T>
  static void run(Context& context, const FlattenParams& params, const BandTask<T>& task) {
    blur(context, square_boxes(reach(params), task.rows.width, task.rows.height),
         Finish{Finish::To::flat, static_cast<float>(params.target)}, task);
  }
};

}  // namespace

extern constinit const Filter kFlatten = filter_of<Flatten>();

}  // namespace scanlens
