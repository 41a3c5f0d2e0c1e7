// Depth of field by layers on the CPU: each thread has a band of rows, goes down it once, and holds no more
// rows of fields and of the fill's table than blurs reach (core/spread/cpu.h).
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/spread/cpu.h"
#include "filters/dof/circles_cpu.h"
#include "filters/dof/composite.h"
#include "filters/dof/layered.h"

namespace scanlens::cpu {
namespace {

/// Rows of cells of the fill's table, as many as a band needs at a time.
template <int kLight>
class FillRows {
 public:
  static constexpr int kTerms = kLight + 1;

  FillRows(Workspace& workspace, std::int64_t width, int reach)
      : width_(fill_cells(static_cast<int>(width))),
        rows_(2 * std::int64_t{reach} + 2),
        table_(workspace.take<std::uint32_t>(rows_ * width_ * kTerms)) {}

  /// Bytes that it takes from a workspace.
  static std::int64_t workspace_bytes(std::int64_t width, int reach) {
    return (2 * std::int64_t{reach} + 2) * fill_cells(static_cast<int>(width)) * kTerms * 4;
  }

  /// Begins before row `first`.
  void start(int first) { next_ = first_ = first; }
  int next() const { return next_; }
  /// The next row's terms, to be summed in place by finish().
  std::uint32_t* open() { return row(next_); }
  void finish() {
    std::uint32_t* const terms = row(next_);
    const std::uint32_t* const above = next_ > first_ ? row(next_ - 1) : nullptr;
    std::uint32_t along[kTerms] = {};
    for (std::int64_t i = 0; i < width_ * kTerms; i += kTerms)
      for (int c = 0; c < kTerms; ++c) {
        along[c] += terms[i + c];
        terms[i + c] = along[c] + (above ? above[i + c] : 0);
      }
    ++next_;
  }

  /// The sums over the cells of a box, which lies in the table.
  void sums(const Box& box, float* sums) const {
    const std::uint32_t *last = row(box.y1), *above = box.y0 > first_ ? row(box.y0 - 1) : nullptr;
    const auto plus = [](std::uint32_t a, std::uint32_t b) { return a + b; };
    const auto minus = [](std::uint32_t a, std::uint32_t b) { return a - b; };
    for (int c = 0; c < kTerms; ++c) {
      const auto at = [&](const std::uint32_t* in, std::int64_t x) {
        return in && x >= 0 ? in[x * kTerms + c] : 0u;
      };
      sums[c] = static_cast<float>(SCANLENS_BOX_SUM(plus, minus, at(last, box.x1), at(above, box.x1),
                                                    at(last, box.x0 - 1), at(above, box.x0 - 1)));
    }
  }

 private:
  std::uint32_t* row(std::int64_t y) const { return table_ + y % rows_ * width_ * kTerms; }

  std::int64_t width_, rows_;
  std::uint32_t* table_;
  int first_ = 0, next_ = 0;
};

template <class T, int kSamples>
class LayeredBand {
 public:
  static constexpr int kLight = kSamples;
  static constexpr int kChannels = kLightChannels<kSamples>;
  using Band = SpreadBand<kChannels>;
  using Values = typename Band::Values;

  /// `reach`: how many rows any pixel of the picture is spread.
  LayeredBand(Workspace& workspace, const LayeredTask<T>& task, const Circles& circles, const LayerCuts& cuts,
              int reach)
      : task_(task),
        circles_(circles),
        cuts_(cuts),
        width_(static_cast<int>(task.image.width)),
        height_(static_cast<int>(task.image.height)),
        reach_(reach),
        fill_reach_(fill_reach(std::max(circles.most, 0.f))),
        band_(workspace, width_, height_, cuts.count + 1, reach_ + kMostGroup),  // groups come early
        fill_(workspace, width_, fill_reach_),
        light_(workspace.take<Values>(kMostGroup * task.image.width)) {}

  void run(int first, int end) {
    band_.start(first, end);
    fill_.start(std::max(0, first / kFillCell - fill_reach_));
    int y = std::max(0, first - reach_) / kMostGroup * kMostGroup;
    for (int row = first; row < end; ++row) {
      for (; y < height_ && y <= row + reach_; y += kMostGroup) deposit_rows(y);
      const int cells = fill_cells(height_);
      while (circles_.most > 0 && fill_.next() < std::min(cells, row / kFillCell + fill_reach_ + 1))
        add_fill_row();
      band_.finish(row);
      show_row(row);
    }
  }

  /// Bytes that a band takes from a workspace.
  static std::int64_t workspace_bytes(std::int64_t width, std::int64_t height, int layers, int reach) {
    return Band::workspace_bytes(width, height, layers, std::int64_t{reach} + kMostGroup) +
           FillRows<kLight>::workspace_bytes(width, reach) +
           kMostGroup * width * static_cast<std::int64_t>(sizeof(Values));
  }

