// Flattening: a sample is divided by the mean of the large box around it. That removes uneven light from
// scans, documents and slides of a microscope (shading correction, pseudo flat field).
//
// out = in * target * white / mean, in sample values as they are. Every channel is divided by its own mean,
// so that the colour of uneven light goes, too. With alpha, the mean of colours is weighed by it; alpha stays
// as it is. Where the mean is 0, samples become 0. Integers are rounded to nearest and clipped; white is 1
// for floats, which are not clipped.
//
// Sums are exact, and every other step is a float rounded by itself: integers are the same on every backend.
// Before the last rounding the result is off by 2^-20 of itself.
#include "filters/means/means.h"
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

  static std::int64_t reach(const FlattenParams& params) { return static_cast<std::int64_t>(params.radius); }

  template <class T>
  static void run(Context& context, const FlattenParams& params, const BandTask<T>& task) {
    box_means(context, reach(params), Finish{Finish::To::flat, static_cast<float>(params.target)}, task);
  }
};

}  // namespace

extern constinit const Filter kFlatten = filter_of<Flatten>();

}  // namespace scanlens
