// The picture turned about its middle: by quarters pixel by pixel, by other angles in linear light.
//
// A pixel of the result is a square that lies turned in the picture. It is the mean of the picture's light
// over that square: each of at most nine pixels counts by the area that they share, which is exact up to the
// rounding of doubles. The square's part to the left of one line of the grid and above another is a sum of
// triangles and trapezia; pixels share what lies between such parts.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "filters/moves/move.h"
#include "filters/moves/params.h"
#include "filters/parts/filter_of.h"

namespace scanlens {
namespace {

constexpr std::string_view kFits[] = {"grow", "same", "inside"};
constexpr double kGrow = 0, kSame = 1;

struct Turn {
  explicit Turn(double degrees) {
    const double turn = degrees * (std::acos(-1.0) / 180);
    cosine = std::cos(turn);
    sine = std::sin(turn);
  }
  double cosine, sine;
};

/// Returns the largest upright rectangle in a turned one. Its corners touch all four sides, or, in a long
/// picture, the two longer ones.
RowFormat inside_of(const Turn& turn, RowFormat format) {
  const double c = std::abs(turn.cosine), s = std::abs(turn.sine);
  const double width = static_cast<double>(format.width), height = static_cast<double>(format.height);
  const double longer = std::max(width, height), shorter = std::min(width, height);
  double wide = 0, high = 0;
  if (shorter <= 2 * s * c * longer || std::abs(s - c) < 1e-10) {
    const double half = shorter / 2;
    wide = width >= height ? half / s : half / c;
    high = width >= height ? half / c : half / s;
  } else {
    const double both = c * c - s * s;
    wide = (width * c - height * s) / both;
    high = (height * c - width * s) / both;
  }
  format.width = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(wide + 1e-6)));
  format.height = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(high + 1e-6)));
  return format;
}

/// Returns the smallest upright rectangle around a turned one.
RowFormat around(const Turn& turn, RowFormat format) {
  const double c = std::abs(turn.cosine), s = std::abs(turn.sine);
  const auto width = static_cast<double>(format.width), height = static_cast<double>(format.height);
  format.width = static_cast<std::int64_t>(std::ceil(width * c + height * s - 1e-6));
  format.height = static_cast<std::int64_t>(std::ceil(width * s + height * c - 1e-6));
  return format;
}

/// Returns the integral of max(w, 0) over a line of this length at whose ends w is `a` and `b`. `run` is the
/// length in which w changes by 1.
SCANLENS_HOST_DEVICE inline double above_zero(double length, double a, double b, double run) {
  const double high = a > b ? a : b, low = a > b ? b : a;
  if (high <= 0) return 0;
  return low >= 0 ? length * (a + b) / 2 : high * high * run / 2;
}

/// A square of side 1 around the origin: |cx - sy| and |sx + cy| are at most 1/2. Both c and s are above 0.
struct Square {
  explicit Square(const Turn& side)
      : c(side.cosine), s(side.sine), per_c(1 / c), per_s(1 / s), half((c + s) / 2) {}

  double c, s, per_c, per_s;
  double half;  ///< of its extent

  /// Returns its end in y at x; the other is -end(-x). It rises up to a corner, and falls behind.
  SCANLENS_HOST_DEVICE double end(double x) const {
    const double one = (0.5 - s * x) * per_c, other = (0.5 + c * x) * per_s;
    return one < other ? one : other;
  }

  /// Returns the integral of max(sign * (end(x) - y), 0) between two columns.
  SCANLENS_HOST_DEVICE double beyond(double from, double to, double y, double sign) const {
    const double corner = (s - c) / 2, middle = corner < from ? from : corner > to ? to : corner;
    const double high = sign * (end(middle) - y);
    return above_zero(middle - from, sign * (end(from) - y), high, s * per_c) +
           above_zero(to - middle, high, sign * (end(to) - y), c * per_s);
  }

  /// Returns its area to the left of x, or above y: from a corner on its width grows to that of its middle.
  SCANLENS_HOST_DEVICE double before(double x) const {
    const double from_end = half - (x < 0 ? -x : x);
    if (from_end >= (c > s ? s : c)) return 0.5 + x * (c > s ? per_c : per_s);
    const double behind = from_end > 0 ? from_end * from_end / 2 * per_c * per_s : 0;
    return x < 0 ? behind : 1 - behind;
  }

  /// Returns its area to the left of x and above y.
  SCANLENS_HOST_DEVICE double before(double x, double y) const {
    if (x <= -half || y <= -half) return 0;
    if (x >= half) return before(y);
    if (y >= half) return before(x);
    return beyond(-x, half, -y, 1) - beyond(-half, x, y, -1);
  }
};

/// The mean of the picture's light over a turned pixel.
template <int kChannels, class T>
struct TurnPixel {
  FilledPicture<T> from;
  ToneView tones;
  double cosine, sine;  ///< of the way from the result to the picture
  double x0, y0;        ///< the picture's middle
  Square square;
  double middle_x, middle_y;  ///< of the result, seen from row 0 of `out`
  View<T> out;