 private:
  /// Deposits rows y .. y + kMostGroup - 1.
  void deposit_rows(int y) {
    const int rows = std::min(kMostGroup, height_ - y);
    for (int r = 0; r < rows; ++r) {
      const T* pixel = task_.image.row(y + r);
      for (int x = 0; x < width_; ++x)
        light_to_spread<kSamples>(pixel + x * kSamples, task_.scale, light_[r * width_ + x]);
    }
    for (int x = 0; x < width_; x += kMostGroup) deposit_group<kMostGroup>(x, y, 0, rows);
  }

  /// Deposits the group at (x, y), whose first row is row r of those at hand: as one, or its four quarters.
  template <int kSide>
  void deposit_group(int x, int y, int r, int rows) {
    if (x >= width_ || r >= rows) return;
    if constexpr (kSide == 1) {
      const float circle = circle_at(x, y);
      if (deposits(circle)) deposit<1>(x, y, circle, light_[r * width_ + x]);
    } else {
      if (x + kSide <= width_ && r + kSide <= rows && deposit_as_one<kSide>(x, y, r)) return;
      constexpr int kHalf = kSide / 2;
      for (int j = 0; j < kSide; j += kHalf)
        for (int i = 0; i < kSide; i += kHalf) deposit_group<kHalf>(x + i, y + j, r + j, rows);
    }
  }

  template <int kSide>
  bool deposit_as_one(int x, int y, int r) {
    float low = circle_at(x, y), high = low;
    if (std::fabs(low) < least_group_radius(kSide)) return false;  // without a look at the others
    for (int j = 0; j < kSide; ++j)
      for (int i = 0; i < kSide; ++i) {
        const float circle = circle_at(x + i, y + j);
        low = std::min(low, circle);
        high = std::max(high, circle);
      }
    if (!spread_as_one(low, high, kSide) || layer_of(low, cuts_) != layer_of(high, cuts_)) return false;
    std::uint64_t sum[kChannels] = {};
    for (int j = 0; j < kSide; ++j)
      for (int i = 0; i < kSide; ++i)
        for (int c = 0; c < kChannels; ++c) sum[c] += light_[(r + j) * width_ + x + i].of[c];
    Values mean = {};
    for (int c = 0; c < kChannels; ++c) mean.of[c] = static_cast<std::uint32_t>(sum[c] / (kSide * kSide));
    deposit<kSide>(x, y, sum_of_circles<kSide>(x, y) * (1.f / (kSide * kSide)), mean);
    return true;
  }

  /// The sum over a group, of quarters: floats add up to the same bits on every backend.
  template <int kSide>
  float sum_of_circles(int x, int y) const {
    if constexpr (kSide == 1) {
      return circle_at(x, y);
    } else {
      constexpr int kHalf = kSide / 2;
      return (sum_of_circles<kHalf>(x, y) + sum_of_circles<kHalf>(x + kHalf, y)) +
             (sum_of_circles<kHalf>(x, y + kHalf) + sum_of_circles<kHalf>(x + kHalf, y + kHalf));
    }
  }

  template <int kSide>
  void deposit(int x, int y, float circle, const Values& light) {
    const SpreadShapes& shapes = task_.shapes[group_size(kSide)];
    spread_light<kChannels>(
        shapes.first, shapes.count, circle, cuts_, x, y, kSide, light,
        [&](int layer, const SpreadBox& box, const Values& values) { band_.deposit(layer, box, values); });
  }

  void add_fill_row() {
    const int y = fill_.next() * kFillCell;
    const int rows = std::min(kFillCell, height_ - y);
    std::uint32_t* out = fill_.open();
    const NearTiles& tiles = circles_.tiles.fine;
    for (int tile = 0; tile < tiles.across; ++tile) {
      const float nearest = circles_.tiles.nearest_around(circles_.nearest.data(), tile, y / tiles.side,
                                                          [](float circle) { return circle; });
      const int end = static_cast<int>(std::min<std::int64_t>(width_, (tile + std::int64_t{1}) * tiles.side));
      for (int x = tile * tiles.side; x < end; x += kFillCell, out += kLight + 1) {
        FillCell<kLight> cell;
        for (int j = y; j < y + rows; ++j)
          for (int i = x; i < std::min(x + kFillCell, width_); ++i) {
            float light[kLight];
            light_to_show<kSamples>(task_.image.row(j) + std::int64_t{i} * kSamples, task_.scale, light);
            cell.add(light, fill_weight(circle_at(i, j), nearest));
          }
        cell.finish(task_.fill_one, pixel_hash(x, y), [&](int c, std::uint32_t term) { out[c] = term; });
      }
    }
    fill_.finish();
  }

