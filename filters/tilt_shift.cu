// Tilt and shift: what lies far from a line is out of focus, as if the lens were tilted, and looks like a
// model.
//
// The line goes through the picture's middle column at the height `position`, turned by `angle`. A pixel more
// than half of `band` from it is spread as depth of field spreads it: over a disc, whose radius grows evenly
// to `radius` over the distance `ramp`. Pixels below the line are before the focus, those above it
// behind: a model is seen from above. Distances are shares of the picture's height.
//
// Saturation is of codes, or of light in floats: what a colour differs from its luma by is multiplied.
#include <cmath>
#include <cstdint>

#include "core/image.h"
#include "filters/depth_of_field.h"
#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_pixel.h"
#include "filters/parts/sample.h"

namespace scanlens {
namespace {

struct TiltShiftParams {
  double position = 0.5;
  double band = 0.15;
  double ramp = 0.35;
  double angle = 0;
  double radius = 16;
  double saturation = 1;
};

/// The most light of floats that is kept.
constexpr float kMostLight = 64;

/// Writes the share of the largest circle that a pixel has, below 0 above the line.
struct Tilt {
  Tilt(const TiltShiftParams& params, View<float> to)
      : x(static_cast<double>(to.width) / 2),
        y(params.position * static_cast<double>(to.height)),
        sine(std::sin(params.angle * (std::acos(-1.0) / 180))),
        cosine(std::cos(params.angle * (std::acos(-1.0) / 180))),
        sharp(params.band / 2),
        ramp(params.ramp),
        shares(to) {}

  SCANLENS_HOST_DEVICE void operator()(int column, int row) const {
    const double across = (column + 0.5 - x) * sine, down = (row + 0.5 - y) * cosine;
    const double away = (across + down) / static_cast<double>(shares.height);
    const double beyond = ((away < 0 ? -away : away) - sharp) / ramp;
    const double share = beyond > 0 ? (beyond < 1 ? beyond : 1.) : 0.;
    shares(column, row) = static_cast<float>(away < 0 ? -share : share);
  }

  double x, y;
  double sine, cosine;
  double sharp, ramp;
  View<float> shares;
};

template <class T>
struct Saturate {
  View<T> picture;
  float saturation;

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    T* const pixel = &picture(x, y);
    const float luma = static_cast<float>(Luma<T>::of(pixel, 3)) * (sizeof(T) == 1 ? 1 / 256.f : 1.f);
    for (int c = 0; c < 3; ++c) {
      const float value = luma + (static_cast<float>(pixel[c]) - luma) * saturation;
      pixel[c] = clipped_sample<T>(value > 0 ? value : 0.f);
    }
  }
};

struct TiltShift {
  using Params = TiltShiftParams;
  static constexpr std::string_view kName = "tilt_shift";
  static constexpr std::string_view kHelp =
      "sharp along a line and blurred away from it as by a lens, in linear light: the look of a model; made "
      "of the "
      "whole picture";
  static constexpr bool kSameEverywhere = false;
  static constexpr Param kParams[] = {
      param<&TiltShiftParams::position>("position", "height of the sharp line, 0 at the top, 1 at the bottom",
                                        0, 1, Values::any, Measure::share),
      param<&TiltShiftParams::band>("band", "sharp around the line, as a share of the picture's height", 0, 1,
                                    Values::any, Measure::share),
      param<&TiltShiftParams::ramp>("ramp", "from sharp to the largest blur, as a share of the height", 0.001,
                                    2, Values::any, Measure::share),
      param<&TiltShiftParams::angle>("angle", "degrees that the line's right end is turned up", -90, 90,
                                     Values::any, Measure::degrees),
      param<&TiltShiftParams::radius>("radius", "pixels of the largest blur", 0, 1000, Values::any,
                                      Measure::pixels_or_percent),
      param<&TiltShiftParams::saturation>("saturation",
                                          "factor of colours: 0 grey, 1 as they are, more stronger", 0, 4)};

  /// The positions of layers follow from the whole picture.
  static std::int64_t reach(const TiltShiftParams&) { return kReachesAll; }

  template <class T>
  static void run(Context& context, const TiltShiftParams& params, const BandTask<T>& task) {
    const View<const T>& rows = task.rows;
    Workspace workspace(context);
    const View<float> shares(workspace.take<float>(rows.width * rows.height), rows.width, rows.height);
    for_each_pixel(context, rows.width, rows.height, Tilt(params, shares));
    const bool whole = task.first == 0 && task.out.height == rows.height;
    const View<T> all = whole ? task.out
                              : View<T>(workspace.take<T>(rows.width * rows.height * rows.channels),
                                        rows.width, rows.height, rows.channels);
    const auto radius = static_cast<float>(params.radius);
    depth_of_field<T>(context, rows, View<const float>(shares), Blur{radius, 0, radius}, all,
                      {.most = kMostLight}, {.quality = DofQuality::good});
    if (!whole)
      copy(context, View<const T>(all.region(0, task.first, rows.width, task.out.height)), task.out);
    if (rows.channels > 1 && params.saturation != 1)
      for_each_pixel(context, task.out.width, task.out.height,
                     Saturate<T>{task.out, static_cast<float>(params.saturation)});
  }
};

}  // namespace

extern constinit const Filter kTiltShift = filter_of<TiltShift>();

}  // namespace scanlens
