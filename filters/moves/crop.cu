// A part of the picture, pixel by pixel.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "filters/moves/move.h"
#include "filters/parts/filter_of.h"
#include "filters/parts/place.h"

namespace scanlens {
namespace {

struct CropParams {
  double width = 0;
  double height = 0;
  double aspect = 0;
  double place = 0;
  double x = 0;
  double y = 0;
};

constexpr double kMostSide = kMostFilterSide;

/// A rectangle of the picture.
struct Part {
  std::int64_t x, y, width, height;
};

/// Returns the side that is asked for, at most the picture's; that where none is.
std::int64_t side_of(double asked, std::int64_t whole) {
  return asked > 0 ? std::min(static_cast<std::int64_t>(asked), whole) : whole;
}

Part part_of(const CropParams& params, const RowFormat& format) {
  std::int64_t width = side_of(params.width, format.width), height = side_of(params.height, format.height);
  if (params.aspect > 0) {
    const auto rounded = [](double side) { return std::max<std::int64_t>(1, std::llround(side)); };
    const std::int64_t fits = rounded(static_cast<double>(height) * params.aspect);
    if (fits <= width)
      width = fits;
    else
      height = std::min(height, rounded(static_cast<double>(width) / params.aspect));
  }
  const auto begin = [](int side, double offset, std::int64_t length, std::int64_t whole) {
    return std::clamp<std::int64_t>(begin_at(side, offset, length, whole), 0, whole - length);
  };
  return {begin(column_side(params.place), params.x, width, format.width),
          begin(row_side(params.place), params.y, height, format.height), width, height};
}

struct Crop {
  using Params = CropParams;
  static constexpr std::string_view kName = "crop";
  static constexpr std::string_view kHelp =
      "a part of the picture, pixel by pixel; it stays within the picture";
  static constexpr std::string_view kExample = "aspect=3/2";
  static constexpr Param kParams[] = {
      param<&CropParams::width>("width", "pixels, at most; 0 is all", 0, kMostSide, Values::whole,
                                Measure::pixels_or_percent),
      param<&CropParams::height>("height", "pixels, at most; 0 is all", 0, kMostSide, Values::whole,
                                 Measure::pixels_or_percent_of_height),
      param<&CropParams::aspect>("aspect",
                                 "width by height, as in 3/2: the largest such part of the rest; 0 is any", 0,
                                 1000, Values::any, Measure::ratio),
      choice<&CropParams::place>("place", "side or corner of the picture at which the part lies", kPlaces),
      param<&CropParams::x>("x", "pixels from that side inwards; from the centre to the right", -kMostSide,
                            kMostSide, Values::whole, Measure::pixels_or_percent),
      param<&CropParams::y>("y", "pixels from that side inwards; from the centre downwards", -kMostSide,
                            kMostSide, Values::whole, Measure::pixels_or_percent_of_height)};

  static std::string problem(const CropParams& params) {
    if (params.width > 0 || params.height > 0 || params.aspect > 0) return {};
    return "no size is given; say width, height or aspect, such as crop:aspect=3/2";
  }
  static RowFormat output(const CropParams& params, RowFormat format) {
    const Part part = part_of(params, format);
    format.width = part.width;
    format.height = part.height;
    return format;
  }
  static std::int64_t first_row(const CropParams& params, const RowFormat& format) {
    return part_of(params, format).y;
  }
  static std::int64_t reach(const CropParams&) { return 0; }

  template <class T>
  static void run(Context& context, const CropParams& params, const BandTask<T>& task) {
    const Part part = part_of(params, {task.rows.width, task.height});
    move_pixels(context, {.x0 = part.x, .y0 = part.y}, kEdgeColour, part.y, task);
  }
};

}  // namespace

extern constinit const Filter kCrop = filter_of<Crop>();

}  // namespace scanlens