  void show_row(int y) {
    const T* pixel = task_.image.row(y);
    const float* circles = circles_.of_pixel.row(y);
    T* out = task_.out.row(y);
    const float light_one = 1 / task_.scale.one;
    const typename Band::Values* fields[kMostDofLayers];
    for (int l = 0; l <= cuts_.count; ++l) fields[l] = band_.field(l);
    for (int x = 0; x < width_; ++x, pixel += kSamples, out += kSamples) {
      const float circle = circles[x];
      const int own = layer_of(circle, cuts_);
      const float sharp_share = sharpness(circle);
      float sharp[kLight] = {};
      if (sharp_share > 0) light_to_show<kSamples>(pixel, task_.scale, sharp);
      Composite<kLight> composite;
      for (int l = 0; l <= cuts_.count && composite.left > 0; ++l) {
        float light[kLight] = {}, coverage = 0;
        if (fields[l]) {
          for (int c = 0; c < kLight; ++c)
            light[c] = static_cast<float>(fields[l][x].of[c]) * (c < 3 ? light_one : 1 / kOneLight);
          coverage = static_cast<float>(fields[l][x].of[kLight]) * (1 / kOneLight);
        } else if (l != own) {
          continue;
        }
        composite.add(light, coverage, l == own ? sharp_share : 0.f, sharp);
      }
      if (composite.exact) {
        std::copy_n(pixel, kSamples, out);
        continue;
      }
      if (composite.left > 0) fill(x, y, circle, composite);
      show_light<kSamples>(composite.light, pixel, task_.scale, out);
    }
  }

  void fill(int x, int y, float circle, Composite<kLight>& composite) const {
    float around[kLight + 1] = {};
    if (circle > 0 && composite.left > 1e-6f && circles_.most > 0) {
      const Box box = fill_box(x, y, circle, width_, height_);
      fill_.sums(box, around);
      const float per = 1 / (task_.fill_one * box_area(box));
      for (float& sum : around) sum *= per;
    }
    composite.fill(around, around[kLight]);
  }

  float circle_at(int x, int y) const { return circles_.of_pixel(x, y); }

  const LayeredTask<T>& task_;
  const Circles& circles_;
  const LayerCuts& cuts_;
  int width_, height_, reach_, fill_reach_;
  Band band_;
  FillRows<kLight> fill_;
  Values* light_;  ///< of kMostGroup rows
};

/// Returns how many rows any pixel is spread.
template <class T>
int reach_of(const LayeredTask<T>& task, const Circles& circles) {
  const float radius = std::max(circles.most, -circles.least);
  int reach = 0;
  for (int i = 0; i < kGroupSizes; ++i) {
    const SpreadShapes& shapes = task.shapes[i];
    const SpreadShape& top = shapes.first[shape_of_radius(shapes.first, shapes.count, radius) + 1];
    reach = std::max(reach, *std::max_element(top.half_height, top.half_height + top.steps) + (1 << i) - 1);
  }
  return reach;
}

template <class T, int kSamples>
void run(Context& context, const LayeredTask<T>& task) {
  Workspace workspace(context);
  const Circles circles = circles_of(task.disparity, task.lens, workspace);
  const LayerCuts cuts = layer_cuts(task.layers, circles.least, circles.most);
  const int reach = reach_of(task, circles);
  std::vector<LayeredBand<T, kSamples>> bands;
  bands.reserve(static_cast<std::size_t>(spread_workers(task.image.height, reach)));
  for (int i = 0; i < spread_workers(task.image.height, reach); ++i)
    bands.emplace_back(workspace, task, circles, cuts, reach);
  for_each_spread_band(task.image.height, reach,
                       [&](int worker, int first, int end) { bands[worker].run(first, end); });
}

}  // namespace

std::int64_t dof_layered_bytes(std::int64_t width, std::int64_t height, int channels, int layers, int reach) {
  const auto band = channels == 1   ? LayeredBand<float, 1>::workspace_bytes
                    : channels == 3 ? LayeredBand<float, 3>::workspace_bytes
                                    : LayeredBand<float, 4>::workspace_bytes;
  // A picture that is spread less far than it may be has smaller bands, but more of them.
  std::int64_t most = 0;
  for (int r = 0; r <= reach; ++r)
    most = std::max(most, spread_workers(height, r) * band(width, height, layers, r));
  return most + width * height * static_cast<std::int64_t>(sizeof(float));
}

template <class T>
void dof_layered(Context& context, const LayeredTask<T>& task) {
  if (task.image.channels == 1) return run<T, 1>(context, task);
  if (task.image.channels == 3) return run<T, 3>(context, task);
  run<T, 4>(context, task);
}

SCANLENS_INSTANTIATE_DOF_LAYERED

}  // namespace scanlens::cpu
