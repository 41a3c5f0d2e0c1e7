#include "filters/dof/frame_shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

#include "core/cpu/pieces.h"
#include "core/runtime/recently_used.h"
#include "filters/dof/least_cuts.h"
#include "filters/dof/profile.h"
#include "filters/dof/pupil.h"

namespace scanlens {
namespace {

constexpr int kNodes = kNodesAcross * kNodesDown;

/// A run of rows of a shape, in radii.
struct Run {
  double top, bottom, left, right;
  double area() const { return (bottom - top) * (right - left); }
};

/// The runs nearest to a pupil; those of all its zones have the same rows.
struct NodeShape {
  double area = 0;  ///< of the pupil
  int count = 0;
  std::array<std::array<Run, kMostRuns>, kMostZones> zones = {};

  const std::array<Run, kMostRuns>& whole() const { return zones[0]; }
};

/// Sums over the first rows of a zone, of ends and their squares; rows where it is not count as a point.
struct EndSums {
  std::vector<double> of_left = {0}, of_right = {0}, squares = {0};

  void add(std::array<double, 2> ends) {
    if (ends[0] > ends[1]) ends[0] = ends[1] = std::abs(ends[0]) < 5 ? (ends[0] + ends[1]) / 2 : 0;
    of_left.push_back(of_left.back() + ends[0]);
    of_right.push_back(of_right.back() + ends[1]);
    squares.push_back(squares.back() + ends[0] * ends[0] + ends[1] * ends[1]);
  }
  /// Returns the square error of rows begin .. end - 1 as one run.
  double error(std::size_t begin, std::size_t end) const {
    const double rows = static_cast<double>(end - begin), left = of_left[end] - of_left[begin],
                 right = of_right[end] - of_right[begin];
    return squares[end] - squares[begin] - (left * left + right * right) / rows;
  }
};

/// Parts a pupil's rows into `count` runs with the least error.
NodeShape shape_of(const Pupil& pupil, const std::vector<LightZone>& zones, int count) {
  constexpr std::size_t kRows = 96;
  const auto [top, bottom] = pupil.rows();
  const double height = (bottom - top) / kRows;
  std::vector<EndSums> sums(zones.size());
  for (std::size_t z = 0; z < zones.size(); ++z)
    for (std::size_t i = 0; i < kRows; ++i)
      sums[z].add(pupil.at(top + (static_cast<double>(i) + 0.5) * height, zones[z].radius));
  const std::vector<std::size_t> cuts =
      least_cuts(kRows, static_cast<std::size_t>(count), [&](std::size_t begin, std::size_t end) {
        double error = 0;
        for (const EndSums& of_zone : sums) error += of_zone.error(begin, end);
        return error;
      });
  NodeShape shape;
  shape.area = pupil.area();
  shape.count = count;
  for (std::size_t z = 0; z < zones.size(); ++z)
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      const std::size_t begin = cuts[k], end = cuts[k + 1];
      const double rows = static_cast<double>(end - begin);
      shape.zones[z][k] = {top + static_cast<double>(begin) * height, top + static_cast<double>(end) * height,
                           (sums[z].of_left[end] - sums[z].of_left[begin]) / rows,
                           (sums[z].of_right[end] - sums[z].of_right[begin]) / rows};
    }
  return shape;
}

/// The change of a number from node to node, in numbers per pixel.
class NodeSlopes {
 public:
  using Numbers = std::vector<double>;

  NodeSlopes(std::int64_t width, std::int64_t height)
      : per_column_((kNodesAcross - 1) / static_cast<double>(width)),
        per_row_((kNodesDown - 1) / static_cast<double>(height)) {}

  Numbers across(const Numbers& of) const {
    return slopes(of, kNodesAcross, per_column_, [](int i, int j) { return j * kNodesAcross + i; });
  }
  Numbers down(const Numbers& of) const {
    return slopes(of, kNodesDown, per_row_, [](int j, int i) { return j * kNodesAcross + i; });
  }

