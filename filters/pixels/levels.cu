// Samples stretched so that the darkest and the brightest of them become black and white.
//
// out = (in - dark) / (bright - dark), in codes as they are, or in light where samples are floats. `dark` and
// `bright` are exact percentiles of all samples of a colour (filters/statistics.h). The least and the
// greatest of all colours count, so that no hue changes; or each colour has its own. Alpha stays as it is,
// and so does a picture of one tone. Integers are rounded to nearest and clipped; floats are not clipped.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/parts/picture_counts.h"
#include "filters/parts/sample.h"

namespace scanlens {
namespace {

struct LevelsParams {
  double dark = 0.5;
  double bright = 0.5;
  double colours = 0;
};

constexpr std::string_view kColours[] = {"together", "each"};

/// The sample that becomes black, and the factor by which the rest becomes white.
struct Stretch {
  float dark = 0, times = 1;
};

template <class T>
struct StretchPixel {
  BandTask<T> task;
  Stretch stretches[3];

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const int channels = task.out.channels;
    const T* const in = &task.rows(x, task.first + y);
    T* const out = &task.out(x, y);
    for (int c = 0; c < (channels < 3 ? channels : 3); ++c)
      out[c] = clipped_sample<T>((static_cast<float>(in[c]) - stretches[c].dark) * stretches[c].times);
    if (channels == 4) out[3] = in[3];
  }
};

template <class T>
Stretch stretch_of(double dark, double bright) {
  const auto low = static_cast<float>(dark), high = static_cast<float>(bright);
  return high > low ? Stretch{low, kWhite<T> / (high - low)} : Stretch{};
}

struct Levels {
  using Params = LevelsParams;
  static constexpr std::string_view kName = "levels";
  static constexpr std::string_view kHelp =
      "more contrast: the darkest pixels become black, the brightest white";
  static constexpr Param kParams[] = {
      param<&LevelsParams::dark>("dark", "percent of the samples that become black", 0, 49, Values::any,
                                 Measure::percent),
      param<&LevelsParams::bright>("bright", "percent of the samples that become white", 0, 49, Values::any,
                                   Measure::percent),
      choice<&LevelsParams::colours>("colours", "together: they keep their hue; each: every one by itself",
                                     kColours)};

  static std::int64_t reach(const LevelsParams&) { return kReachesAll; }

  template <class T>
  static void run(Context& context, const LevelsParams& params, const BandTask<T>& task) {
    const double percents[] = {params.dark, 100 - params.bright};
    const std::vector<ChannelStatistics> found = picture_statistics<T>(context, task.rows, percents);
    StretchPixel<T> body{task, {}};
    std::vector<double> dark, bright;
    const std::size_t colours = found.empty() ? 0 : task.out.channels < 3 ? 1 : 3;
    for (std::size_t c = 0; c < colours; ++c) {
      dark.push_back(percentile_at(found[c], percents, 0));
      bright.push_back(percentile_at(found[c], percents, 1));
    }
    for (std::size_t c = 0; c < colours; ++c)
      body.stretches[c] = params.colours == 0 ? stretch_of<T>(*std::min_element(dark.begin(), dark.end()),
                                                              *std::max_element(bright.begin(), bright.end()))
                                              : stretch_of<T>(dark[c], bright[c]);
    for_each_pixel(context, task.out.width, task.out.height, body);
  }
};

}  // namespace

extern constinit const Filter kLevels = filter_of<Levels>();

}  // namespace scanlens
