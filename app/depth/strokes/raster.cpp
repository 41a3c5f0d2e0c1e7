#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "app/depth/strokes/spread.h"
#include "core/error.h"

namespace scanlens {
namespace {

struct Point {
  double x, y;
};

/// Widens an interval by another.
struct Interval {
  double least = std::numeric_limits<double>::infinity(), most = -std::numeric_limits<double>::infinity();
  void add(double a, double b) {
    least = std::min(least, a);
    most = std::max(most, b);
  }
};

/// The columns of row y that lie within `radius` of a line: two discs and the strip between them, which
/// together are convex.
Interval columns_in(const Point& a, const Point& b, double radius, double y) {
  Interval columns;
  for (const Point& end : {a, b})
    if (const double up = y - end.y; std::abs(up) <= radius) {
      const double half = std::sqrt(radius * radius - up * up);
      columns.add(end.x - half, end.x + half);
    }
  const double dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy);
  if (!(length > 0)) return columns;
  const Point aside = {-dy / length * radius, dx / length * radius};
  for (const double sign : {-1.0, 1.0}) {
    const double y0 = a.y + sign * aside.y, y1 = b.y + sign * aside.y;
    if (y < std::min(y0, y1) || y > std::max(y0, y1) || y0 == y1) continue;
    const double x = a.x + sign * aside.x + (y - y0) / (y1 - y0) * dx;
    columns.add(x, x);
  }
  return columns;
}

/// Draws one line and returns whether it covers a pixel.
bool draw(const Point& a, const Point& b, double radius, std::int16_t number, View<std::int16_t> numbers) {
  const auto clipped = [](double value, std::int64_t most) {
    return static_cast<std::int64_t>(std::clamp(value, -1.0, static_cast<double>(most)));
  };
  const std::int64_t first = clipped(std::ceil(std::min(a.y, b.y) - radius), numbers.height);
  const std::int64_t last = clipped(std::floor(std::max(a.y, b.y) + radius), numbers.height - 1);
  bool covers = false;
  for (std::int64_t y = std::max<std::int64_t>(first, 0); y <= last; ++y) {
    const Interval columns = columns_in(a, b, radius, static_cast<double>(y));
    if (!(columns.least <= columns.most)) continue;
    const std::int64_t begin = std::max<std::int64_t>(0, clipped(std::ceil(columns.least), numbers.width));
    const std::int64_t end = clipped(std::floor(columns.most), numbers.width - 1) + 1;
    if (begin >= end) continue;
    std::fill(numbers.row(y) + begin, numbers.row(y) + end, number);
    covers = true;
  }
  return covers;
}

/// Nearness of a stroke's ends.
struct Ends {
  double from, to;
};

/// Makes strokes of one depth share planes where there are too many.
class Sharing {
 public:
  /// Returns the plane of each stroke; groups[i] is the mean depth of a plane's levels.
  std::vector<std::int16_t> assign(std::span<const Ends> ends, const std::string& name) {
    std::vector<std::int16_t> of_stroke(ends.size(), -1);
    std::vector<std::size_t> levels;
    std::size_t slopes = 0;
    for (std::size_t i = 0; i < ends.size(); ++i)
      ends[i].from == ends[i].to ? levels.push_back(i) : static_cast<void>(++slopes);
    const std::size_t all = ends.size(), most = kMostStrokePlanes;
    if (slopes > kMostSlopes)
      throw Error(
          fmt::format("{}: {} slopes; at most {}: give some of them one depth", name, slopes, kMostSlopes));
    if (all <= most) {
      for (std::size_t i = 0; i < all; ++i) add(of_stroke, i, ends);
      return of_stroke;
    }
    // Equal levels share a plane; where that is not enough, all within a step of the range do.
    std::map<double, std::vector<std::size_t>> sharing;
    for (const std::size_t i : levels) sharing[ends[i].from].push_back(i);
    const std::size_t room = most - slopes;
    if (sharing.size() > room) {
      const double least = sharing.begin()->first, range = sharing.rbegin()->first - least;
      sharing.clear();
      for (const std::size_t i : levels) {
        const double step = std::floor((ends[i].from - least) / range * static_cast<double>(room));
        sharing[std::min(step, static_cast<double>(room - 1))].push_back(i);
      }
    }
    for (const auto& [step, members] : sharing) {
      double sum = 0;
      for (const std::size_t i : members) {
        sum += ends[i].from;
        of_stroke[i] = static_cast<std::int16_t>(groups.size());
      }
      groups.push_back(sum / static_cast<double>(members.size()));
    }
    for (std::size_t i = 0; i < all; ++i)
      if (ends[i].from != ends[i].to) add(of_stroke, i, ends);
    return of_stroke;
  }

