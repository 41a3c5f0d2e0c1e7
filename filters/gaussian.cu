// The Gaussian filter, in constant time however wide. Below a sigma of 5 it is a mean weighed by the
// Gaussian's samples, up to 3 sigma away, in whole numbers that sum to 2^14: down columns, then along rows.
// From there on it is an extended box, three times along columns and three times along rows: every pass is
// the mean over a box, with the shares of the samples at its ends that give the three the Gaussian's
// variance.
//
// Each mean is over the part of it that lies in the picture. Samples are averaged as they are (sRGB codes);
// with alpha, colours are weighed by it, and keep their values where no alpha is in reach.
//
// Integers have 16 bits between passes, each rounded to nearest, and are the same on every backend: all is
// sums of integers, and steps rounded each by itself. Roundings on the way add up to 3 / 65535 at most; with
// alpha, of 8 bits, to 6 / 65535 over the alpha of the result.
//
// Distance of the result from the Gaussian without a cut-off, for pictures of 0 .. 1, where no border is in
// reach: below sigma 5, at most 0.001 beside a straight edge, and 0.004 for any picture there is; from
// there on 0.0114 and 0.051, and as much may the result change where the one way follows the other. At a
// border, along which all three boxes are cut off, an edge is up to 0.12 from the Gaussian cut off there.
#include "filters/blur/blur.h"
#include "filters/blur/convolve.h"
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
      "soft blur: the mean weighed by a Gaussian, within 6 of 255 codes from sigma 5 on (sRGB codes)";
  static constexpr Param kParams[] = {
      param<&GaussianParams::sigma>("sigma", "standard deviation of the Gaussian in pixels", 0, 4000,
                                    Values::any, Measure::pixels_or_percent)};

  static std::int64_t reach(const GaussianParams& params) {
    return is_of_taps(params) ? gaussian_taps(params.sigma).radius : gaussian_reach(params.sigma);
  }

  static bool is_of_taps(const GaussianParams& params) { return params.sigma < kMostTapsSigma; }

  template <class T>
  static void run(Context& context, const GaussianParams& params, const BandTask<T>& task) {
    if (is_of_taps(params)) return convolve(context, gaussian_taps(params.sigma), task);
    blur(context, gaussian_boxes(params.sigma, task.rows.width, task.rows.height), task);
  }
};

}  // namespace

extern constinit const Filter kGaussian = filter_of<Gaussian>();

}  // namespace scanlens
