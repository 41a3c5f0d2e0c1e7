// A picture or words laid over a picture.
//
// In linear light a pixel becomes (1 - a) in + a over, where a is the overlay's alpha times `opacity`. Both
// are weighed by their alpha where the picture has some. An overlay comes as floats: light of three colours
// and alpha that they are not multiplied by, or of words the share of each pixel that letters cover.
#include <algorithm>
#include <any>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "filters/moves/fill.h"
#include "filters/overlay.h"
#include "filters/parts/channels.h"
#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/parts/light.h"
#include "filters/parts/place.h"

namespace scanlens {
namespace {

template <int kChannels, class T>
struct LayPixel {
  View<const T> rows;
  View<T> out;
  View<const float> over;
  ToneView tones;
  double opacity;
  Fill<T> colour;  ///< of words

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const float* const from = &over(x, y);
    const double alpha = opacity * static_cast<double>(from[over.channels - 1]);
    if (!(alpha > 0)) return;
    double laid[4] = {0, 0, 0, 1};
    for (int c = 0; c < 3; ++c)
      laid[c] = over.channels == 4
                    ? static_cast<double>(from[c])
                    : light_of_sample(colour.pixel[kChannels == 1 ? 0 : c], kChannels == 1 ? 0 : c, tones);
    if (kChannels == 1 && over.channels == 4) laid[0] = luminance(laid);
    double under[kChannels];
    light_of_pixel<kChannels>(&rows(x, y), tones, under);
    float light[kChannels];
    for (int c = 0; c < kChannels; ++c)
      light[c] = static_cast<float>((1 - alpha) * under[c] + alpha * laid[c]);
    pixel_of_light<kChannels>(light, tones, &out(x, y));
  }
};

/// Lays the task's overlay at its place. One that fits the picture lies within it, if need be without its
/// margin; of a larger one pixels are left out.
template <class Params, class T>
void lay(Context& context, const Params& params, double colour, const BandTask<T>& task,
         const ToneView& tones) {
  copy_rows(context, task);
  const std::int64_t width = task.rows.width;
  const double margin = static_cast<double>(width) * params.margin / 100;
  const auto begin = [&](int side, std::int64_t length, std::int64_t whole) {
    const std::int64_t at = begin_at(side, side == 0 ? 0 : margin, length, whole);
    return length > whole ? at : std::clamp<std::int64_t>(at, 0, whole - length);
  };
  const std::int64_t x0 = begin(column_side(params.place), task.map.width, width);
  const std::int64_t first = task.top + task.first;
  const std::int64_t y0 = begin(row_side(params.place), task.map.height, task.height) - first;
  const std::int64_t left = std::max<std::int64_t>(x0, 0), top = std::max<std::int64_t>(y0, 0);
  const std::int64_t columns = std::min(x0 + task.map.width, width) - left;
  const std::int64_t rows = std::min(y0 + task.map.height, task.out.height) - top;
  if (columns <= 0 || rows <= 0) return;
  for_channels(task.out.channels, [&]<int kChannels>(std::integral_constant<int, kChannels>) {
    for_each_pixel(context, columns, rows,
                   LayPixel<kChannels, T>{task.rows.region(left, task.first + top, columns, rows),
                                          task.out.region(left, top, columns, rows),
                                          task.map.region(left - x0, top - y0, columns, rows), tones,
                                          params.opacity, Fill<T>(colour, kChannels)});
  });
}

template <class Params>
constexpr Param place_of() {
  return choice<&Params::place>("place", "side or corner of the picture at which it lies", kPlaces);
}
template <class Params>
constexpr Param margin_of() {
  return param<&Params::margin>("margin", "percent of the picture's width that stay free there", 0, 45,
                                Values::any, Measure::percent);
}
template <class Params>
constexpr Param opacity_of() {
  return param<&Params::opacity>("opacity", "share of it that covers the picture", 0, 1, Values::any,
                                 Measure::share);
}

struct Watermark {
  using Params = WatermarkParams;
  static constexpr std::string_view kName = "watermark";
  static constexpr std::string_view kHelp = "another picture, with its alpha, laid over this one";
  static constexpr MapKind kMap = MapKind::picture;
  static constexpr bool kTakesTones = true;
  static constexpr Param kParams[] = {
      param<&WatermarkParams::size>("size", "percent of the picture's width and height that it fits into",
                                    0.1, 100, Values::any, Measure::percent),
      place_of<WatermarkParams>(), margin_of<WatermarkParams>(), opacity_of<WatermarkParams>()};

  static std::int64_t reach(const WatermarkParams&) { return 0; }

  template <class T>
  static void run(Context& context, const WatermarkParams& params, const BandTask<T>& task,
                  const ToneView& tones) {
    lay(context, params, 0, task, tones);
  }
};

struct Text {
  using Params = TextParams;
  static constexpr std::string_view kName = "text";
  static constexpr std::string_view kHelp = "words laid over the picture";
  static constexpr MapKind kMap = MapKind::words;
  static constexpr bool kTakesTones = true;
  static constexpr Param kParams[] = {
      param<&TextParams::size>(
          "size", "percent of the picture's height that a line has; less where words would not fit", 0.1, 100,
          Values::any, Measure::percent),
      place_of<TextParams>(), margin_of<TextParams>(), opacity_of<TextParams>(),
      param<&TextParams::colour>("colour", "of the letters", 0, 0xffffff, Values::whole, Measure::colour)};

  static std::int64_t reach(const TextParams&) { return 0; }

  template <class T>
  static void run(Context& context, const TextParams& params, const BandTask<T>& task,
                  const ToneView& tones) {
    lay(context, params, params.colour, task, tones);
  }
};

std::int64_t pixels_of(double percent, std::int64_t whole) {
  return std::max<std::int64_t>(1, std::llround(percent / 100 * static_cast<double>(whole)));
}

}  // namespace

extern constinit const Filter kWatermark = filter_of<Watermark>();
extern constinit const Filter kText = filter_of<Text>();

OverlayRoom overlay_room(const FilterCall& call, const RowFormat& picture) {
  if (call.filter == &kWatermark) {
    const double size = std::any_cast<const WatermarkParams&>(call.params).size;
    return {pixels_of(size, picture.width), pixels_of(size, picture.height)};
  }
  const auto& params = std::any_cast<const TextParams&>(call.params);
  const double free = 100 - 2 * (column_side(params.place) == 0 ? 0 : params.margin);
  return {pixels_of(free, picture.width), picture.height,
          std::max(1., params.size / 100 * static_cast<double>(picture.height)), column_side(params.place)};
}

}  // namespace scanlens
