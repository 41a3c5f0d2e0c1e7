#include "tests/bench/strokes/person.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <utility>

namespace scanlens::bench {
namespace {

using Map = cv::Mat1f;
using Mask = cv::Mat1b;
using Ends = std::pair<cv::Point, cv::Point>;

Map map_of(const Image<float>& image) {
  return Map(static_cast<int>(image.height()), static_cast<int>(image.width()),
             const_cast<float*>(image.view().data));
}

double length_of(const Ends& ends) {
  return std::hypot(ends.first.x - ends.second.x, ends.first.y - ends.second.y);
}

/// Distances to the border of a mask, or of the picture.
Map inside(const Mask& mask) {
  Mask framed;
  cv::copyMakeBorder(mask, framed, 1, 1, 1, 1, cv::BORDER_CONSTANT, 0);
  Map distance;
  cv::distanceTransform(framed, distance, cv::DIST_L2, 5, CV_32F);
  return distance(cv::Rect(1, 1, mask.cols, mask.rows)).clone();
}

/// 1 where nearness hardly changes to the right and down.
Mask calm(const Map& d, float most = .03f) {
  Mask mask(d.size());
  for (int y = 0; y < d.rows; ++y)
    for (int x = 0; x < d.cols; ++x) {
      const float right = x + 1 < d.cols ? d(y, x + 1) - d(y, x) : 0,
                  down = y + 1 < d.rows ? d(y + 1, x) - d(y, x) : 0;
      mask(y, x) = std::abs(right) < most && std::abs(down) < most;
    }
  return mask;
}

cv::Point largest_of(const Map& map) {
  cv::Point best(0, 0);
  for (int y = 0; y < map.rows; ++y)
    for (int x = 0; x < map.cols; ++x)
      if (map(y, x) > map(best)) best = {x, y};
  return best;
}

/// The ends of a line through `start` that stays where there is room.
Ends run_along(const Map& room, cv::Point start, cv::Point2d way, double need, double longest) {
  cv::Point ends[2];
  for (const int sign : {-1, 1}) {
    const auto at = [&](int t) {
      return cv::Point(static_cast<int>(std::nearbyint(start.x + sign * t * way.x)),
                       static_cast<int>(std::nearbyint(start.y + sign * t * way.y)));
    };
    int t = 0;
    while (t < longest) {
      const cv::Point next = at(t + 1);
      if (!next.inside(cv::Rect(0, 0, room.cols, room.rows)) || room(next) < need) break;
      ++t;
    }
    ends[sign > 0] = at(t);
  }
  return {ends[0], ends[1]};
}

/// Linear between sorted values, as numpy has it.
double percentile(std::vector<float> values, double percent) {
  std::sort(values.begin(), values.end());
  const double place = percent / 100 * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

double median_at(const Map& d, cv::Point p) {
  std::vector<float> values;
  for (int y = std::max(0, p.y - 2); y < std::min(d.rows, p.y + 3); ++y)
    for (int x = std::max(0, p.x - 2); x < std::min(d.cols, p.x + 3); ++x) values.push_back(d(y, x));
  return static_cast<float>(percentile(values, 50));
}

Stroke stroke_between(const Ends& ends, double radius, double from, double to) {
  Stroke stroke;
  for (const cv::Point& end : {ends.first, ends.second})
    stroke.points.push_back({static_cast<double>(end.x), static_cast<double>(end.y)});
  stroke.radius = radius;
  stroke.from = from;
  stroke.to = to;
  return stroke;
}

/// The longest stroke through p; the depth of its middle, or of both ends where it visibly slopes.
Stroke stroke_at(const Map& room, cv::Point p, const Map& d, int brush) {
  const int radius = std::min(brush, std::max(1, static_cast<int>(room(p) / 2)));
  Ends best = {p, p};
  double longest = -1;
  for (int i = 0; i < 24; ++i) {
    const double turn = i * 7.5 * std::numbers::pi / 180;
    const Ends ends = run_along(room, p, {std::cos(turn), std::sin(turn)}, radius + 1, .15 * d.cols);
    if (length_of(ends) > longest) best = ends, longest = length_of(ends);
  }
  const double middle = median_at(d, p), from = median_at(d, best.first), to = median_at(d, best.second);
  const double t = length_of({p, best.first}) / std::max(1e-6, longest);
  if (std::abs(to - from) > .06 && std::abs(from + t * (to - from) - middle) < .03 && longest > 12)
    return stroke_between(best, radius, from, to);
  return stroke_between(best, radius, middle, middle);
}

/// Pixels of one calm part, with their places in shares of the picture.
struct Part {
  std::vector<cv::Point> pixels;
  std::vector<float> values;
};

/// nearness = plane[0] x / width + plane[1] y / height + plane[2].
using Plane = cv::Vec3d;

double value_of(const Plane& plane, cv::Point p, cv::Size size) {
  return plane[0] * p.x / size.width + plane[1] * p.y / size.height + plane[2];
}

Plane fitted_plane(const Part& part, const std::vector<char>& on, cv::Size size) {
  cv::Matx33d normal = cv::Matx33d::zeros();
  Plane right(0, 0, 0);
  for (std::size_t i = 0; i < on.size(); ++i) {
    if (!on[i]) continue;
    const Plane a(static_cast<double>(part.pixels[i].x) / size.width,
                  static_cast<double>(part.pixels[i].y) / size.height, 1);
    normal += a * a.t();
    right += a * static_cast<double>(part.values[i]);
  }
  cv::Mat1d solution;
  cv::solve(cv::Mat(normal), cv::Mat(right), solution, cv::DECOMP_SVD);
  return {solution(0), solution(1), solution(2)};
}

struct FoundPlane {
  std::size_t count;
  Plane plane;
  Mask mask;
};

/// The plane around a pixel, if it is large and slopes.
void find_plane(const Map& d, const cv::Mat1i& parts, cv::Point seed, std::vector<FoundPlane>& found) {
  const double area = static_cast<double>(d.total());
  Part part;
  for (int y = 0; y < d.rows; ++y)
    for (int x = 0; x < d.cols; ++x)
      if (parts(y, x) == parts(seed)) {
        part.pixels.emplace_back(x, y);
        part.values.push_back(d(y, x));
      }
  if (static_cast<double>(part.pixels.size()) < .03 * area) return;
  std::vector<char> on(part.pixels.size());
  for (std::size_t i = 0; i < on.size(); ++i)
    on[i] = std::hypot(part.pixels[i].x - seed.x, part.pixels[i].y - seed.y) < .08 * d.cols &&
            std::abs(part.values[i] - d(seed)) < .1f;
  const auto count = [&on] { return static_cast<std::size_t>(std::count(on.begin(), on.end(), 1)); };
  Plane plane;
  for (int round = 0; round < 6 && count() >= 100; ++round) {
    plane = fitted_plane(part, on, d.size());
    for (std::size_t i = 0; i < on.size(); ++i)
      on[i] = std::abs(value_of(plane, part.pixels[i], d.size()) - part.values[i]) < .025;
  }
  if (static_cast<double>(count()) < .05 * area) return;
  std::vector<float> values;
  Mask mask(d.size(), 0);
  for (std::size_t i = 0; i < on.size(); ++i)
    if (on[i]) {
      values.push_back(part.values[i]);
      mask(part.pixels[i]) = 1;
    }
  if (percentile(values, 97) - percentile(values, 3) < .15) return;
  cv::morphologyEx(mask, mask, cv::MORPH_CLOSE, Mask::ones(5, 5));
  found.push_back({values.size(), plane, mask});
}

/// At most two sloping planes (ground, wall), each a stroke along its slope.
void draw_planes(const Map& d, int brush, std::vector<Stroke>& drawn) {
  cv::Mat1i parts;
  const Mask smooth = calm(d, .02f);
  cv::connectedComponents(smooth, parts, 4, CV_32S);
  std::vector<FoundPlane> found;
  for (int j = 0; j < 6; ++j)
    for (int i = 0; i < 8; ++i)
      if (const cv::Point seed(static_cast<int>(d.cols * (i + .5) / 8),
                               static_cast<int>(d.rows * (j + .5) / 6));
          smooth(seed))
        find_plane(d, parts, seed, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
  Mask taken(d.size(), 0);
  for (const FoundPlane& one : found) {
    if (cv::countNonZero(taken & one.mask) > .3 * cv::countNonZero(one.mask)) continue;
    const Map room = inside(one.mask);
    const double steepness = std::hypot(one.plane[0], one.plane[1]);
    const cv::Point2d way(one.plane[0] / steepness, one.plane[1] / steepness);
    std::vector<cv::Point> places;
    for (int y = 0; y < d.rows; ++y)
      for (int x = 0; x < d.cols; ++x)
        if (room(y, x) > static_cast<float>(brush + 1)) places.emplace_back(x, y);
    if (places.empty()) continue;
    Ends best;
    double longest = -1;
    const std::size_t step = std::max<std::size_t>(1, places.size() / 300);
    for (std::size_t i = 0; i < places.size(); i += step) {
      const Ends ends = run_along(room, places[i], way, brush + 1, d.cols + d.rows);
      if (length_of(ends) > longest) best = ends, longest = length_of(ends);
    }
    if (longest < .08 * d.cols) continue;
    const auto at = [&](cv::Point p) { return std::clamp(value_of(one.plane, p, d.size()), 0., 1.); };
    drawn.push_back(stroke_between(best, brush, at(best.first), at(best.second)));
    taken |= one.mask;
    if (drawn.size() == 2) return;
  }
}

/// One in each of three clusters of place and depth.
void draw_clusters(const Map& d, const Mask& known, int brush, std::vector<Stroke>& drawn) {
  std::vector<cv::Point> places;
  cv::Mat1f samples(cv::countNonZero(known), 3);
  for (int y = 0; y < d.rows; ++y)
    for (int x = 0; x < d.cols; ++x)
      if (known(y, x)) {
        float* const sample = samples[static_cast<int>(places.size())];
        sample[0] = static_cast<float>(static_cast<double>(x) / d.cols);
        sample[1] = static_cast<float>(static_cast<double>(y) / d.rows);
        sample[2] = d(y, x) * 1.5f;
        places.emplace_back(x, y);
      }
  cv::setRNGSeed(1);
  cv::Mat1i labels;
  cv::kmeans(samples, 3, labels, {3, 30, 1e-4}, 3, cv::KMEANS_PP_CENTERS);
  for (int cluster = 0; cluster < 3; ++cluster) {
    Mask mask(d.size(), 0);
    for (std::size_t i = 0; i < places.size(); ++i) mask(places[i]) = labels(static_cast<int>(i)) == cluster;
    const Map room = inside(mask & calm(d));
    drawn.push_back(stroke_at(room, largest_of(room), d, brush));
  }
}

/// One where the largest wrong area is.
Stroke correction(const Map& found, const Map& d, const Mask& known, int brush) {
  const Mask still = calm(d);
  Map error(d.size());
  Mask wrong(d.size());
  for (int y = 0; y < d.rows; ++y)
    for (int x = 0; x < d.cols; ++x) {
      error(y, x) = known(y, x) ? std::abs(found(y, x) - d(y, x)) : 0;
      wrong(y, x) = error(y, x) > .05f && still(y, x);
    }
  const cv::Point worst = largest_of(inside(wrong).mul(cv::min(error, .3f)));
  Mask alike(d.size());
  for (int y = 0; y < d.rows; ++y)
    for (int x = 0; x < d.cols; ++x) alike(y, x) = still(y, x) && std::abs(d(y, x) - d(worst)) < .12f;
  return stroke_at(inside(alike), worst, d, brush);
}

}  // namespace

StrokeTruth stroke_truth(View<const float> disparity) {
  const std::int64_t width = disparity.width, height = disparity.height;
  StrokeTruth truth = {Image<float>(width, height), Image<std::uint8_t>(width, height)};
  std::vector<float> values;
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      truth.known.view()(x, y) = std::isfinite(disparity(x, y));
      if (std::isfinite(disparity(x, y))) values.push_back(disparity(x, y));
    }
  if (values.empty()) return truth;
  const double least = percentile(values, .1), most = percentile(values, 99.9);
  for (std::int64_t y = 0; y < height; ++y) {
    const float* const in = disparity.row(y);
    float* const out = truth.nearness.view().row(y);
    std::vector<float> left(static_cast<std::size_t>(width)), right(left);
    const auto value = [&](std::int64_t x) {
      return static_cast<float>(std::clamp((static_cast<double>(in[x]) - least) / (most - least), 0., 1.));
    };
    float last = 2;
    for (std::int64_t x = 0; x < width; ++x) left[x] = last = std::isfinite(in[x]) ? value(x) : last;
    last = 2;
    for (std::int64_t x = width - 1; x >= 0; --x) right[x] = last = std::isfinite(in[x]) ? value(x) : last;
    for (std::int64_t x = 0; x < width; ++x) {
      const float farther = std::min(left[x], right[x]);
      out[x] = farther > 1 ? 0 : farther;
    }
  }
  return truth;
}

Strokes drawn_by_person(const StrokeTruth& truth, int count, const StrokeAnswer& answer,
                        const std::function<void(int, const Image<float>&)>& watch) {
  const Map d = map_of(truth.nearness);
  const Mask known(d.rows, d.cols, const_cast<std::uint8_t*>(truth.known.view().data));
  const int brush = std::max(2, static_cast<int>(std::nearbyint(d.cols / 250.)));
  Strokes drawn = {d.cols, d.rows, false, {}};
  draw_planes(d, brush, drawn.strokes);
  draw_clusters(d, known, brush, drawn.strokes);
  for (;;) {
    const Image<float> found = answer(drawn);
    watch(static_cast<int>(drawn.strokes.size()), found);
    if (static_cast<int>(drawn.strokes.size()) >= count) return drawn;
    drawn.strokes.push_back(correction(map_of(found), d, known, brush));
  }
}

}  // namespace scanlens::bench
