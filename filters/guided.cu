// The guided filter: He, Sun and Tang, "Guided Image Filtering", ECCV 2010 and IEEE Trans. PAMI 35(6), 2013.
//
// Over every box a line input = a * guide + b is fitted, where epsilon, the square of `deviation`, keeps the
// slope down: a = covariance / (variance of the guide + epsilon), b = mean of the input - a * mean of the
// guide (equations 5 and 6). The result is the mean of a over the boxes that hold a pixel, times its guide,
// plus the mean of b (equation 8). Where the guide varies less than `deviation`, that is the mean twice;
// where it varies more, edges are kept.
//
// The guide is luma of sample values as they are, the input every colour in turn. Moments are weighed by
// alpha; alpha stays as it is, and so do pixels without any.
#include <cstdint>
#include <type_traits>

#include "filters/parts/filter_of.h"
#include "filters/parts/follow_lines.h"
#include "filters/parts/sample.h"

namespace scanlens {
namespace {

struct GuidedParams {
  double radius = 8;
  double deviation = 0.1;
};

struct Guided {
  using Params = GuidedParams;
  static constexpr std::string_view kName = "guided";
  static constexpr std::string_view kHelp =
      "smooths and keeps edges: differences below the deviation are levelled (guided filter)";
  static constexpr Param kParams[] = {
      param<&GuidedParams::radius>("radius", "pixels from the middle of the box to its edge", 1,
                                   kMostMomentsRadius, Values::whole, Measure::pixels_or_percent),
      param<&GuidedParams::deviation>(
          "deviation",
          "differences of luma that are kept for half, in shares of white; epsilon is its square", 0.002, 1,
          Values::any, Measure::share)};

  static std::int64_t reach(const Params& params) { return 2 * static_cast<std::int64_t>(params.radius); }

  static LineFit lines_of(const Params& params) {
    return {static_cast<std::int64_t>(params.radius),
            static_cast<float>(params.deviation * params.deviation)};
  }

  template <class T>
  static void run(Context& context, const Params& params, const BandTask<T>& task) {
    const auto radius = static_cast<std::int64_t>(params.radius);
    if (task.rows.channels == 1)
      return follow_lines<T>(context, lines_of(params), task, task.rows, 0, kGreySteps,
                             [&](const auto& fit) { with_box_moments(context, task.rows, radius, fit); });
    with_plane(context, task.rows, LumaOf<T>{}, [&](const auto& guide) {
      const auto each_colour = [&](const auto& moments) {
        for (int c = 0; c < 3; ++c)  // in place too: nothing else depends on a colour that is overwritten
          follow_lines<T>(context, lines_of(params), task, guide, c, kColourSteps, [&](const auto& fit) {
            with_cross_moments(context, guide, moments, task.rows, c, fit);
          });
      };
      if (task.rows.channels == 4)
        with_weighed_moments(context, task.rows, LumaOf<T>{}, radius, each_colour);
      else
        with_box_moments(context, guide, radius, each_colour);
    });
  }
};

}  // namespace

extern constinit const Filter kGuided = filter_of<Guided>();

}  // namespace scanlens
