// Enlarges a map along the edges of its photo, on the CPU.
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "filters/depth/cpu/edge_cells.h"
#include "filters/depth/cpu/range.h"
#include "filters/depth/cpu/rows.h"
#include "filters/depth/tasks.h"

namespace scanlens::cpu {
namespace {

/// Facts of the whole map and of its photo. Colours are there only where a cell that jumps needs them.
struct Learned {
  float range = 0;
  View<std::uint8_t> jumps;  ///< 1 for cells that jump; the first one is that of (-1, -1)
  View<float> colors[3];     ///< mean colours of the photo, by pixels of the map

  bool jumps_in(std::int64_t v) const {
    return jumps.data &&
           std::find(jumps.row(v + 1), jumps.row(v + 1) + jumps.width, 1) != jumps.row(v + 1) + jumps.width;
  }
};

void find_jumps(View<const float> map, const Learned& learned) {
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(-1, map.height), [&](const auto& rows) {
    EdgeCells cells(map, learned.range);
    for (std::int64_t v = rows.begin(); v < rows.end(); ++v) {
      std::uint8_t* const row = learned.jumps.row(v + 1);
      std::fill_n(row, learned.jumps.width, std::uint8_t{0});
      for (const JumpCell& cell : cells.row(v)) row[cell.u + 1] = 1;
    }
  });
}

/// Finds the mean colour of the photo at pixel (u, v) of the map: of those pixels whose middle lies in it, in
/// their order.
template <class T>
void learn_color(const EdgeTask<T>& task, const Learned& learned, std::int64_t u, std::int64_t v) {
  const View<const T>& photo = task.photo;
  const std::int64_t left = first_inside(u, photo.width, task.map.width),
                     right = first_inside(u + 1, photo.width, task.map.width);
  const std::int64_t top = first_inside(v, photo.height, task.map.height),
                     bottom = first_inside(v + 1, photo.height, task.map.height);
  float sum[3] = {}, tones[3];
  for (std::int64_t y = top; y < bottom; ++y) {
    const T* pixel = photo.row(y) + left * photo.channels;
    for (std::int64_t x = left; x < right; ++x, pixel += photo.channels) {
      tones_of(pixel, photo.channels, tones);
      for (int c = 0; c < 3; ++c) sum[c] += tones[c];
    }
  }
  const auto count = static_cast<float>((bottom - top) * (right - left));
  for (int c = 0; c < 3; ++c) learned.colors[c](u, v) = sum[c] / count;
}

/// Learns the colours that cells which jump need.
template <class T>
void learn_colors(const EdgeTask<T>& task, const Learned& learned) {
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, task.map.height), [&](const auto& rows) {
    std::vector<std::uint8_t> near(static_cast<std::size_t>(learned.jumps.width + kEdgeSide));
    for (std::int64_t v = rows.begin(); v < rows.end(); ++v) {
      std::fill(near.begin(), near.end(), std::uint8_t{0});
      bool any = false;
      for (std::int64_t of = std::max<std::int64_t>(v - 2, -1); of <= std::min(v + 1, task.map.height - 1);
           ++of) {
        if (!learned.jumps_in(of)) continue;
        any = true;
        // Cells from u - 2 to u + 1 need pixel u; the first cell is -1.
        for (std::int64_t i = 0; i < learned.jumps.width; ++i)
          if (learned.jumps.row(of + 1)[i])
            for (int k = 0; k < kEdgeSide; ++k) near[static_cast<std::size_t>(i + k)] = 1;
      }
      if (!any) continue;
      for (std::int64_t u = 0; u < task.map.width; ++u)
        if (near[static_cast<std::size_t>(u + 2)]) learn_color(task, learned, u, v);
    }
  });
}

/// Makes rows of the result, one after the other.
template <class T>
class EdgeRows {
 public:
  EdgeRows(const EdgeTask<T>& task, const Learned& learned)
      : task_(task), learned_(learned), cells_(task.map, learned.range) {
    for (Line& line : lines_) line.values.resize(static_cast<std::size_t>(task.out.width));
  }

  /// Makes row y, and widens `range` to its values.
  void make(std::int64_t y, ValueRange& range) {
    const EdgePlace& place = task_.rows[y];
    const float* const above = line_at(place.pixels[0], place.pixels[1]);
    const float* const below = line_at(place.pixels[1], place.pixels[0]);
    float* const out = task_.out.row(y);
    const float parts[2] = {place.parts[0], place.parts[1]};
    if (!has_jumps(place.before))
      return finish_row(
          out, [&](std::int64_t x) { return between(above[x], below[x], parts); }, range);
    for (std::int64_t x = 0; x < task_.out.width; ++x) out[x] = between(above[x], below[x], parts);
    for (const JumpCell& cell : cells_.row(place.before)) follow_edges(cell, place, y);
    finish_row(
        out, [out](std::int64_t x) { return out[x]; }, range);
  }

 private:
  /// A row of the map at the photo's width.
  struct Line {
    std::int64_t row = -1;
    std::vector<float> values;
  };

