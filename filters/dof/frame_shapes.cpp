#include "filters/dof/frame_shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>

#include "core/cpu/pieces.h"
#include "core/runtime/recently_used.h"
#include "filters/dof/pupil.h"

namespace scanlens {
namespace {

constexpr int kNodes = kNodesAcross * kNodesDown;

/// A run of rows of a shape, in radii.
struct Run {
  double top, bottom, left, right;
  double area() const { return (bottom - top) * (right - left); }
};

/// The runs nearest to a pupil.
struct NodeShape {
  double area = 0;  ///< of the pupil
  std::array<Run, kMostRuns> runs = {};
  int count = 0;
};

/// Sums over the first rows of a shape, of ends and their squares.
struct EndSums {
  std::vector<double> of_left, of_right, squares;

  void add(double left, double right) {
    of_left.push_back(of_left.back() + left);
    of_right.push_back(of_right.back() + right);
    squares.push_back(squares.back() + left * left + right * right);
  }
  /// Returns the square error of rows i .. j - 1 as one run.
  double error(std::size_t i, std::size_t j) const {
    const double rows = static_cast<double>(j - i), left = of_left[j] - of_left[i],
                 right = of_right[j] - of_right[i];
    return squares[j] - squares[i] - (left * left + right * right) / rows;
  }
};

/// Parts a pupil's rows into `count` runs with the least error.
NodeShape shape_of(const Pupil& pupil, int count) {
  constexpr std::size_t kRows = 96;
  const auto [top, bottom] = pupil.rows();
  const double height = (bottom - top) / kRows;
  EndSums sums{{0}, {0}, {0}};
  for (std::size_t i = 0; i < kRows; ++i) {
    const auto [left, right] = pupil.at(top + (static_cast<double>(i) + 0.5) * height);
    sums.add(left, std::max(left, right));
  }
  std::vector<std::array<double, kRows + 1>> least(static_cast<std::size_t>(count) + 1);
  std::vector<std::array<std::size_t, kRows + 1>> from(least.size());
  for (auto& of_count : least) of_count.fill(std::numeric_limits<double>::infinity());
  least[0][0] = 0;
  for (std::size_t k = 1; k < least.size(); ++k)
    for (std::size_t j = k; j <= kRows; ++j)
      for (std::size_t i = k - 1; i < j; ++i)
        if (const double error = least[k - 1][i] + sums.error(i, j); error < least[k][j]) {
          least[k][j] = error;
          from[k][j] = i;
        }
  NodeShape shape;
  shape.area = pupil.area();
  shape.count = count;
  std::size_t end = kRows;
  for (std::size_t k = least.size() - 1; k > 0; --k) {
    const std::size_t begin = from[k][end];
    const double rows = static_cast<double>(end - begin);
    shape.runs[k - 1] = {top + static_cast<double>(begin) * height, top + static_cast<double>(end) * height,
                         (sums.of_left[end] - sums.of_left[begin]) / rows,
                         (sums.of_right[end] - sums.of_right[begin]) / rows};
    end = begin;
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

/// The light that a plain surface gets at each node from shapes that change over the frame, instead of 1: places whose
/// shapes lean apart get less. To second order in the blur, by the shapes' first and second moments.
class Evenness {
 public:
  Evenness(const std::vector<NodeShape>& nodes, std::int64_t width, std::int64_t height) {
    NodeSlopes::Numbers x, y, xx, yy, xy;
    for (const NodeShape& node : nodes) {
      double area = 0, sums[5] = {};
      for (int i = 0; i < node.count; ++i) {
        const auto& [top, bottom, left, right] = node.runs[static_cast<std::size_t>(i)];
        const double weight = node.runs[static_cast<std::size_t>(i)].area();
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

/// The stack of a node at a radius. `side`: pixels that are spread together.
FrameStack stack_at(const NodeShape& shape, double radius, int side, double before, double behind) {
  FrameStack stack = {};
  double area = 0;
  const auto pixel = [&](double edge) {
    return static_cast<int>(std::floor(edge * radius + (side + 1) / 2.));
  };
  for (int i = 0; i < kMostRuns; ++i) {
    const Run run = i < shape.count ? shape.runs[static_cast<std::size_t>(i)] : Run{};
    const int top = pixel(run.top), bottom = pixel(run.bottom), left = pixel(run.left),
              right = pixel(run.right);
    const double of_run = double(bottom - top) * (right - left);
    stack.boxes[i][0] = box_word(left, of_run > 0 ? right - 1 : left - 1);
    stack.boxes[i][1] = box_word(top, bottom - 1);
    area += std::max(0., of_run);
  }
  if (area == 0) {
    area = side * side;
    stack.boxes[0][0] = stack.boxes[0][1] = box_word(0, side - 1);
  }
  stack.radius = static_cast<float>(std::sqrt(area / shape.area));
  const auto share = [&](double even) {
    return static_cast<std::uint32_t>(std::min(4294967296.0 * side * side / (area * even), 4294967295.0));
  };
  stack.share[0] = share(before);
  stack.share[1] = share(behind);
  return stack;
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

void add_stacks(const std::vector<NodeShape>& nodes, const Evenness& evenness, float most, int side,
                std::vector<FrameStack>& stacks, FrameStacks& task) {
  const std::vector<double> radii = radii_of_stacks(most, side);
  constexpr float kLeastStep = 1e-3f;
  for (std::size_t node = 0; node < nodes.size(); ++node) {
    const std::size_t first = stacks.size();
    for (const double radius : radii) {
      stacks.push_back(
          stack_at(nodes[node], radius, side, evenness.of(node, -radius), evenness.of(node, radius)));
      if (stacks.size() == first + 1) continue;
      FrameStack& smaller = stacks[stacks.size() - 2];
      stacks.back().radius = std::max(stacks.back().radius, smaller.radius + kLeastStep);
      smaller.per_radius = 1 / (stacks.back().radius - smaller.radius);
    }
  }
  task = {stacks.data(), static_cast<int>(radii.size()), static_cast<int>(radii.front())};
}

/// Adds the words of a pupil's outline. Heights lie closer toward its top and bottom.
void add_outline(const Pupil& pupil, std::vector<std::uint32_t>& words) {
  const auto [top, bottom] = pupil.rows();
  const auto whole = [](double radii) { return static_cast<int>(std::lround(radii * 4096)); };
  const auto word = [](int value) { return static_cast<std::uint32_t>(value + kMiddleOfOutline); };
  for (int i = 0; i < kOutlineRows; ++i) {
    const double y =
        (top + bottom) / 2 - (bottom - top) / 2 * std::cos(std::numbers::pi * i / (kOutlineRows - 1));
    const double inside = std::clamp(y, top, bottom);
    const auto [left, right] = pupil.at(inside);
    words.push_back(word(whole(y)));
    words.push_back(word(whole(std::min(left, right))) | word(whole(right)) << 16);
  }
}

FrameShapes make(const DofStyle& style, std::int64_t width, std::int64_t height, float most) {
  const int runs = style.quality == DofQuality::best ? kMostRuns : 3;
  std::vector<NodeShape> nodes(kNodes);
  std::vector<std::vector<std::uint32_t>> outlines(kNodes);
  std::vector<std::array<double, 2>> reaches(kNodes);
  cpu::for_each_task(kNodes, [&](std::int64_t node) {
    const FramePlace place{2. * static_cast<double>(node % kNodesAcross) / (kNodesAcross - 1) - 1,
                           2. * static_cast<double>(node / kNodesAcross) / (kNodesDown - 1) - 1,
                           static_cast<double>(width) / static_cast<double>(height)};
    const Pupil pupil(style, place);
    const auto i = static_cast<std::size_t>(node);
    nodes[i] = shape_of(pupil, runs);
    reaches[i] = pupil.reach();
    add_outline(pupil, outlines[i]);
  });
  FrameShapes made;
  made.task.per_column = nodes_per_pixel(kNodesAcross, static_cast<int>(width));
  made.task.per_row = nodes_per_pixel(kNodesDown, static_cast<int>(height));
  const Evenness evenness(nodes, width, height);
  for (int i = 0; i < kGroupSizes; ++i)
    add_stacks(nodes, evenness, most, 1 << i, made.stacks[static_cast<std::size_t>(i)], made.task.stacks[i]);
  for (const std::vector<std::uint32_t>& outline : outlines)
    made.outlines.insert(made.outlines.end(), outline.begin(), outline.end());
  made.task.outlines = made.outlines.data();
  for (const auto& [across, down] : reaches) {
    made.task.across = std::max(made.task.across, static_cast<float>(across));
    made.task.down = std::max(made.task.down, static_cast<float>(down));
  }
  return made;
}

}  // namespace

std::size_t FrameShapes::bytes() const {
  std::size_t all = 0;
  for (const std::vector<FrameStack>& of_group : stacks) all += of_group.size();
  return all * sizeof(FrameStack) + outlines.size() * sizeof(std::uint32_t);
}

bool changes_over_frame(const DofStyle& style) {
  return style.cats_eye > 0 || style.swirl != 0 || style.doors > 0 || style.doors_down > 0 ||
         style.edge_squeeze != 0;
}

std::shared_ptr<const FrameShapes> frame_shapes(const DofStyle& style, std::int64_t width,
                                                std::int64_t height, float most) {
  constexpr std::size_t kMostBytes = std::size_t{32} << 20;
  using Key = std::tuple<Bokeh, bool, std::array<float, 9>, std::int64_t, std::int64_t, int>;
  static RecentlyUsed<Key, FrameShapes> tables(kMostBytes);
  int doublings = 4;
  while (std::ldexp(1.f, doublings) < most) ++doublings;
  const Key key{style.bokeh,
                style.quality == DofQuality::best,
                {style.anamorphic, style.blades, style.rotation, style.roundness, style.cats_eye, style.swirl,
                 style.doors, style.doors_down, style.edge_squeeze},
                width,
                height,
                doublings};
  return tables.get(key, [&] { return make(style, width, height, std::ldexp(1.f, doublings)); });
}

LampDiscs frame_discs(const FrameTask& frame, float most) {
  if (!(most > kLeastLampRadius)) return {};
  return {frame.outlines, 1 / disc_spacing(std::exp2(std::ceil(std::log2(most)))), frame.across, frame.down};
}

float most_frame_reach(const DofStyle& style) {
  constexpr float kMoved = 1.5f;  // the rest of a cut disc, about its own middle
  const float squeeze = std::max(1.f, std::max(1 + style.edge_squeeze, 1 / (1 + style.edge_squeeze)));
  return kMoved * oval_length(style) * std::sqrt(squeeze * (1 + std::fabs(style.swirl)));
}

}  // namespace scanlens
