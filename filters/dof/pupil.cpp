#include "filters/dof/pupil.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "filters/dof_shape.h"

namespace scanlens {
namespace {

constexpr double kPi = std::numbers::pi;
/// Edges that touch are not missed by rounding.
constexpr double kRounding = 1e-12;
/// No pupil reaches farther, in radii: corners of three blades in ovals of 4 x 3, stretched by 2.
constexpr double kFarthest = 8;
/// Heights at which a pupil is looked at.
constexpr int kHeights = 512;

}  // namespace

int sides_of(const DofStyle& style) {
  constexpr int kLeastSides = 3;
  const int blades = static_cast<int>(style.blades);
  if (blades >= kLeastSides) return blades;
  return style.bokeh == Bokeh::hexagon ? 6 : style.bokeh == Bokeh::octagon ? 8 : 0;
}

Pupil::Pupil(const DofStyle& style, const FramePlace& place) {
  const double diagonal = std::hypot(place.aspect, 1.), right = place.x * place.aspect / diagonal,
               down = place.y / diagonal, far = std::hypot(right, down);
  const double toward_x = far > 0 ? right / far : 1, toward_y = far > 0 ? down / far : 0;
  add_iris(style);
  cut(style, place, right, down);
  // An offset is S A p for a point p of the pupil: A makes it high, S longer along the tangent than along the
  // radius. This is the inverse.
  const double ratio = style.anamorphic * (1 + style.edge_squeeze * place.x * place.x),
               twist = style.swirl * far * far, stretch = std::sqrt(twist >= 0 ? 1 + twist : 1 / (1 - twist)),
               wide = 1 / std::sqrt(ratio), high = std::sqrt(ratio);
  const double xx = stretch * toward_x * toward_x + toward_y * toward_y / stretch,
               xy = (stretch - 1 / stretch) * toward_x * toward_y,
               yy = stretch * toward_y * toward_y + toward_x * toward_x / stretch;
  to_pupil_ = {xx / wide, xy / wide, xy / high, yy / high};
  find_rows();
  centre();
}

/// A circle, or circles and sides that meet in the corners between blades. Its area is that of a circle of
/// radius 1, however round they are.
void Pupil::add_iris(const DofStyle& style) {
  const bool is_box = sides_of(style) == 0 && style.bokeh == Bokeh::box;
  const int blades = is_box ? 4 : sides_of(style);
  if (blades == 0) {
    circles_.push_back({0, 0, 1});
    return;
  }
  const double half = kPi / blades, round = style.roundness;
  const double bend = std::asin(round * std::sin(half));
  const double segment = round > 0 ? (bend - std::sin(bend) * std::cos(bend)) / (round * round) : 0;
  const double corner = std::sqrt(kPi / (blades * (0.5 * std::sin(2 * half) + segment)));
  rim_ = corner;
  // Without a rotation it stands on a side.
  const double first = kPi / 2 + (is_box ? 0 : style.rotation * kPi / 180);
  for (int i = 0; i < blades; ++i) {
    const double x = std::cos(first + i * 2 * half), y = std::sin(first + i * 2 * half);
    const double side = corner * std::cos(half);
    if (round > 0) {
      const double radius = corner / round, from = side - radius * std::cos(bend);
      circles_.push_back({x * from, y * from, radius});
    } else {
      sides_.push_back({x, y, side});
    }
  }
}

/// Takes away the part that the barrel and the doors hide; `right` and `down` are the place in halves of the
/// diagonal.
void Pupil::cut(const DofStyle& style, const FramePlace& place, double right, double down) {
  const double barrel = style.cats_eye * rim_;
  if (style.cats_eye > 0) circles_.push_back({-barrel * right, -barrel * down, rim_});
  if (style.doors > 0)
    sides_.push_back({place.x < 0 ? -1. : 1., 0, rim_ * (1 - style.doors * std::abs(place.x))});
  if (style.doors_down > 0)
    sides_.push_back({0, place.y < 0 ? -1. : 1., rim_ * (1 - style.doors_down * std::abs(place.y))});
}

std::array<double, 2> Pupil::run(double y, double zone) const {
  const auto [a, b, c, d] = to_pupil_;
  const double per = a * a + c * c;
  std::array<double, 2> ends = {-1e30, 1e30};
  const std::array<double, 2> none = {1, -1};
  for (std::size_t i = zone < 1 ? 0 : 1; i <= circles_.size(); ++i) {
    const Circle circle = i == 0 ? Circle{0, 0, zone} : circles_[i - 1];
    const double u = b * y - circle.x, v = d * y - circle.y, along = a * u + c * v;
    const double square = along * along - per * (u * u + v * v - circle.radius * circle.radius);
    if (square < -kRounding) return none;
    const double half = std::sqrt(std::max(0., square));
    ends = {std::max(ends[0], (-along - half) / per), std::min(ends[1], (-along + half) / per)};
  }
  for (const Side& side : sides_) {
    const double per_x = side.x * a + side.y * c, left = side.most - (side.x * b + side.y * d) * y;
    if (std::abs(per_x) < kRounding) {
      if (left < -kRounding) return none;
    } else if (per_x > 0) {
      ends[1] = std::min(ends[1], left / per_x);
    } else {
      ends[0] = std::max(ends[0], left / per_x);
    }
  }
  return ends;
}

std::array<double, 2> Pupil::at(double y, double zone) const {
  const auto [left, right] = run(y + middle_y_, zone);
  return {left - middle_x_, right - middle_x_};
}

/// Finds its top and its bottom: first by steps, then by halving.
void Pupil::find_rows() {
  const auto has = [&](double y) {
    const auto [left, right] = run(y);
    return left <= right;
  };
  constexpr double kStep = 2 * kFarthest / kHeights;
  double top = 0, bottom = 0;
  bool any = false;
  for (int i = 0; i <= kHeights; ++i) {
    const double y = i * kStep - kFarthest;
    if (!has(y)) continue;
    top = any ? top : y;
    bottom = y;
    any = true;
  }
  double step = kStep;
  for (int i = 0; i < 50; ++i) {
    step /= 2;
    if (has(top - step)) top -= step;
    if (has(bottom + step)) bottom += step;
  }
  rows_ = {top, bottom};
}

/// Moves the centre of mass to 0, where it is not there already.
void Pupil::centre() {
  const double height = (rows_[1] - rows_[0]) / kHeights;
  double area = 0, across = 0, down = 0;
  for (int i = 0; i < kHeights; ++i) {
    const double y = rows_[0] + (i + 0.5) * height;
    const auto [left, right] = run(y);
    if (left > right) continue;
    area += right - left;
    across += (right * right - left * left) / 2;
    down += y * (right - left);
  }
  area_ = area * height;
  constexpr double kNone = 1e-6;  // of regular shapes
  const double x = across / area, y = down / area;
  if (std::hypot(x, y) < kNone) return;
  middle_x_ = x;
  middle_y_ = y;
  rows_ = {rows_[0] - y, rows_[1] - y};
}

std::array<double, 2> Pupil::reach() const {
  double across = 0;
  for (int i = 0; i <= kHeights; ++i) {
    const auto [left, right] = at(rows_[0] + (rows_[1] - rows_[0]) * i / kHeights);
    if (left <= right) across = std::max({across, -left, right});
  }
  constexpr double kBetweenHeights = 1e-3;
  return {across + kBetweenHeights, std::max(-rows_[0], rows_[1])};
}

}  // namespace scanlens