  bool has_jumps(std::int64_t v) {
    if (v != looked_at_) {
      looked_at_ = v;
      jumps_ = learned_.jumps_in(v);
    }
    return jumps_;
  }

  const float* line_at(std::int64_t v, std::int64_t other) {
    for (const Line& line : lines_)
      if (line.row == v) return line.values.data();
    Line& line = lines_[lines_[0].row == other ? 1 : 0];
    line.row = v;
    const float* const from = task_.map.row(v);
    for (std::int64_t x = 0; x < task_.out.width; ++x) {
      const EdgePlace& column = task_.columns[x];
      line.values[static_cast<std::size_t>(x)] =
          between(from[column.pixels[0]], from[column.pixels[1]], column.parts);
    }
    return line.values.data();
  }

  /// Sets a row to clipped values, and widens `range` to these.
  template <class Value>
  void finish_row(float* out, const Value& value, ValueRange& range) const {
    constexpr std::int64_t kLanes = 32;  // of vectors, which each have a range
    float low[kLanes], high[kLanes];
    std::fill_n(low, kLanes, range.least);
    std::fill_n(high, kLanes, range.most);
    const float least = task_.within.least, most = task_.within.most;
    const auto finish = [&](std::int64_t x, std::int64_t lane) {
      const float clipped = clamped(value(x), least, most);
      out[x] = clipped;
      low[lane] = less_of(low[lane], clipped);
      high[lane] = more_of(high[lane], clipped);
    };
    std::int64_t x = 0;
    for (; x + kLanes <= task_.out.width; x += kLanes)
      for (std::int64_t lane = 0; lane < kLanes; ++lane) finish(x + lane, lane);
    for (; x < task_.out.width; ++x) finish(x, 0);
    range = {*std::min_element(low, low + kLanes), *std::max_element(high, high + kLanes)};
  }

  /// Makes the pixels of row y that lie in a cell.
  void follow_edges(const JumpCell& at, const EdgePlace& place, std::int64_t y) {
    Four depth[kEdgeSide], colors[kEdgeSide][3];
    for (int j = 0; j < kEdgeSide; ++j) {
      const std::int64_t v = within(place.before - 1 + j, task_.map.height);
      for (int i = 0; i < kEdgeSide; ++i) {
        const std::int64_t u = within(at.u - 1 + i, task_.map.width);
        depth[j][i] = task_.map(u, v);
        for (int c = 0; c < 3; ++c) colors[j][c][i] = learned_.colors[c](u, v);
      }
    }
    const std::int32_t* const starts = task_.starts + at.u + 1;
    for (std::int64_t x = starts[0]; x < starts[1]; ++x) {
      float color[3];
      tones_of(task_.photo.row(y) + x * task_.photo.channels, task_.photo.channels, color);
      EdgeLayers<Four> layers;
      const Four across = four_at(task_.columns[x].weights);
      for (int j = 0; j < kEdgeSide; ++j)
        layers.add(depth[j], colors[j], color, across, place.weights[j], at.cell);
      const EdgeLayers<float> sums{sum_of(layers.near_weight), sum_of(layers.near_sum),
                                   sum_of(layers.far_weight), sum_of(layers.far_sum)};
      task_.out(x, y) = edge_depth(sums, at.cell, task_.out(x, y));
    }
  }

  const EdgeTask<T>& task_;
  const Learned& learned_;
  EdgeCells cells_;
  Line lines_[2];
  std::int64_t looked_at_ = -2;
  bool jumps_ = false;
};

}  // namespace

template <class T>
void enlarge_map(Context& context, const EdgeTask<T>& task, ValueRange& range) {
  Workspace workspace(context);
  Learned learned;
  if (!task.photo.empty()) {
    const std::int64_t width = task.map.width, height = task.map.height;
    learned.range = range_of(task.map);
    learned.jumps = View(workspace.take<std::uint8_t>((width + 1) * (height + 1)), width + 1, height + 1);
    for (View<float>& plane : learned.colors)
      plane = View(workspace.take<float>(width * height), width, height);
    find_jumps(task.map, learned);
    learn_colors(task, learned);
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr std::int64_t kLeastRows = 8;  // taken together, since each part makes a line anew
  constexpr std::int64_t kPartsOfThread = 8;
  range = {kInfinity, -kInfinity};
  const std::int64_t made = task.out.height,
                     rows = std::max(kLeastRows,
                                     made / (kPartsOfThread * tbb::this_task_arena::max_concurrency())),
                     parts = (made + rows - 1) / rows;
  std::vector<ValueRange> found(static_cast<std::size_t>(parts), range);
  tbb::parallel_for(std::int64_t{0}, parts, [&](std::int64_t part) {
    EdgeRows<T> maker(task, learned);
    ValueRange own = found[static_cast<std::size_t>(part)];
    for (std::int64_t y = part * rows; y < std::min(made, (part + 1) * rows); ++y) maker.make(y, own);
    found[static_cast<std::size_t>(part)] = own;
  });
  for (const ValueRange& own : found)
    range = {less_of(range.least, own.least), more_of(range.most, own.most)};
}

SCANLENS_INSTANTIATE_DEPTH

}  // namespace scanlens::cpu