  SCANLENS_HOST_DEVICE void operator()(int column, int row) const {
    const double dx = column + 0.5 - middle_x, dy = row + 0.5 - middle_y;
    const double x = x0 + dx * cosine + dy * sine, y = y0 - dx * sine + dy * cosine;
    const double left = floor(x - square.half), upper = floor(y - square.half);
    const double x1 = left + 1 - x, x2 = x1 + 1, y1 = upper + 1 - y, y2 = y1 + 1;
    const auto first_x = static_cast<std::int64_t>(left), first_y = static_cast<std::int64_t>(upper);
    const int columns = x2 < square.half ? 3 : 2, rows = y2 < square.half ? 3 : 2;
    const std::int64_t end_x = first_x + columns, end_y = first_y + rows, width = from.rows.width;
    if (!from.fill.repeats_edge && (end_x <= 0 || end_y <= 0 || first_x >= width || first_y >= from.height)) {
      for (int c = 0; c < kChannels; ++c) (&out(column, row))[c] = from.fill.pixel[c];
      return;
    }
    const bool inside = first_x >= 0 && first_y >= 0 && end_x <= width && end_y <= from.height;
    const double parts[3][3] = {{square.before(x1, y1), square.before(x1, y2), square.before(x1)},
                                {square.before(x2, y1), square.before(x2, y2), square.before(x2)},
                                {square.before(y1), square.before(y2), 1}};
    double sums[kChannels] = {};
    for (int i = 0; i < columns; ++i)
      for (int j = 0; j < rows; ++j) {
        const double until = parts[i][j] - (j > 0 ? parts[i][j - 1] : 0);
        const double before = i == 0 ? 0 : parts[i - 1][j] - (j > 0 ? parts[i - 1][j - 1] : 0);
        const double weight = until - before;
        if (!(weight > 0)) continue;
        double light[kChannels];
        light_of_pixel<kChannels>(
            inside ? &from.rows(first_x + i, first_y + j - from.top) : from.pixel(first_x + i, first_y + j),
            tones, light);
        for (int c = 0; c < kChannels; ++c) sums[c] += weight * light[c];
      }
    float light[kChannels];
    for (int c = 0; c < kChannels; ++c) light[c] = static_cast<float>(sums[c]);
    pixel_of_light<kChannels>(light, tones, &out(column, row));
  }
};

struct Rotate {
  using Params = RotateParams;
  static constexpr std::string_view kName = "rotate";
  static constexpr std::string_view kHelp =
      "the picture turned clockwise: by quarters pixel by pixel, else by the area of pixels in linear light";
  static constexpr bool kTakesTones = true;
  static constexpr Param kParams[] = {
      param<&RotateParams::angle>("angle", "degrees clockwise", -360, 360, Values::any, Measure::degrees),
      choice<&RotateParams::fit>(
          "fit",
          "grow: all of it, with corners of a colour; same: the picture's size; inside: "
          "the largest part without corners",
          kFits),
      param<&RotateParams::colour>("colour", "of the corners; edge repeats the picture's edge", kEdgeColour,
                                   0xffffff, Values::whole, Measure::colour)};

  static RowFormat output(const RotateParams& params, RowFormat format) {
    if (format.width == 0 || format.height == 0) return format;
    if (params.is_by_quarters()) {
      if (params.quarters() % 2 != 0) std::swap(format.width, format.height);
      return format;
    }
    if (params.fit == kSame) return format;
    const Turn turn(params.angle);
    return params.fit == kGrow ? around(turn, format) : inside_of(turn, format);
  }
  static std::int64_t first_row(const RotateParams&, const RowFormat&) { return 0; }
  static std::int64_t reach(const RotateParams& params) {
    return params.is_by_quarters() && params.quarters() == 0 ? 0 : kReachesAll;
  }

  template <class T>
  static void run(Context& context, const RotateParams& params, const BandTask<T>& task,
                  const ToneView& tones) {
    const View<const T>& rows = task.rows;
    if (params.is_by_quarters())
      return move_pixels(context, quarter_turn(params.quarters(), rows.width, task.height), kEdgeColour, 0,
                         task);
    const Turn turn(params.angle), side(std::fmod(std::fmod(params.angle, 90) + 90, 90));
    const RowFormat picture{rows.width, task.height};
    const auto height = static_cast<double>(output(params, picture).height);
    const KeptRows<T> kept(context, task);
    for_channels(rows.channels, [&]<int kChannels>(std::integral_constant<int, kChannels>) {
      for_each_pixel(
          context, task.out.width, task.out.height,
          TurnPixel<kChannels, T>{{kept.rows(), task.top, task.height, Fill<T>(params.colour, rows.channels)},
                                  tones,
                                  turn.cosine,
                                  turn.sine,
                                  static_cast<double>(rows.width) / 2,
                                  static_cast<double>(task.height) / 2,
                                  Square(side),
                                  static_cast<double>(task.out.width) / 2,
                                  height / 2 - static_cast<double>(task.top + task.first),
                                  task.out});
    });
  }
};

}  // namespace

extern constinit const Filter kRotate = filter_of<Rotate>();

}  // namespace scanlens