 private:
  template <class PlaceOf>
  static Numbers slopes(const Numbers& of, int count, double per_pixel, const PlaceOf& place_of) {
    Numbers slopes(of.size());
    const auto at = [&](int i, int line) { return static_cast<std::size_t>(place_of(i, line)); };
    for (int line = 0; line < kNodes / count; ++line)
      for (int i = 0; i < count; ++i) {
        const int before = std::max(i - 1, 0), behind = std::min(i + 1, count - 1);
        slopes[at(i, line)] = (of[at(behind, line)] - of[at(before, line)]) / (behind - before) * per_pixel;
      }
    return slopes;
  }

  double per_column_, per_row_;
};

/// The light that a plain surface gets at each node from shapes that change over the frame, instead of 1:
/// places whose shapes lean apart get less. To second order in the blur, by the shapes' first and second
/// moments.
class Evenness {
 public:
  Evenness(const std::vector<NodeShape>& nodes, std::int64_t width, std::int64_t height) {
    NodeSlopes::Numbers x, y, xx, yy, xy;
    for (const NodeShape& node : nodes) {
      double area = 0, sums[5] = {};
      for (int i = 0; i < node.count; ++i) {
        const Run& run = node.whole()[static_cast<std::size_t>(i)];
        const auto& [top, bottom, left, right] = run;
        const double weight = run.area();
        const double moments[5] = {
            (left + right) / 2, (top + bottom) / 2, (left * left + left * right + right * right) / 3,
            (top * top + top * bottom + bottom * bottom) / 3, (left + right) * (top + bottom) / 4};
        area += weight;
        for (int m = 0; m < 5; ++m) sums[m] += weight * moments[m];
      }
      NodeSlopes::Numbers* const to[5] = {&x, &y, &xx, &yy, &xy};
      for (int m = 0; m < 5; ++m) to[m]->push_back(sums[m] / area);
    }
    const NodeSlopes slopes(width, height);
    const auto of_x = slopes.across(x), of_y = slopes.down(y), of_xx = slopes.across(slopes.across(xx)),
               of_yy = slopes.down(slopes.down(yy)), of_xy = slopes.across(slopes.down(xy));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      first_.push_back(of_x[i] + of_y[i]);
      second_.push_back(of_xx[i] + of_yy[i] + 2 * of_xy[i]);
    }
  }

  /// Returns it for shapes of this radius, above 0 behind the focus.
  double of(std::size_t node, double radius) const {
    constexpr double kLeast = 0.7, kMost = 1.5;
    return std::clamp(1 - radius * first_[node] + 0.5 * radius * radius * second_[node], kLeast, kMost);
  }

 private:
  NodeSlopes::Numbers first_, second_;
};

/// The boxes of a zone at a radius, within those of the zone around it, and their area. `side`: pixels that
/// are spread together.
FrameBoxes boxes_at(const std::array<Run, kMostRuns>& runs, int count, double radius, int side,
                    const FrameBoxes* around, double& area) {
  FrameBoxes boxes = {};
  area = 0;
  const auto pixel = [&](double edge) {
    return static_cast<int>(std::floor(edge * radius + (side + 1) / 2.));
  };
  for (int i = 0; i < kMostRuns; ++i) {
    const Run run = i < count ? runs[static_cast<std::size_t>(i)] : Run{};
    const int top = pixel(run.top), bottom = pixel(run.bottom) - 1;
    int left = pixel(run.left), right = pixel(run.right) - 1;
    if (around) {
      left = std::max(left, first_of_box(around->of[i][0]));
      right = std::min(right, last_of_box(around->of[i][0]));
    }
    if (bottom < top) right = left - 1;
    auto& [columns, rows] = boxes.of[i];
    columns = box_word(left, std::max(right, left - 1));
    rows = box_word(top, bottom);
    area += (last_of_box(columns) - first_of_box(columns) + 1.) *
            std::max(0, last_of_box(rows) - first_of_box(rows) + 1);
  }
  if (area > 0 || around) return boxes;
  area = side * side;
  boxes.of[0][0] = boxes.of[0][1] = box_word(0, side - 1);
  return boxes;
}

