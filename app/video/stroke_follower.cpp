#include "app/video/stroke_follower.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace scanlens {
namespace {

/// Patches along a stroke, and along all of many.
constexpr std::size_t kPatches = 5, kAllPatches = 100;

using Points = std::vector<std::array<double, 2>>;

double span(const Points& points, std::size_t i) {
  return std::hypot(points[i + 1][0] - points[i][0], points[i + 1][1] - points[i][1]);
}

/// Returns the part of a polyline between two shares of its length.
Points part_of(const Points& points, double from, double to) {
  double length = 0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) length += span(points, i);
  if (length == 0) return points;
  Points part;
  double at = 0;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const double own = span(points, i), begin = from * length - at, end = to * length - at;
    at += own;
    const auto add = [&](double place) {
      const double t = own > 0 ? std::clamp(place / own, 0.0, 1.0) : 0;
      part.push_back(
          {std::lerp(points[i][0], points[i + 1][0], t), std::lerp(points[i][1], points[i + 1][1], t)});
    };
    if (end < 0 || begin > own) continue;
    if (part.empty()) add(begin);
    add(end);
  }
  return part;
}

/// Returns the middle value; there is one at least.
double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::vector<StrokeFollower::Piece> StrokeFollower::pieces_of(const Stroke& stroke, Grey grey) const {
  const double scale = static_cast<double>(grey.width) / static_cast<double>(strokes_.width);
  const auto count = std::clamp<std::size_t>(kAllPatches / strokes_.strokes.size(), 1, kPatches);
  const auto share = [&](double number) { return number / static_cast<double>(count); };
  std::vector<Piece> pieces;
  for (std::size_t k = 0; k < count; ++k) {
    const auto number = static_cast<double>(k);
    const auto [x, y] = part_of(stroke.points, 0, share(number + 0.5)).back();
    const Spot spot{(x + 0.5) * scale - 0.5, (y + 0.5) * scale - 0.5};
    pieces.push_back(
        {PatchFollower(grey, spot), spot, part_of(stroke.points, share(number), share(number + 1))});
  }
  return pieces;
}

void StrokeFollower::begin(FrameAtWork& at, Grey grey) {
  std::vector<std::size_t> plain;
  for (std::size_t i = 0; i < strokes_.strokes.size(); ++i) {
    const Followed& one = followed_.emplace_back(Followed{pieces_of(strokes_.strokes[i], grey), {}});
    if (std::none_of(one.pieces.begin(), one.pieces.end(), has_detail)) plain.push_back(i + 1);
  }
  if (!plain.empty())
    at.talk.assume(
        fmt::format("{}: stroke {} lies on what is of one tone, and stays where it is in all frames",
                    at.frame.name, fmt::join(plain, ", ")));
}

bool StrokeFollower::move(Followed& one, Grey grey) {
  std::vector<double> across, down;
  for (Piece& piece : one.pieces) {
    piece.patch.follow(grey);
    if (!has_detail(piece) || !piece.patch.is_seen()) continue;
    across.push_back(piece.patch.at().x - piece.begin.x);
    down.push_back(piece.patch.at().y - piece.begin.y);
  }
  if (across.empty()) return std::none_of(one.pieces.begin(), one.pieces.end(), has_detail);
  one.moved = {middle_of(across), middle_of(down)};
  return true;
}

Strokes StrokeFollower::follow(FrameAtWork& at) {
  constexpr std::int64_t kLongest = 640;
  const Image<float> before = std::exchange(before_, at.frame.pixels.small_brightness(kLongest));
  const Grey grey = before_.view();
  if (followed_.empty()) return begin(at, grey), strokes_;
  if (!is_cut_ && is_cut(before.view(), grey)) {
    is_cut_ = true;
    at.talk.warn(at.frame.name +
                 ": a cut; strokes cannot be carried over it, and lie where they were drawn from "
                 "here on; --from makes a part with strokes of its own");
  }
  if (is_cut_) return strokes_;
  Strokes moved = strokes_;
  moved.strokes.clear();
  const double scale = static_cast<double>(strokes_.width) / static_cast<double>(grey.width);
  for (std::size_t i = 0; i < followed_.size(); ++i) {
    Followed& one = followed_[i];
    if (!move(one, grey)) continue;
    const auto add = [&](const Points& points) {
      Stroke& stroke = moved.strokes.emplace_back(strokes_.strokes[i]);
      stroke.points = points;
      for (auto& [x, y] : stroke.points) {
        x += one.moved.x * scale;
        y += one.moved.y * scale;
      }
    };
    if (const Stroke& drawn = strokes_.strokes[i]; drawn.from != drawn.to) {
      add(drawn.points);
      continue;
    }
    for (const Piece& piece : one.pieces)
      if (piece.patch.is_seen()) add(piece.points);
  }
  if (!moved.strokes.empty()) return moved;
  at.talk.warn(at.frame.name + ": none of the strokes is seen; all lie where they were drawn");
  return strokes_;
}

}  // namespace scanlens
