// Tilt and shift: what lies far from a line is out of focus, as if the lens were tilted, and looks like a
// model.
//
// The line goes through the picture's middle column at the height `position`, turned by `angle`. A pixel more
// than half of `band` from it becomes the mean over the box of its circle's area (filters/dof_formula.h). The
// circle's radius grows evenly to `radius`, over the distance `ramp`. Other pixels, and those whose circle is
// no larger than a pixel, are copied. Distances are shares of the picture's height, so a picture in bands,
// whose filter sees some rows of it, is the whole picture's.
//
// Integers are decoded (sRGB) and averaged as linear light, as a lens does; floats are light. With alpha, the
// mean of colours is weighed by it; where none is in reach they keep their values.
//
// Sums are exact for integers. Every step from a sum to a sample is a float rounded by itself or a whole
// number. So integers are the same on every backend.
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/sat.h"
#include "filters/color.h"
#include "filters/color_tables.h"
#include "filters/dof_formula.h"
#include "filters/parts/box_sums.h"
#include "filters/parts/filter_of.h"
#include "filters/parts/for_each_pixel.h"

namespace scanlens {
namespace {

struct TiltShiftParams {
  double position = 0.5;
  double band = 0.15;
  double ramp = 0.35;
  double angle = 0;
  double radius = 16;
};

/// A pixel's distance from the line, and the circle of its blur.
struct Tilt {
  Tilt(const TiltShiftParams& params, std::int64_t width, std::int64_t picture_height)
      : x(static_cast<double>(width) / 2),
        y(params.position * static_cast<double>(picture_height)),
        sine(std::sin(params.angle * (std::acos(-1.0) / 180))),
        cosine(std::cos(params.angle * (std::acos(-1.0) / 180))),
        height(static_cast<double>(picture_height)),
        sharp(params.band / 2),
        ramp(params.ramp),
        most(static_cast<float>(params.radius)) {}

  SCANLENS_HOST_DEVICE BoxKernel box(std::int64_t column, std::int64_t row) const {
    const double across = (static_cast<double>(column) + 0.5 - x) * sine,
                 down = (static_cast<double>(row) + 0.5 - y) * cosine;
    const double distance = (across + down < 0 ? -(across + down) : across + down) / height - sharp;
    if (distance <= 0) return BoxKernel{0, 0.f};
    return box_of_equal_area(distance >= ramp ? most : most * static_cast<float>(distance / ramp));
  }

  double x, y;
  double sine, cosine;
  double height;  ///< of the picture
  double sharp, ramp;
  float most;
};

/// Mean terms to samples.
template <class T>
struct FromLight;

template <>
struct FromLight<std::uint8_t> {
  explicit FromLight(Context& context) : codes(context.readable(linear16_to_srgb8(), kLinear16 + 1)) {}
  SCANLENS_HOST_DEVICE std::uint8_t operator()(float light) const {
    return codes[static_cast<int>((light < kLinear16 ? light : kLinear16) + 0.5f)];
  }
  const std::uint8_t* codes;
};

/// The code whose light is nearest: the formula's, whose powers are not the same on every backend, put right
/// by the table.
template <>
struct FromLight<std::uint16_t> {
  explicit FromLight(Context& context) : lights(context.readable(srgb16_to_linear24(), 65536)) {}
  SCANLENS_HOST_DEVICE std::uint16_t operator()(float light) const {
    int code = static_cast<int>(linear_to_srgb(light / kLinear24) * 65535.f + 0.5f);
    while (code > 0 && !is_beyond(code - 1, light)) --code;
    while (code < 65535 && is_beyond(code, light)) ++code;
    return static_cast<std::uint16_t>(code);
  }
  /// True if the next code's light is as near as this one's.
  SCANLENS_HOST_DEVICE bool is_beyond(int code, float light) const {
    return light - static_cast<float>(lights[code]) >= static_cast<float>(lights[code + 1]) - light;
  }
  const std::uint32_t* lights;
};

template <>
struct FromLight<float> {
  explicit FromLight(Context&) {}
  SCANLENS_HOST_DEVICE float operator()(float light) const { return light; }
};

template <class T, class Sum>
struct Defocus {
  View<const Sum> table;
  Tilt tilt;
  FromLight<T> sample;
  BandTask<T> task;

