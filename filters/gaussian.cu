// The Gaussian filter, in constant time however wide. Below a sigma of 5 it is a mean weighed by the
// Gaussian's samples, up to 3 sigma away, in whole numbers that sum to 2^14: down columns, then along rows.
// Integers have 16 bits between the two, each rounded to nearest. From there on it goes by a coarse grid
// (filters/blur/wide.h), in floats that are rounded once.
//
// Each mean is over the part of it that lies in the picture. Samples are averaged as they are (sRGB codes);
// with alpha, colours are weighed by it, and keep their values where no alpha is in reach. Integers are the
// same on every backend: each step is rounded by itself.
//
// Distance of the result from the Gaussian without a cut-off, for pictures of 0 .. 1, where no border is in
// reach: below sigma 5, at most 0.001 beside a straight edge, and 0.004 for any picture there is; from
// there on 0.0008 and 0.0036, less than a code of 255.
#include "filters/blur/convolve.h"
#include "filters/blur/wide.h"
#include "filters/parts/filter_of.h"

namespace scanlens {
namespace {

struct GaussianParams {
  double sigma = 8;
};

struct Gaussian {
  using Params = GaussianParams;
  static constexpr std::string_view kName = "gaussian";
  static constexpr std::string_view kHelp =
      "soft blur: the mean weighed by a Gaussian, of sample values as they are (sRGB codes)";
  static constexpr Param kParams[] = {
      param<&GaussianParams::sigma>("sigma", "standard deviation of the Gaussian in pixels", 0, 4000,
                                    Values::any, Measure::pixels_or_percent)};

  static std::int64_t reach(const GaussianParams& params) {
    return is_of_taps(params) ? gaussian_taps(params.sigma).radius : WideGaussian(params.sigma).reach();
  }

  static bool is_of_taps(const GaussianParams& params) { return params.sigma < kMostTapsSigma; }

  template <class T>
  static void run(Context& context, const GaussianParams& params, const BandTask<T>& task) {
    if (is_of_taps(params)) return convolve(context, gaussian_taps(params.sigma), task);
    blur_wide(context, WideGaussian(params.sigma), task);
  }
};

}  // namespace

extern constinit const Filter kGaussian = filter_of<Gaussian>();

}  // namespace scanlens