/// Adds the stack of a node at a radius, with the boxes of its zones.
void add_stack(const NodeShape& shape, const std::vector<LightZone>& zones, double radius, int side,
               double even, std::vector<FrameStack>& stacks, std::vector<FrameBoxes>& boxes) {
  constexpr double kFlat = 4, kUneven = 6;  // radii between which light becomes uneven
  const double uneven = std::clamp((radius - kFlat) / (kUneven - kFlat), 0., 1.);
  FrameStack stack = {};
  double light[kMostZones] = {}, weight = 0, whole = 0;
  FrameBoxes around = {};
  for (std::size_t z = 0; z < zones.size(); ++z) {
    double area = 0;
    around = boxes_at(shape.zones[z], shape.count, radius, side, z > 0 ? &around : nullptr, area);
    boxes.push_back(around);
    light[z] = 1 + (zones[z].light - 1) * uneven;
    weight += area * (light[z] - (z > 0 ? light[z - 1] : 0));
    if (z == 0) whole = area;
  }
  stack.radius = static_cast<float>(std::sqrt(whole / shape.area));
  constexpr double kLeastLight = 0.05;  // of zones that pixels are too coarse for
  if (weight < kLeastLight * whole) {
    std::fill(std::begin(light), std::end(light), 1.);
    weight = whole;
  }
  for (std::size_t z = 0; z < zones.size(); ++z)
    stack.share[z] = static_cast<std::uint32_t>(
        std::clamp(4294967296.0 * side * side * light[z] / (weight * even), 0., 4294967295.0));
  stacks.push_back(stack);
}

/// Radii of stacks, a pixel apart, and farther where that is less than 1/32.
std::vector<double> radii_of_stacks(float most, int side) {
  constexpr double kStep = 1 / 32.;
  double radius = side == 1 ? 0.5 : std::floor(least_group_radius(side) * 0.9) - 2;
  std::vector<double> radii = {radius, radius + 1};
  while (radii.back() <= most + 2. || radii.size() < 3)
    radii.push_back(radii.back() + std::max(1., radii.back() * kStep));
  return radii;
}

void add_stacks(const std::vector<NodeShape>& nodes, const std::vector<LightZone>& zones,
                const Evenness& evenness, bool behind, float most, int side, std::vector<FrameStack>& stacks,
                std::vector<FrameBoxes>& boxes, FrameStacks& task) {
  const std::vector<double> radii = radii_of_stacks(most, side);
  constexpr float kLeastStep = 1e-3f;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const std::size_t first = stacks.size();
    for (const double radius : radii) {
      add_stack(nodes[node], zones, radius, side, evenness.of(node, behind ? radius : -radius), stacks,
                boxes);
      if (stacks.size() == first + 1) continue;
      FrameStack& smaller = stacks[stacks.size() - 2];
      stacks.back().radius = std::max(stacks.back().radius, smaller.radius + kLeastStep);
      smaller.per_radius = 1 / (stacks.back().radius - smaller.radius);
    }
  }
  task = {stacks.data(), boxes.data(), static_cast<int>(radii.size()), static_cast<int>(radii.front())};
}

