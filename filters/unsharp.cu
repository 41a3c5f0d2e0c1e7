// Unsharp masking: what distinguishes a sample from the mean around it is amplified.
//
// out = in + amount * (in - mean), where the mean is over the box of kBox, in sample values as they are (sRGB
// codes, as most programs do it, so that dark and bright halos look alike). With alpha, the mean of colours
// is weighed by it, so that colours which cannot be seen do not show at borders; alpha stays as it is, and so
// do pixels without any. Integers are rounded to nearest (halves up) and clipped; floats are not clipped.
//
// The mean is float(sum) / float(weight) of exact sums. Every step of the formula is a float rounded by
// itself, so integers are the same on every backend. Before rounding they are off by less than 0.2 for 16
// bits, and for 8 by less than 0.001. For floats, the mean colour of nearly transparent pixels is as exact as
// sums of doubles.
#include "filters/means/means.h"
#include "filters/parts/filter_of.h"

namespace scanlens {
namespace {

struct UnsharpParams {
  double amount = 1;
  double radius = 2;
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

  template <class T>
  static void run(Context& context, const UnsharpParams& params, const BandTask<T>& task) {
    box_means(context, reach(params), Finish{Finish::To::sharp, static_cast<float>(params.amount)}, task);
  }
};

}  // namespace

extern constinit const Filter kUnsharp = filter_of<Unsharp>();

}  // namespace scanlens