  std::vector<double> groups;

 private:
  static constexpr std::size_t kMostSlopes = 48;

  void add(std::vector<std::int16_t>& of_stroke, std::size_t i, std::span<const Ends> ends) {
    of_stroke[i] = static_cast<std::int16_t>(groups.size());
    groups.push_back(ends[i].from);
  }
};

}  // namespace

StrokeRaster rasterised(const Strokes& strokes, std::int64_t width, std::int64_t height,
                        const std::string& name) {
  StrokeRaster raster;
  std::vector<Ends> ends;
  for (const Stroke& stroke : strokes.strokes)
    ends.push_back(strokes.metric ? Ends{1 / stroke.from, 1 / stroke.to} : Ends{stroke.from, stroke.to});
  if (strokes.metric) {
    raster.farthest = std::numeric_limits<double>::infinity();
    raster.nearest = 0;
    for (const Ends& one : ends) {
      raster.farthest = std::min({raster.farthest, one.from, one.to});
      raster.nearest = std::max({raster.nearest, one.from, one.to});
    }
    if (strokes.leave_out_the_far()) raster.farthest = 0;
    const double range = raster.nearest > raster.farthest ? raster.nearest - raster.farthest : 1;
    for (Ends& one : ends) one = {(one.from - raster.farthest) / range, (one.to - raster.farthest) / range};
  }

  Sharing sharing;
  const std::vector<std::int16_t> plane_of = sharing.assign(ends, name);
  for (const double level : sharing.groups) raster.planes.push_back({static_cast<float>(level)});
  raster.numbers = Image<std::int16_t>(width, height);
  const View<std::int16_t> numbers = raster.numbers.view();
  std::fill_n(numbers.data, numbers.extent(), std::int16_t{-1});
  const double across = static_cast<double>(width) / static_cast<double>(strokes.width);
  const double down = static_cast<double>(height) / static_cast<double>(strokes.height);
  const auto placed = [&](const std::array<double, 2>& point) {
    return Point{(point[0] + 0.5) * across - 0.5, (point[1] + 0.5) * down - 0.5};
  };
  for (std::size_t i = 0; i < strokes.strokes.size(); ++i) {
    const Stroke& stroke = strokes.strokes[i];
    // Half a pixel more, so that a stroke of radius r is 2 r + 1 pixels wide; and never so thin that it falls
    // between pixels.
    const double radius =
        std::max(0.75, (stroke.radius > 0 ? stroke.radius : strokes.usual_radius()) * across +
                           0.5 * std::min(1.0, across));
    bool covers = false;
    Point last = placed(stroke.points.front());
    for (const auto& point : stroke.points) {
      const Point next = placed(point);
      covers |= draw(last, next, radius, plane_of[i], numbers);
      last = next;
    }
    if (!covers)
      throw Error(fmt::format("{}: stroke {} covers no pixel of the photo ({} x {})", name, i + 1,
                              strokes.width, strokes.height));
    if (ends[i].from == ends[i].to) continue;
    const Point a = placed(stroke.points.front());
    const double dx = last.x - a.x, dy = last.y - a.y,
                 slope = (ends[i].to - ends[i].from) / (dx * dx + dy * dy);
    raster.planes[static_cast<std::size_t>(plane_of[i])] = {
        static_cast<float>(ends[i].from - slope * (dx * a.x + dy * a.y)), static_cast<float>(slope * dx),
        static_cast<float>(slope * dy)};
  }
  return raster;
}

}  // namespace scanlens
