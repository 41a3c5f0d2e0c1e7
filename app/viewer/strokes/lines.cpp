#include "app/viewer/strokes/lines.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace scanlens {

namespace {

using Place = std::array<double, 2>;

double distance_to_line(const Place& place, const Place& a, const Place& b) {
  const double dx = b[0] - a[0], dy = b[1] - a[1], squared = dx * dx + dy * dy;
  if (!(squared > 0)) return distance(place, a);
  const double t = std::clamp(((place[0] - a[0]) * dx + (place[1] - a[1]) * dy) / squared, 0.0, 1.0);
  return distance(place, {a[0] + t * dx, a[1] + t * dy});
}

/// Adds the points between two that a line without them would miss by more than the tolerance: Douglas and
/// Peucker.
void add_between(const std::vector<Place>& points, std::size_t first, std::size_t last, double tolerance,
                 std::vector<Place>& kept) {
  double most = tolerance;
  std::size_t at = first;
  for (std::size_t i = first + 1; i < last; ++i)
    if (const double off = distance_to_line(points[i], points[first], points[last]); off > most) {
      most = off;
      at = i;
    }
  if (at == first) return;
  add_between(points, first, at, tolerance, kept);
  kept.push_back(points[at]);
  add_between(points, at, last, tolerance, kept);
}

}  // namespace

double distance(const Place& a, const Place& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1]);
}

double distance_to(const Stroke& stroke, const Place& place) {
  double least = distance(place, stroke.points.front());
  for (std::size_t i = 1; i < stroke.points.size(); ++i)
    least = std::min(least, distance_to_line(place, stroke.points[i - 1], stroke.points[i]));
  return least;
}

void simplify(Stroke& stroke, double tolerance) {
  if (stroke.points.size() < 3) return;
  std::vector<Place> kept = {stroke.points.front()};
  add_between(stroke.points, 0, stroke.points.size() - 1, tolerance, kept);
  kept.push_back(stroke.points.back());
  stroke.points = std::move(kept);
}

}  // namespace scanlens