/// Returns how far the stacks of all nodes reach, by their sizes.
std::vector<FrameReach> reaches_of(const FrameTask& task, int group) {
  const int side = 1 << group;
  std::vector<FrameReach> reaches(static_cast<std::size_t>(task.sides[0].stacks[group].sizes),
                                  FrameReach{std::numeric_limits<float>::infinity(), 0, 0});
  for (const FrameSide& of_side : task.sides) {
    const FrameStacks& stacks = of_side.stacks[group];
    for (int i = 0; i < kNodes * stacks.sizes; ++i) {
      FrameReach& reach = reaches[static_cast<std::size_t>(i % stacks.sizes)];
      reach.radius = std::min(reach.radius, stacks.first[i].radius);
      for (const auto& box : stacks.boxes[i * of_side.zones].of) {
        const auto beyond = [&](std::uint32_t word) {
          return std::max(-first_of_box(word), last_of_box(word) - side + 1);
        };
        if (last_of_box(box[0]) < first_of_box(box[0])) continue;
        reach.across = std::max(reach.across, beyond(box[0]));
        reach.down = std::max(reach.down, beyond(box[1]));
      }
    }
  }
  for (std::size_t i = 1; i < reaches.size(); ++i) {
    reaches[i].across = std::max(reaches[i].across, reaches[i - 1].across);
    reaches[i].down = std::max(reaches[i].down, reaches[i - 1].down);
  }
  return reaches;
}

/// Adds the words of the outline of a pupil's zone. Heights lie closer toward its top and bottom.
void add_outline(const Pupil& pupil, double zone, std::vector<std::uint32_t>& words) {
  auto [top, bottom] = pupil.rows();
  const auto has = [&](double y) {
    const auto [left, right] = pupil.at(y, zone);
    return left <= right;
  };
  if (zone < 1) {
    constexpr int kSteps = 1024;
    const double step = (bottom - top) / kSteps;
    while (top < bottom && !has(top)) top += step;
    while (bottom > top && !has(bottom)) bottom -= step;
  }
  const auto whole = [](double radii) { return static_cast<int>(std::lround(radii * 4096)); };
  for (int i = 0; i < kOutlineRows; ++i) {
    const double y =
        (top + bottom) / 2 - (bottom - top) / 2 * std::cos(std::numbers::pi * i / (kOutlineRows - 1));
    const auto [left, right] = pupil.at(std::clamp(y, top, bottom), zone);
    words.push_back(box_word(whole(y), 0));
    words.push_back(box_word(whole(std::min(left, right)), whole(right)));
  }
}

/// Finds the pupils of all nodes.
std::vector<Pupil> pupils_of(const DofStyle& style, double aspect) {
  std::vector<Pupil> pupils(kNodes, Pupil(style));
  cpu::for_each_task(kNodes, [&](std::int64_t node) {
    const double across = static_cast<double>(node % kNodesAcross) / (kNodesAcross - 1),
                 down = static_cast<double>(node / kNodesAcross) / (kNodesDown - 1);
    pupils[static_cast<std::size_t>(node)] = Pupil(style, {2 * across - 1, 2 * down - 1, aspect});
  });
  return pupils;
}

void make_side(const DofStyle& style, const std::vector<Pupil>& pupils, std::int64_t width,
               std::int64_t height, float most, bool behind, FrameShapes::Side& made, FrameSide& task) {
  constexpr int kLampZones = 8;
  const bool best = style.quality == DofQuality::best;
  const std::vector<LightZone> zones = light_zones(style, behind, false, best ? kMostZones : 2),
                               of_lamps = light_zones(style, behind, true,
                                                      style.onion > 0 ? kMostLampZones : kLampZones);
  std::vector<NodeShape> nodes(pupils.size());
  std::vector<std::vector<std::uint32_t>> outlines(pupils.size() * of_lamps.size());
  cpu::for_each_task(std::ssize(pupils), [&](std::int64_t i) {
    const auto node = static_cast<std::size_t>(i);
    nodes[node] = shape_of(pupils[node], zones, best ? kMostRuns : 3);
    for (std::size_t z = 0; z < of_lamps.size(); ++z)
      add_outline(pupils[node], of_lamps[z].radius, outlines[z * pupils.size() + node]);
  });
  const Evenness evenness(nodes, width, height);
  for (std::size_t i = 0; i < kGroupSizes; ++i)
    add_stacks(nodes, zones, evenness, behind, most, 1 << i, made.stacks[i], made.boxes[i], task.stacks[i]);
  for (const std::vector<std::uint32_t>& outline : outlines)
    made.outlines.insert(made.outlines.end(), outline.begin(), outline.end());
  task.outlines = made.outlines.data();
  task.zones = static_cast<int>(zones.size());
  task.lamp_zones = static_cast<int>(of_lamps.size());
  for (std::size_t z = 0; z < of_lamps.size(); ++z)
    task.lamp_light[z] =
        static_cast<std::uint32_t>(std::lround(std::max(0., of_lamps[z].light) * kZoneLight));
}

