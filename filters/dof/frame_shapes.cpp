#include "filters/dof/frame_shapes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>

#include "core/cpu/pieces.h"
#include "core/runtime/recently_used.h"
#include "filters/dof/least_cuts.h"
#include "filters/dof/profile.h"
#include "filters/dof/pupil.h"

namespace scanlens {
namespace {

static_assert(kNodes == kNodesAcross * kNodesDown && kNextOutline == kOutlineRows * kOutlineWords &&
              kBelowOutline == kNodesAcross * kNextOutline && kZoneOutlines == kNodes * kNextOutline);

using Words = std::vector<std::uint32_t>;

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

/// The boxes of a stack, and what they are for.
struct StackSize {
  double radius;
  int side;     ///< of what is spread together, in pixels
  bool behind;  ///< before the focus shapes are turned by half a turn
};

/// Writes the boxes of a zone, within those of the zone around it, and returns their area.
double write_boxes(const std::array<Run, kMostRuns>& runs, int count, const StackSize& size,
                   const std::uint32_t* around, std::uint32_t* words) {
  double area = 0;
  const auto pixel = [&](double edge) {
    return static_cast<int>(std::floor(edge * size.radius + (size.side + 1) / 2.));
  };
  for (int i = 0; i < count; ++i, words += kBoxWords) {
    const Run& run = runs[static_cast<std::size_t>(size.behind ? i : count - 1 - i)];
    int top = pixel(run.top), bottom = pixel(run.bottom), left = pixel(run.left), right = pixel(run.right);
    if (!size.behind) {
      top = size.side - std::exchange(bottom, size.side - top);
      left = size.side - std::exchange(right, size.side - left);
    }
    if (around) {
      left = std::max(left, first_of_box(around[kBoxWords * i]));
      right = std::min(right, last_of_box(around[kBoxWords * i]) + 1);
    }
    if (bottom <= top || right < left) right = left;
    words[0] = box_word(left, right - 1);
    words[1] = box_word(top, bottom - 1);
    area += (last_of_box(words[0]) - first_of_box(words[0]) + 1.) *
            (last_of_box(words[1]) - first_of_box(words[1]) + 1.);
  }
  return area;
}

/// Makes a zone's boxes, which have no pixels, those of what is spread together.
double write_group(int count, int side, std::uint32_t* words) {
  for (int i = 0; i < count; ++i, words += kBoxWords) {
    words[0] = box_word(0, i == 0 ? side - 1 : -1);
    words[1] = box_word(i == 0 ? 0 : side, side - 1);
  }
  return side * side;
}

/// Writes the columns and the rows that boxes lie in.
void write_extent(const std::uint32_t* boxes, int count, std::uint32_t* words) {
  for (int along = 0; along < 2; ++along) {
    int first = kMostHalfSize, last = -kMostHalfSize;
    for (int i = 0; i < count; ++i) {
      const std::uint32_t* const box = boxes + kBoxWords * i;
      if (last_of_box(box[0]) < first_of_box(box[0])) continue;
      first = std::min(first, first_of_box(box[along]));
      last = std::max(last, last_of_box(box[along]));
    }
    words[along] = box_word(first, last);
  }
}

/// Writes the stack of a node's shape, and returns its radius.
float write_stack(const NodeShape& shape, const std::vector<LightZone>& zones, const StackSize& size,
                  double even, std::uint32_t* words) {
  constexpr double kFlat = 4, kUneven = 6;  // radii between which light becomes uneven
  const double uneven = std::clamp((size.radius - kFlat) / (kUneven - kFlat), 0., 1.);
  const auto count = static_cast<int>(zones.size());
  double light[kMostZones] = {}, weight = 0, whole = 0;
  std::uint32_t *boxes = words + boxes_of_stack(count), *around = nullptr;
  for (int z = 0; z < count; ++z, around = boxes, boxes += kBoxWords * shape.count) {
    const auto zone = static_cast<std::size_t>(z);
    double area = write_boxes(shape.zones[zone], shape.count, size, around, boxes);
    if (z == 0 && area == 0) area = write_group(shape.count, size.side, boxes);
    if (z == 0) whole = area;
    light[z] = 1 + (zones[zone].light - 1) * uneven;
    weight += area * (light[z] - (z > 0 ? light[z - 1] : 0));
  }
  write_extent(words + boxes_of_stack(count), shape.count, words + 2);
  constexpr double kLeastLight = 0.05;  // of zones that pixels are too coarse for
  if (weight < kLeastLight * whole) {
    std::fill(std::begin(light), std::end(light), 1.);
    weight = whole;
  }
  for (int z = 0; z < count; ++z)
    words[kStackHead + z] = static_cast<std::uint32_t>(
        std::clamp(4294967296.0 * size.side * size.side * light[z] / (weight * even), 0., 4294967295.0));
  return static_cast<float>(std::sqrt(whole / shape.area));
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

/// Writes the stacks of a node, whose radii rise.
void write_stacks(const NodeShape& shape, const std::vector<LightZone>& zones, const Evenness& evenness,
                  std::size_t node, bool behind, const std::vector<double>& radii, int side,
                  std::uint32_t* words) {
  constexpr float kLeastStep = 1e-3f;
  const int step = words_of_stack(static_cast<int>(zones.size()), shape.count);
  float before = 0;
  for (std::size_t i = 0; i < radii.size(); ++i, words += step) {
    const double even = evenness.of(node, behind ? radii[i] : -radii[i]);
    float radius = write_stack(shape, zones, {radii[i], side, behind}, even, words);
    if (i > 0) {
      radius = std::max(radius, before + kLeastStep);
      words[1 - step] = std::bit_cast<std::uint32_t>(1 / (radius - before));
    }
    words[0] = std::bit_cast<std::uint32_t>(radius);
    before = radius;
  }
}

/// Writes how far the stacks of all nodes reach, by their sizes.
void write_reaches(const FrameLayout& at, int group, Words& words) {
  const int side = 1 << group;
  int reach[2] = {};
  for (int size = 0; size < at.sizes[group]; ++size) {
    float radius = std::numeric_limits<float>::infinity();
    for (const FrameSide& of_side : at.sides)
      for (int node = 0; node < kNodes; ++node) {
        const std::uint32_t* const stack =
            words.data() + of_side.stacks[group] +
            std::int64_t{node * at.sizes[group] + size} * words_of_stack(of_side.zones, at.runs);
        radius = std::min(radius, std::bit_cast<float>(stack[0]));
        for (int i = 0; i < 2; ++i)
          reach[i] = std::max({reach[i], -first_of_box(stack[2 + i]), last_of_box(stack[2 + i]) - side + 1});
      }
    std::uint32_t* const to = words.data() + at.reaches[group] + std::int64_t{size} * kReachWords;
    to[0] = std::bit_cast<std::uint32_t>(radius);
    for (int i = 0; i < 2; ++i) to[1 + i] = static_cast<std::uint32_t>(reach[i]);
  }
}

/// Writes the outline of a pupil's zone. Heights lie closer toward its top and bottom.
void write_outline(const Pupil& pupil, double zone, bool behind, std::uint32_t* words) {
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
    auto [left, right] = pupil.at(std::clamp(y, top, bottom), zone);
    left = std::min(left, right);
    const int row = behind ? i : kOutlineRows - 1 - i, turn = behind ? 1 : -1;
    if (!behind) std::swap(left, right);
    words[row * kOutlineWords] = box_word(turn * whole(y), turn * whole(y));
    words[row * kOutlineWords + 1] = box_word(turn * whole(left), turn * whole(right));
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

/// The zones of a style on one side of the focus.
struct SideZones {
  std::vector<LightZone> surfaces, lamps;
};

int runs_of(const DofStyle& style) {
  return style.quality == DofQuality::best ? kMostRuns : 3;
}
int most_zones(const DofStyle& style) {
  return style.quality == DofQuality::best ? kMostZones : 2;
}
int most_lamp_zones(const DofStyle& style) {
  constexpr int kEnough = 8;
  return style.onion > 0 ? kMostLampZones : kEnough;
}

std::array<SideZones, 2> zones_of(const DofStyle& style) {
  std::array<SideZones, 2> zones;
  for (const bool behind : {false, true})
    zones[behind] = {light_zones(style, behind, false, most_zones(style)),
                     light_zones(style, behind, true, most_lamp_zones(style))};
  return zones;
}

int discs_up_to(float most, float spacing) {
  return static_cast<int>(most / spacing) + 2 * kMostSoftening + 6;
}

/// Lays out the tables, one behind the other, and returns how many words they have. Counts of zones and of
/// runs are given.
std::int64_t lay_out(float most, FrameLayout& at) {
  std::int64_t end = 0;
  const auto take = [&](std::int64_t words) { return static_cast<int>(std::exchange(end, end + words)); };
  for (int group = 0; group < kGroupSizes; ++group) {
    const std::vector<double> radii = radii_of_stacks(most, 1 << group);
    at.sizes[group] = static_cast<int>(radii.size());
    at.least[group] = static_cast<int>(radii.front());
    at.reaches[group] = take(std::int64_t{at.sizes[group]} * kReachWords);
    for (FrameSide& side : at.sides)
      side.stacks[group] = take(std::int64_t{kNodes} * at.sizes[group] * words_of_stack(side.zones, at.runs));
  }
  for (FrameSide& side : at.sides) {
    side.outlines = take(std::int64_t{side.lamp_zones} * kZoneOutlines);
    side.lamp_light = take(side.lamp_zones);
  }
  at.discs = take(std::int64_t{kDiscSizeWords} * discs_up_to(most, disc_spacing(most)));
  return end;
}

void write_side(const std::vector<Pupil>& pupils, const SideZones& zones, std::int64_t width,
                std::int64_t height, float most, bool behind, const FrameLayout& at, Words& words) {
  const FrameSide& side = at.sides[behind];
  std::vector<NodeShape> nodes(pupils.size());
  cpu::for_each_task(kNodes, [&](std::int64_t i) {
    const Pupil& pupil = pupils[static_cast<std::size_t>(i)];
    nodes[static_cast<std::size_t>(i)] = shape_of(pupil, zones.surfaces, at.runs);
    for (std::size_t z = 0; z < zones.lamps.size(); ++z)
      write_outline(
          pupil, zones.lamps[z].radius, behind,
          words.data() + side.outlines + static_cast<std::int64_t>(z) * kZoneOutlines + i * kNextOutline);
  });
  for (std::size_t z = 0; z < zones.lamps.size(); ++z)
    words[static_cast<std::size_t>(side.lamp_light) + z] =
        static_cast<std::uint32_t>(std::lround(std::max(0., zones.lamps[z].light) * kZoneLight));
  const Evenness evenness(nodes, width, height);
  for (int group = 0; group < kGroupSizes; ++group) {
    const std::vector<double> radii = radii_of_stacks(most, 1 << group);
    const std::int64_t of_node = std::int64_t{at.sizes[group]} * words_of_stack(side.zones, at.runs);
    cpu::for_each_task(kNodes, [&](std::int64_t i) {
      const auto node = static_cast<std::size_t>(i);
      write_stacks(nodes[node], zones.surfaces, evenness, node, behind, radii, 1 << group,
                   words.data() + side.stacks[group] + i * of_node);
    });
  }
}

void write_discs(const FrameTask& task, float most, float spacing, Words& words) {
  // Ends stay those of boxes, and products have 32 bits.
  const double most_radius = kMostHalfSize * kOutlineSteps / std::max({1.f, task.across, task.down});
  for (int i = 0; i < discs_up_to(most, spacing); ++i) {
    const DiscSize size = disc_size(i, spacing);
    std::uint32_t* const to = words.data() + task.at.discs + std::int64_t{i} * kDiscSizeWords;
    to[0] = static_cast<std::uint32_t>(std::lround(std::min(size.radius * kOutlineSteps, most_radius)));
    to[1] = static_cast<std::uint32_t>(size.most_rows);
  }
}

FrameShapes make(const DofStyle& style, std::int64_t width, std::int64_t height, float most) {
  const std::vector<Pupil> pupils =
      pupils_of(style, static_cast<double>(width) / static_cast<double>(height));
  const std::array<SideZones, 2> zones = zones_of(style);
  FrameShapes made;
  FrameLayout& at = made.task.at;
  at.runs = runs_of(style);
  for (const bool behind : {false, true}) {
    at.sides[behind].zones = static_cast<int>(zones[behind].surfaces.size());
    at.sides[behind].lamp_zones = static_cast<int>(zones[behind].lamps.size());
  }
  at.per_column = nodes_per_pixel(kNodesAcross, static_cast<int>(width));
  at.per_row = nodes_per_pixel(kNodesDown, static_cast<int>(height));
  made.words.resize(static_cast<std::size_t>(lay_out(most, at)));
  for (const bool behind : {false, true})
    write_side(pupils, zones[behind], width, height, most, behind, at, made.words);
  for (int group = 0; group < kGroupSizes; ++group) write_reaches(at, group, made.words);
  for (const Pupil& pupil : pupils) {
    const auto [across, down] = pupil.reach();
    made.task.across = std::max(made.task.across, static_cast<float>(across));
    made.task.down = std::max(made.task.down, static_cast<float>(down));
  }
  const float spacing = disc_spacing(most);
  made.task.per_spacing = 1 / spacing;
  write_discs(made.task, most, spacing, made.words);
  made.task.words = made.words.data();
  return made;
}

/// Returns the radius that tables go up to.
float most_of_tables(float most) {
  int doublings = 4;
  while (std::ldexp(1.f, doublings) < most) ++doublings;
  return std::ldexp(1.f, doublings);
}

}  // namespace

bool needs_pupils(const DofStyle& style) {
  return style.cats_eye > 0 || style.swirl != 0 || style.doors > 0 || style.doors_down > 0 ||
         style.edge_squeeze != 0 || has_profile(style);
}

std::shared_ptr<const FrameShapes> frame_shapes(const DofStyle& style, std::int64_t width,
                                                std::int64_t height, float most) {
  constexpr std::size_t kMostBytes = std::size_t{32} << 20;
  using Key = std::tuple<Bokeh, bool, std::array<float, 13>, std::int64_t, std::int64_t, float>;
  static RecentlyUsed<Key, FrameShapes> tables(kMostBytes);
  const Key key{style.bokeh,
                style.quality == DofQuality::best,
                {style.anamorphic, style.blades, style.rotation, style.roundness, style.cats_eye, style.swirl,
                 style.doors, style.doors_down, style.edge_squeeze, style.spherical, style.soft_edge,
                 style.mirror, style.onion},
                width,
                height,
                most_of_tables(most)};
  return tables.get(key, [&] { return make(style, width, height, most_of_tables(most)); });
}

std::int64_t frame_shapes_bytes(const DofStyle& style, float most) {
  if (!needs_pupils(style)) return 0;
  FrameLayout at = {};
  at.runs = runs_of(style);
  for (FrameSide& side : at.sides) {
    side.zones = has_profile(style) ? most_zones(style) : 1;
    side.lamp_zones = has_profile(style) ? most_lamp_zones(style) : 1;
  }
  return lay_out(most_of_tables(most), at) * static_cast<std::int64_t>(sizeof(std::uint32_t));
}

float most_frame_reach(const DofStyle& style) {
  constexpr float kMoved = 1.6f;  // corners of three blades, and the rest of a cut disc about its own middle
  const float squeeze = std::max(1.f, std::max(1 + style.edge_squeeze, 1 / (1 + style.edge_squeeze)));
  return kMoved * oval_length(style) * std::sqrt(squeeze * (1 + std::fabs(style.swirl)));
}

}  // namespace scanlens