  /// The sum over the box with its ring, of channel c.
  SCANLENS_HOST_DEVICE float sum(const Box& inner, const Box& outer, const BoxKernel& kernel, int c) const {
    const Sum inside = box_sum(table, inner.x0, inner.y0, inner.x1, inner.y1, c);
    const Sum all = box_sum(table, outer.x0, outer.y0, outer.x1, outer.y1, c);
    return ring_sum(static_cast<float>(inside), static_cast<float>(static_cast<Sum>(all - inside)), kernel);
  }

  SCANLENS_HOST_DEVICE void operator()(int x, int y) const {
    const int channels = task.out.channels, row = static_cast<int>(task.first) + y;
    const T* const in = &task.rows(x, row);
    T* const out = &task.out(x, y);
    const BoxKernel kernel = tilt.box(x, task.top + row);
    const bool sharp = is_sharp(kernel);
    const auto width = static_cast<int>(table.width), height = static_cast<int>(table.height);
    const Box inner = clipped_box(x, row, kernel.inner, width, height),
              outer = clipped_box(x, row, kernel.inner + 1, width, height);
    const float area = ring_sum(box_area(inner), box_area(outer) - box_area(inner), kernel);
    const float weight = sharp || channels < 4 ? area : sum(inner, outer, kernel, 3);
    for (int c = 0; c < channels && c < 3; ++c)
      out[c] = sharp || !(weight > 0) ? in[c] : sample(sum(inner, outer, kernel, c) / weight);
    if (channels == 4)
      out[3] = sharp ? in[3] : static_cast<T>(weight / area + (std::is_floating_point_v<T> ? 0.f : 0.5f));
  }
};

/// True if the light of the largest box of 8-bit samples fits 32 bits.
bool is_narrow(const TiltShiftParams& params, const RowFormat& rows) {
  const int reach = box_of_equal_area(static_cast<float>(params.radius)).inner + 1;
  return rows.sample_bytes == 1 && rows.channels != 4 && !needs_64_bits(rows.width, rows.height, reach, 2);
}

/// Rows of float colours multiplied by alpha, or as they are.
View<const float> weighed(Context& context, Workspace& workspace, View<const float> rows) {
  if (rows.channels != 4) return rows;
  const View<float> out(workspace.take<float>(rows.width * rows.height * 4), rows.width, rows.height, 4);
  for_each_pixel(context, rows.width, rows.height, MultiplyByAlpha{rows, out});
  return out;
}

template <class Sum, class T>
void defocus(Context& context, const TiltShiftParams& params, const BandTask<T>& task) {
  Workspace workspace(context);
  const View<const T>& rows = task.rows;
  const View<Sum> table(workspace.take<Sum>(rows.width * rows.height * rows.channels), rows.width,
                        rows.height, rows.channels);
  if constexpr (std::is_floating_point_v<T>) {
    summed_area_table(context, weighed(context, workspace, rows), table);
  } else {
    Terms terms;
    terms.lut = sizeof(T) == 1 ? context.readable(srgb8_to_linear16(), 256)
                               : context.readable(srgb16_to_linear24(), 65536);
    terms.weigh_by_alpha = rows.channels == 4;
    summed_area_table(context, rows, table, terms);
  }
  for_each_pixel(context, task.out.width, task.out.height,
                 Defocus<T, Sum>{table, Tilt(params, rows.width, task.height), FromLight<T>(context), task});
}

struct TiltShift {
  using Params = TiltShiftParams;
  static constexpr std::string_view kName = "tilt_shift";
  static constexpr std::string_view kHelp =
      "sharp along a line and blurred away from it, in linear light: the look of a model";
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
                                      Measure::pixels_or_percent)};

  static std::int64_t reach(const TiltShiftParams& params) {
    const BoxKernel kernel = box_of_equal_area(static_cast<float>(params.radius));
    return is_sharp(kernel) ? 0 : kernel.inner + 1;
  }

  template <class T>
  static void run(Context& context, const TiltShiftParams& params, const BandTask<T>& task) {
    if constexpr (std::is_floating_point_v<T>)
      return defocus<double>(context, params, task);
    else if (is_narrow(params, {task.rows.width, task.rows.height, task.rows.channels, sizeof(T)}))
      return defocus<std::uint32_t>(context, params, task);
    else
      return defocus<std::uint64_t>(context, params, task);
  }
};

}  // namespace

extern constinit const Filter kTiltShift = filter_of<TiltShift>();

}  // namespace scanlens