FrameShapes make(const DofStyle& style, std::int64_t width, std::int64_t height, float most) {
  const std::vector<Pupil> pupils =
      pupils_of(style, static_cast<double>(width) / static_cast<double>(height));
  FrameShapes made;
  for (const bool behind : {false, true})
    make_side(style, pupils, width, height, most, behind, made.sides[behind], made.task.sides[behind]);
  for (int i = 0; i < kGroupSizes; ++i) {
    std::vector<FrameReach>& reaches = made.reaches[static_cast<std::size_t>(i)];
    reaches = reaches_of(made.task, i);
    made.task.reaches[i] = reaches.data();
  }
  made.task.per_column = nodes_per_pixel(kNodesAcross, static_cast<int>(width));
  made.task.per_row = nodes_per_pixel(kNodesDown, static_cast<int>(height));
  for (const Pupil& pupil : pupils) {
    const auto [across, down] = pupil.reach();
    made.task.across = std::max(made.task.across, static_cast<float>(across));
    made.task.down = std::max(made.task.down, static_cast<float>(down));
  }
  return made;
}

}  // namespace

std::size_t FrameShapes::bytes() const {
  std::size_t all = 0;
  for (const Side& side : sides) {
    for (const auto& of_group : side.stacks) all += of_group.size() * sizeof(FrameStack);
    for (const auto& of_group : side.boxes) all += of_group.size() * sizeof(FrameBoxes);
    all += side.outlines.size() * sizeof(std::uint32_t);
  }
  return all;
}

bool needs_pupils(const DofStyle& style) {
  return style.cats_eye > 0 || style.swirl != 0 || style.doors > 0 || style.doors_down > 0 ||
         style.edge_squeeze != 0 || has_profile(style);
}

std::shared_ptr<const FrameShapes> frame_shapes(const DofStyle& style, std::int64_t width,
                                                std::int64_t height, float most) {
  constexpr std::size_t kMostBytes = std::size_t{32} << 20;
  using Key = std::tuple<Bokeh, bool, std::array<float, 13>, std::int64_t, std::int64_t, int>;
  static RecentlyUsed<Key, FrameShapes> tables(kMostBytes);
  int doublings = 4;
  while (std::ldexp(1.f, doublings) < most) ++doublings;
  const Key key{style.bokeh,
                style.quality == DofQuality::best,
                {style.anamorphic, style.blades, style.rotation, style.roundness, style.cats_eye, style.swirl,
                 style.doors, style.doors_down, style.edge_squeeze, style.spherical, style.soft_edge,
                 style.mirror, style.onion},
                width,
                height,
                doublings};
  return tables.get(key, [&] { return make(style, width, height, std::ldexp(1.f, doublings)); });
}

LampDiscs frame_discs(const FrameTask& frame, float most) {
  if (!(most > kLeastLampRadius)) return {};
  return {frame.sides[0].outlines, 1 / disc_spacing(std::exp2(std::ceil(std::log2(most)))), frame.across,
          frame.down};
}

float most_frame_reach(const DofStyle& style) {
  constexpr float kMoved = 1.6f;  // corners of three blades, and the rest of a cut disc about its own middle
  const float squeeze = std::max(1.f, std::max(1 + style.edge_squeeze, 1 / (1 + style.edge_squeeze)));
  return kMoved * oval_length(style) * std::sqrt(squeeze * (1 + std::fabs(style.swirl)));
}

}  // namespace scanlens
