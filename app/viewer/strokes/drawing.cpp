#include "app/viewer/strokes/drawing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/viewer/strokes/lines.h"

namespace scanlens {
namespace {

using Place = StrokeDrawing::Place;

}  // namespace

double StrokeRange::nearness(const Strokes& strokes, double depth) const {
  const double value = strokes.metric ? 1 / depth : depth;
  return std::clamp((value - farthest) / (nearest - farthest), 0.0, 1.0);
}

double StrokeRange::depth(const Strokes& strokes, double nearness) const {
  const double value = farthest + nearness * (nearest - farthest);
  if (!strokes.metric) return value;
  return value > 0 ? 1 / value : std::numeric_limits<double>::infinity();
}

StrokeDrawing::StrokeDrawing(Strokes strokes, const StrokeRange& range)
    : strokes_(std::move(strokes)), range_(range) {
  go_to_line(first_open_line());
}

void StrokeDrawing::take(Strokes strokes) {
  strokes_ = std::move(strokes);
  hold_ = Hold::nothing;
  selected_.reset();
  if (!strokes_.strokes.empty()) selected_ = strokes_.strokes.size() - 1;
  if (const int open = first_open_line(); open < line_) return go_to_line(open);
  if (selected_ && !is_slope(strokes_.strokes[*selected_])) next_ = nearness(*selected_, false);
}

void StrokeDrawing::set_radius(double radius) {
  const double most = static_cast<double>(std::max(strokes_.width, strokes_.height)) / 8;
  radius_ = std::clamp(radius, 0.5, std::max(most, 1.0));
}

bool StrokeDrawing::full() const {
  std::size_t points = 0;
  for (const Stroke& stroke : strokes_.strokes) points += stroke.points.size();
  return strokes_.strokes.size() >= kMostStrokes || points >= kMostStrokePoints;
}

/// Returns the uppermost stroke at a place.
std::optional<std::size_t> StrokeDrawing::touched(const Place& place, double reach) const {
  for (std::size_t i = strokes_.strokes.size(); i-- > 0;) {
    const Stroke& stroke = strokes_.strokes[i];
    const double radius = stroke.radius > 0 ? stroke.radius : strokes_.usual_radius();
    if (distance_to(stroke, place) <= std::max(radius, reach)) return i;
  }
  return std::nullopt;
}

/// Returns nearness of a stroke at a place on it.
double StrokeDrawing::nearness_on(const Stroke& stroke, const Place& place) const {
  const double from = range_.nearness(strokes_, stroke.from), to = range_.nearness(strokes_, stroke.to);
  const Place &a = stroke.points.front(), &b = stroke.points.back();
  const double dx = b[0] - a[0], dy = b[1] - a[1], squared = dx * dx + dy * dy;
  if (!is_slope(stroke) || !(squared > 0)) return from;
  const double t = std::clamp(((place[0] - a[0]) * dx + (place[1] - a[1]) * dy) / squared, 0.0, 1.0);
  return from + t * (to - from);
}

/// Returns the place of the photo that is nearest to one.
Place StrokeDrawing::inside(const Place& place) const {
  return {std::clamp(place[0], 0.0, static_cast<double>(strokes_.width - 1)),
          std::clamp(place[1], 0.0, static_cast<double>(strokes_.height - 1))};
}

void StrokeDrawing::erase(const Place& place, double reach) {
  while (const std::optional<std::size_t> number = touched(place, reach)) {
    strokes_.strokes.erase(strokes_.strokes.begin() + static_cast<std::ptrdiff_t>(*number));
    selected_.reset();
  }
}

/// Takes hold of the end of a slope, where one lies there.
bool StrokeDrawing::take_hold(const Place& place, double reach) {
  for (std::size_t i = strokes_.strokes.size(); i-- > 0;) {
    const Stroke& stroke = strokes_.strokes[i];
    if (!is_slope(stroke)) continue;
    const double from = distance(place, stroke.points.front()), to = distance(place, stroke.points.back());
    if (std::min(from, to) > reach) continue;
    hold_ = from < to ? Hold::from : Hold::to;
    selected_ = i;
    return true;
  }
  return false;
}

/// Takes the depth of what is drawn next.
void StrokeDrawing::choose(double nearness) {
  next_ = std::round(std::clamp(nearness, 0.0, 1.0) * 1000) / 1000;
  is_chosen_ = true;
}

void StrokeDrawing::begin_stroke(const Place& place, double reach, std::optional<double> here) {
  const bool is_level = tool_ == StrokeTool::brush;
  if (const std::optional<std::size_t> under = touched(place, reach / 2); under && is_level)
    choose(nearness_on(strokes_.strokes[*under], place));
  else if (here && is_level && !is_chosen_ && !strokes_.map.empty())
    choose(*here);
  Stroke stroke;
  stroke.points = {inside(place)};
  stroke.radius = radius_;
  stroke.from = range_.depth(strokes_, is_level ? next_ : kNearEnd);
  if (tool_ == StrokeTool::sky)
    stroke.from = strokes_.metric ? std::numeric_limits<double>::infinity() : range_.depth(strokes_, 0);
  stroke.to = tool_ == StrokeTool::slope ? range_.depth(strokes_, kFarEnd) : stroke.from;
  if (tool_ == StrokeTool::slope) stroke.points.push_back(stroke.points.front());
  strokes_.strokes.push_back(std::move(stroke));
  selected_ = strokes_.strokes.size() - 1;
  hold_ = Hold::stroke;
}

void StrokeDrawing::press(const Place& place, double reach, std::optional<double> here) {
  if (tool_ == StrokeTool::eraser) {
    hold_ = Hold::eraser;
    return erase(place, reach);
  }
  if (tool_ == StrokeTool::slope && take_hold(place, reach)) return;
  if (!full()) begin_stroke(place, reach, here);
}

void StrokeDrawing::move(const Place& place, double reach) {
  if (hold_ == Hold::nothing) return;
  if (hold_ == Hold::eraser) return erase(place, reach);
  Stroke& stroke = strokes_.strokes[*selected_];
  const Place to = inside(place);
  if (hold_ == Hold::from || hold_ == Hold::to) {
    const Place& other = hold_ == Hold::from ? stroke.points.back() : stroke.points.front();
    if (to != other) (hold_ == Hold::from ? stroke.points.front() : stroke.points.back()) = to;
  } else if (tool_ == StrokeTool::slope) {
    stroke.points.back() = to;
  } else if (distance(to, stroke.points.back()) >= 1 && !full()) {
    stroke.points.push_back(to);
  }
}

void StrokeDrawing::release(double reach) {
  const bool drew = hold_ == Hold::stroke;
  hold_ = Hold::nothing;
  if (!drew) return;
  Stroke& stroke = strokes_.strokes[*selected_];
  if (is_slope(stroke) && distance(stroke.points.front(), stroke.points.back()) < std::max(reach, 1.0)) {
    strokes_.strokes.pop_back();
    selected_.reset();
    return;
  }
  simplify(stroke, 0.5);
  for (Place& point : stroke.points)
    for (double& value : point) value = std::round(10 * value) / 10;
}

void StrokeDrawing::add(Stroke stroke) {
  if (full() || hold_ != Hold::nothing) return;
  if (strokes_.metric) {
    stroke.from = range_.depth(strokes_, stroke.from);
    stroke.to = range_.depth(strokes_, stroke.to);
  }
  strokes_.strokes.push_back(std::move(stroke));
  selected_ = strokes_.strokes.size() - 1;
}

void StrokeDrawing::go_to_line(int line) {
  line_ = std::clamp<int>(line, kNearThing, kAnything);
  tool_ = line_ == kGround ? StrokeTool::slope : StrokeTool::brush;
  if (line_ == kNearThing) next_ = kNearest;
  if (line_ == kFarThing) next_ = kFarthest;
  if (line_ != kAnything) selected_.reset();
}

void StrokeDrawing::pick(double nearness) {
  choose(nearness);
  tool_ = StrokeTool::brush;
}

void StrokeDrawing::select(std::size_t number) {
  if (number < strokes_.strokes.size()) selected_ = number;
}

void StrokeDrawing::remove_selected() {
  if (!selected_ || hold_ != Hold::nothing) return;
  strokes_.strokes.erase(strokes_.strokes.begin() + static_cast<std::ptrdiff_t>(*selected_));
  selected_.reset();
  if (!strokes_.strokes.empty()) selected_ = strokes_.strokes.size() - 1;
}

double StrokeDrawing::nearness(std::size_t number, bool last) const {
  const Stroke& stroke = strokes_.strokes[number];
  return range_.nearness(strokes_, last ? stroke.to : stroke.from);
}

void StrokeDrawing::set_nearness(std::size_t number, bool last, double nearness) {
  Stroke& stroke = strokes_.strokes[number];
  nearness = std::round(std::clamp(nearness, 0.0, 1.0) * 1000) / 1000;
  const double depth = range_.depth(strokes_, nearness);
  if (!is_slope(stroke)) {
    stroke.from = stroke.to = depth;
    choose(nearness);
  } else if (depth != (last ? stroke.from : stroke.to)) {  // else it would be a slope no more
    (last ? stroke.to : stroke.from) = depth;
  }
}

void StrokeDrawing::bring_nearer(double by, const Place& place) {
  if (!selected_) return choose(next_ + by);
  const Stroke& stroke = strokes_.strokes[*selected_];
  const bool last =
      is_slope(stroke) && distance(place, stroke.points.back()) < distance(place, stroke.points.front());
  set_nearness(*selected_, last, nearness(*selected_, last) + by);
}

/// Returns the first line that nothing was drawn for.
int StrokeDrawing::first_open_line() const {
  if (!strokes_.map.empty()) return kAnything;
  bool ground = false, near = false, far = false;
  for (std::size_t i = 0; i < strokes_.strokes.size(); ++i) {
    const bool slopes = is_slope(strokes_.strokes[i]);
    ground |= slopes;
    near |= !slopes && nearness(i, false) >= 0.5;
    far |= !slopes && nearness(i, false) < 0.5;
  }
  return !near ? kNearThing : !far ? kFarThing : !ground ? kGround : kAnything;
}

}  // namespace scanlens
