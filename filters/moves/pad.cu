// Room beside the picture: up to a size, or as much on every side.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "filters/moves/move.h"
#include "filters/parts/filter_of.h"
#include "filters/parts/place.h"

namespace scanlens {
namespace {

/// The most pixels that a side may be given.
constexpr double kMostPadded = 12000;

/// A larger picture, and the place of the smaller one in it.
struct Room {
  std::int64_t x, y, width, height;
};

RowFormat within(const Room& room, RowFormat format) {
  if (format.width == 0 || format.height == 0) return format;
  format.width = room.width;
  format.height = room.height;
  return format;
}

/// The move into the room that room_of() gives for the parameters.
template <class P>
struct InRoom {
  using Params = P;
  static RowFormat output(const P& params, const RowFormat& format) {
    return within(room_of(params, format), format);
  }
  static std::int64_t first_row(const P& params, const RowFormat& format) {
    return -room_of(params, format).y;
  }
  static std::int64_t reach(const P&) { return 0; }

  template <class T>
  static void run(Context& context, const P& params, const BandTask<T>& task) {
    const Room room = room_of(params, {task.rows.width, task.height});
    move_pixels(context, {.x0 = -room.x, .y0 = -room.y}, params.colour, -room.y, task);
  }
};

struct PadParams {
  double width = 0;
  double height = 0;
  double aspect = 0;
  double place = 0;
  double colour = 0xffffff;
};

Room room_of(const PadParams& params, const RowFormat& format) {
  const auto at_least = [](double asked, std::int64_t side) {
    return std::max(static_cast<std::int64_t>(asked), side);
  };
  std::int64_t width = at_least(params.width, format.width), height = at_least(params.height, format.height);
  if (params.aspect > 0 && format.width > 0 && format.height > 0) {
    const double most = 4 * static_cast<double>(std::max(width, height));
    const auto whole = [most](double side) { return std::llround(std::min(side, most)); };
    width = std::max<std::int64_t>(width, whole(static_cast<double>(height) * params.aspect));
    height = std::max<std::int64_t>(height, whole(static_cast<double>(width) / params.aspect));
  }
  return {begin_at(column_side(params.place), 0, format.width, width),
          begin_at(row_side(params.place), 0, format.height, height), width, height};
}

struct Pad : InRoom<PadParams> {
  static constexpr std::string_view kName = "pad";
  static constexpr std::string_view kHelp = "room beside the picture, up to a size";
  static constexpr std::string_view kExample = "aspect=1";
  static constexpr Param kParams[] = {
      param<&PadParams::width>("width", "pixels, at least; 0 is the picture's", 0, kMostPadded, Values::whole,
                               Measure::pixels),
      param<&PadParams::height>("height", "pixels, at least; 0 is the picture's", 0, kMostPadded,
                                Values::whole, Measure::pixels),
      param<&PadParams::aspect>(
          "aspect",
          "width by height, as in 3/2: room up to that, at most four times the longer side; 0 is any", 0,
          1000, Values::any, Measure::ratio),
      choice<&PadParams::place>("place", "where the picture lies", kPlaces),
      param<&PadParams::colour>("colour", "of the room; edge repeats the picture's edge", kEdgeColour,
                                0xffffff, Values::whole, Measure::colour)};

  static std::string problem(const PadParams& params) {
    if (params.width > 0 || params.height > 0 || params.aspect > 0) return {};
    return "no size is given; say width, height or aspect, such as pad:aspect=1";
  }
};

struct BorderParams {
  double size = 20;
  double colour = 0;
};

Room room_of(const BorderParams& params, const RowFormat& format) {
  const auto size = static_cast<std::int64_t>(params.size);
  return {size, size, format.width + 2 * size, format.height + 2 * size};
}

struct Border : InRoom<BorderParams> {
  static constexpr std::string_view kName = "border";
  static constexpr std::string_view kHelp = "a border as wide on every side of the picture";
  static constexpr Param kParams[] = {
      param<&BorderParams::size>("size", "pixels on every side", 0, 4096, Values::whole,
                                 Measure::pixels_or_percent),
      param<&BorderParams::colour>("colour", "of the border; edge repeats the picture's edge", kEdgeColour,
                                   0xffffff, Values::whole, Measure::colour)};
};

}  // namespace

extern constinit const Filter kPad = filter_of<Pad>();
extern constinit const Filter kBorder = filter_of<Border>();

}  // namespace scanlens
