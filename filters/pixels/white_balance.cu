// Colours as if their light were white.
//
// In linear light every colour is multiplied by a factor of its own: the luminance of the reference by the
// colour's share of it. The reference is the mean of all pixels (`grey`: a scene is grey on the whole;
// Buchsbaum, "A spatial processor model for object colour perception", 1980), or the percentile 99 of each
// colour (`white`: the brightest is white; Land and McCann, "Lightness and Retinex Theory", 1971). So grey
// keeps its brightness. Alpha stays as it is, and so do pictures of one channel.
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/parts/light.h"
#include "filters/parts/picture_counts.h"

namespace scanlens {
namespace {

struct WhiteBalanceParams {
  double by = 0;
  double amount = 1;
};

constexpr std::string_view kReferences[] = {"grey", "white"};
constexpr double kBrightest[] = {99};

template <class T>
struct BalancePixel {
  BandTask<T> task;
  ToneView tones;
  double factors[3];

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const T* const in = &task.rows(x, task.first + y);
    T* const out = &task.out(x, y);
    for (int c = 0; c < 3; ++c)
      out[c] =
          sample_of_light<T>(static_cast<float>(light_of_sample(in[c], c, tones) * factors[c]), c, tones);
    if (task.out.channels == 4) out[3] = in[3];
  }
};

/// Returns the light of a code, which may lie between two.
double light_at(const std::vector<double>& light, std::size_t offset, double code) {
  const auto low = static_cast<std::size_t>(code);
  const std::size_t high = code > static_cast<double>(low) ? low + 1 : low;
  const double share = code - static_cast<double>(low);
  return light[offset + low] * (1 - share) + light[offset + high] * share;
}

/// Returns the reference's light of colour `c`.
double reference_of(const ChannelStatistics& channel, bool by_mean, std::size_t c, const Tones* tones) {
  if (const auto* floats = std::get_if<FloatStatistics>(&channel.values))
    return by_mean ? floats->moments.mean : percentile_at(channel, kBrightest, 0);
  const auto& codes = std::get<CodeCounts>(channel.values);
  const std::size_t offset = tones->colours == 1 ? 0 : c * codes.counts().size();
  if (!by_mean) return light_at(tones->light, offset, codes.percentile(kBrightest[0]));
  double sum = 0;
  for (std::size_t code = 0; code < codes.counts().size(); ++code)
    sum += tones->light[offset + code] * static_cast<double>(codes.counts()[code]);
  return sum / static_cast<double>(codes.total());
}

struct WhiteBalance {
  using Params = WhiteBalanceParams;
  static constexpr std::string_view kName = "white_balance";
  static constexpr std::string_view kHelp = "colours as if their light were white, in linear light";
  static constexpr bool kTakesTones = true;
  static constexpr Param kParams[] = {
      choice<&WhiteBalanceParams::by>("by",
                                      "grey: the mean of the picture becomes grey; white: its brightest "
                                      "pixels become white",
                                      kReferences),
      param<&WhiteBalanceParams::amount>("amount", "share of the change", 0, 1, Values::any, Measure::share)};

  static std::int64_t reach(const WhiteBalanceParams&) { return kReachesAll; }

  template <class T>
  static void run(Context& context, const WhiteBalanceParams& params, const BandTask<T>& task,
                  const ToneView& tones) {
    if (task.out.channels == 1) return copy_rows(context, task);
    const std::vector<ChannelStatistics> found = picture_statistics<T>(context, task.rows, kBrightest);
    BalancePixel<T> body{task, tones, {1, 1, 1}};
    double light[3] = {};
    for (std::size_t c = 0; c < 3 && !found.empty(); ++c)
      light[c] = reference_of(found[c], params.by == 0, c, tones.host);
    for (int c = 0; c < 3; ++c)
      if (light[c] > 0) body.factors[c] = 1 + params.amount * (luminance(light) / light[c] - 1);
    for_each_pixel(context, task.out.width, task.out.height, body);
  }
};

}  // namespace

extern constinit const Filter kWhiteBalance = filter_of<WhiteBalance>();

}  // namespace scanlens
