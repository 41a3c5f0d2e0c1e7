#include "filters/box.h"
#include "filters/means/means.h"
#include "filters/parts/filter_of.h"

namespace scanlens {
namespace {

struct BoxFilter {
  using Params = BoxParams;
  static constexpr std::string_view kName = "box";
  static constexpr std::string_view kHelp =
      "the mean over a square, of sample values as they are (sRGB codes), colours weighed by alpha";
  static constexpr Param kParams[] = {
      param<&BoxParams::radius>("radius", "pixels from the middle of the box to its edge", 0, kMostBoxRadius,
                                Values::whole, Measure::pixels_or_percent)};

  static std::int64_t reach(const BoxParams& params) { return static_cast<std::int64_t>(params.radius); }

  template <class T>
  static void run(Context& context, const BoxParams& params, const BandTask<T>& task) {
    box_means(context, reach(params), Finish{}, task);
  }
};

}  // namespace

extern constinit const Filter kBox = filter_of<BoxFilter>();

}  // namespace scanlens
