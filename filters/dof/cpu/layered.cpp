// Depth of field by layers on the CPU. Each thread goes once down a band of rows. It holds no more rows of
// fields and of the fill's table than blurs reach (core/spread/cpu.h).
#include "filters/dof/layered.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/runtime/count.h"
#include "core/spread/cpu.h"
#include "filters/dof/composite.h"
#include "filters/dof/cpu/circles.h"
#include "filters/dof/cpu/fill_rows.h"
#include "filters/dof/cpu/lamps.h"
#include "filters/dof/cpu/show.h"
#include "filters/dof/cpu/spread.h"

namespace scanlens::cpu {
namespace {

template <class T, int kSamples>
class LayeredBand {
 public:
  static constexpr int kLight = kSamples;
  static constexpr int kChannels = kLightChannels<kSamples>;
  using Band = SpreadBand<kChannels>;
  using Values = typename Band::Values;

  /// `reach`: how many rows any pixel of the picture is spread.
  LayeredBand(Workspace& workspace, const LayeredTask<T>& task, const Circles& circles, const LayerCuts& cuts,
              const Lamps& lamps, int reach)
      : task_(task),
        circles_(circles),
        cuts_(cuts),
        lamps_(lamps),
        width_(static_cast<int>(task.image.width)),
        height_(static_cast<int>(task.image.height)),
        reach_(reach),
        fill_reach_(wide_fill_reach(std::max(circles.most, 0.f), task.wide_fill)),
        band_(workspace, width_, height_, cuts.count + 1, reach_ + kMostGroup),  // groups come early
        fill_(workspace, width_, fill_reach_),
        light_(workspace.take<std::uint32_t>(kChannels * kMostGroup * task.image.width)) {}

  void run(int first, int end) {
    band_.start(first, end);
    for (auto& of_row : rows_of_)
      for (auto& of_part : of_row)
        for (ShapeRows& rows : of_part) rows.shape = nullptr;
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

 private:
  /// Deposits rows y .. y + kMostGroup - 1: the groups that are spread as one, and the pixels that are not.
  void deposit_rows(int y) {
    const int rows = std::min(kMostGroup, height_ - y);
    for (int r = 0; r < rows; ++r) decode_row(y + r, r);
    if (lamps_.words) deposit_lamps(y, rows);
    for (int x = 0; x < width_; x += kMostGroup) deposit_group<kMostGroup>(x, y, 0, rows);
    for (int r = 0; r < rows; ++r) {
      deposit_run<1>(r, singles_[r]);
      if (r % 2 == 0) deposit_run<2>(r, pairs_[r / 2]);
    }
    deposit_run<4>(0, quads_);
  }

  /// Writes the light of row y to row r of those in memory.
  void decode_row(int y, int r) {
    const T* const pixels = task_.image.row(y);
    // Copies, which no light that is written can be part of.
    const LightScale scale = task_.scale;
    const int width = width_;
    std::uint32_t* to[kChannels];
    for (int c = 0; c < kChannels; ++c) to[c] = light_at(c, r);
    for (int x = 0; x < width; ++x) {
      Values light;
      light_to_spread<kSamples>(pixels + x * kSamples, scale, light);
      for (int c = 0; c < kChannels; ++c) to[c][x] = light.of[c];
    }
  }

  /// Deposits the discs of lamps in the rows in memory. Takes their light away from the other deposits.
  void deposit_lamps(int y, int rows) {
    static_assert(kLampBlock == kMostGroup);
    const std::uint32_t* const words = lamps_.words + std::int64_t{y / kLampBlock} * lamps_.across;
    for (int block = 0; block < lamps_.across; ++block) {
      if (words[block] == 0) continue;
      deposit_lamps_of(block * kLampBlock, y, rows, lamps_.affordable.share_of(words[block]),
                       lamps_.affordable.level(words[block], block, y / kLampBlock));
    }
  }

  void deposit_lamps_of(int x, int y, int rows, std::uint32_t of_block, int level) {
    const int columns = std::min(kLampBlock, width_ - x);
    std::uint32_t shares[kLampBlock][kLampBlock] = {};
    LampMask lamps = 0;
    for (int r = 0; r < rows; ++r)
      for (int i = 0; i < columns; ++i) {
        shares[r][i] = lamp_share(brightest_of<kSamples>(light_of(x + i, r)), task_.lamps.per_lamp,
                                  circle_at(x + i, y + r), of_block);
        if (shares[r][i] > 0) lamps |= 1u << (kLampBlock * r + i);
      }
    for_each_lamp_cell(
        lamps, level, [&](int i, int r) { return circle_at(x + i, y + r); },
        [&](int column, int row, int at, float) {
          const auto together = take_together<kSamples, Values>(
              x + column, y + row, at, [&](int at_x, int at_y, Values& lamp, float& circle) {
                const int r = at_y - y;
                const std::uint32_t share = shares[r][at_x - x];
                if (share == 0) return false;
                circle = circle_at(at_x, at_y);
                Values light = light_of(at_x, r);
                lamp = lamp_of<kChannels>(light, share);
                for (int c = 0; c < kChannels; ++c) light_at(c, r)[at_x] = light.of[c];
                if (task_.lamps.shift > 0) {
                  light_to_spread<kSamples>(task_.image.row(at_y) + std::int64_t{at_x} * kSamples,
                                            task_.lamps.scale, light);
                  lamp = lamp_of<kChannels>(light, share);
                }
                return true;
              });
          spread_lamps<kSamples>(task_.lamps, cuts_, x + column, y + row, height_, together, 0, 1,
                                 [&](int layer, const SpreadBox& box, const Values& values) {
                                   band_.deposit(layer, box, values);
                                 });
        });
  }

  Values light_of(int x, int r) {
    Values light = {};
    for (int c = 0; c < kChannels; ++c) light.of[c] = light_at(c, r)[x];
    return light;
  }
  std::uint32_t* light_at(int c, int r) { return light_ + (c * kMostGroup + r) * width_; }

  /// Deposits the group at (x, y), whose first row is row r of those at hand: as one, or its four quarters.
  template <int kSide>
  void deposit_group(int x, int y, int r, int rows) {
    if (x >= width_ || r >= rows) return;
    if constexpr (kSide == 1) {
      const float circle = circle_at(x, y);
      if (!deposits(circle)) return;
      SpreadRun<kChannels>& run = singles_[r];
      const int i = add_to_run(run, x, y, circle);
      const std::uint32_t* light = light_at(0, r) + x;
      const std::int64_t step = kMostGroup * width_;
      for (int c = 0; c < kChannels; ++c, light += step) run.light[c][i] = *light;
      if (run.count == kSpreadRun) deposit_run<1>(r, run);
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
    if (std::fabs(low) < least_group_radius(kSide)) return false;  // found without the other layers
    for (int j = 0; j < kSide; ++j)
      for (int i = 0; i < kSide; ++i) {
        const float circle = circle_at(x + i, y + j);
        low = std::min(low, circle);
        high = std::max(high, circle);
      }
    if (!spread_as_one(low, high, kSide, x, y) || layer_of(low, cuts_) != layer_of(high, cuts_)) return false;
    SpreadRun<kChannels>& run = kSide == 2 ? pairs_[r / 2] : quads_;
    const int at = add_to_run(run, x, y, sum_of_circles<kSide>(x, y) * (1.f / (kSide * kSide)));
    for (int c = 0; c < kChannels; ++c) {
      std::uint64_t sum = 0;
      for (int j = 0; j < kSide; ++j)
        for (int i = 0; i < kSide; ++i) sum += light_at(c, r + j)[x + i];
      run.light[c][at] = static_cast<std::uint32_t>(sum / (kSide * kSide));
    }
    if (run.count == kSpreadRun) deposit_run<kSide>(r, run);
    return true;
  }

  static int add_to_run(SpreadRun<kChannels>& run, int x, int y, float circle) {
    run.y = y;
    run.x[run.count] = x;
    run.circles[run.count] = circle;
    return run.count++;
  }

  /// Deposits a run of groups whose first row is row r of those at hand, and empties it.
  template <int kSide>
  void deposit_run(int r, SpreadRun<kChannels>& run) {
    if (run.count == 0) return;
    const SpreadShapes& shapes = task_.shapes[group_size(kSide)];
    find_parts(shapes.first, shapes.count, cuts_, run, parts_);
    for (int i = 0; i < run.count; ++i)
      for (int part = 0; part < kSpreadParts; ++part)
        if (parts_.steps[part][i] > 0) {
          const int right = group_right(run.x[i], run.y, kSide);
          const int down = group_down(run.x[i], run.y, kSide);
          deposit_shape<kSide>(parts_.layer[i] + part / 2, shapes.first[parts_.shape[i] + part % 2],
                               run.x[i] + right, run.y + down, parts_.values[part][i],
                               rows_of_[r][part][down + kMostGroupShift]);
        }
    run.count = 0;
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

  /// The corners of the shapes of a layer around pixels of a row.
  struct ShapeRows {
    const SpreadShape* shape = nullptr;
    int layer, y;
    bool in_band;  ///< no row is reflected, or lies outside the band
    Values *top[kMostSteps], *bottom[kMostSteps];
  };

  /// Deposits the boxes of a shape. Away from borders, boxes in the same rows are deposited together.
  /// Pixels side by side mostly have the same shapes; `rows` are those of the pixel before, or of any.
  template <int kSide>
  void deposit_shape(int layer, const SpreadShape& shape, int x, int y, const Values& values,
                     ShapeRows& rows) {
    if (rows.shape != &shape || rows.layer != layer || rows.y != y) find_rows<kSide>(layer, shape, y, rows);
    const int across = shape.half_width[0];
    if (!rows.in_band || x < across || x + across + kSide >= width_) {
      for_each_box<kChannels>(shape, x, y, kSide, values, [&](const SpreadBox& box, const Values& of_box) {
        band_.deposit(layer, box, of_box);
      });
      return;
    }
    const Values part = values;  // no deposit can change it
    for (int i = 0; i < shape.steps; ++i) {
      Values *const top = rows.top[i] + x, *const bottom = rows.bottom[i] + x;
      const auto step = [&](int left, int right) {
        Band::add(top[left], part);
        Band::subtract(top[right], part);
        Band::subtract(bottom[left], part);
        Band::add(bottom[right], part);
      };
      step(-shape.half_width[i], shape.half_width[i] + kSide);
      if (i + 1 < shape.steps) step(shape.half_width[i + 1] + kSide, -shape.half_width[i + 1]);
    }
  }

  template <int kSide>
  void find_rows(int layer, const SpreadShape& shape, int y, ShapeRows& rows) {
    rows.shape = &shape;
    rows.layer = layer;
    rows.y = y;
    const int up = shape.half_height[shape.steps - 1];
    rows.in_band = band_.holds_rows(y - up, y + up + kSide);
    if (!rows.in_band) return;
    for (int i = 0; i < shape.steps; ++i) {
      rows.top[i] = band_.deposits(layer, y - shape.half_height[i]);
      rows.bottom[i] = band_.deposits(layer, y + shape.half_height[i] + kSide);
    }
  }

  void add_fill_row() {
    const int y = fill_.next() * kFillCell;
    const int rows = std::min(kFillCell, height_ - y);
    std::uint32_t* out = fill_.open();
    const NearTiles& tiles = circles_.tiles.fine;
    const float per_white = 1 / task_.scale.white;
    for (int tile = 0; tile < tiles.across; ++tile) {
      const float nearest = circles_.tiles.nearest_around(circles_.nearest.data(), tile, y / tiles.side,
                                                          [](float circle) { return circle; });
      const int end = static_cast<int>(std::min<std::int64_t>(width_, (tile + std::int64_t{1}) * tiles.side));
      for (int x = tile * tiles.side; x < end; x += kFillCell, out += kLight + 1) {
        if (!(nearest > 0)) {  // nothing is hidden
          std::fill_n(out, kLight + 1, 0u);
          continue;
        }
        FillCell<kLight> cell;
        for (int j = y; j < y + rows; ++j)
          for (int i = x; i < std::min(x + kFillCell, width_); ++i) {
            const float weight = fill_weight(circle_at(i, j), nearest);
            float light[kLight] = {};
            if (weight > 0)
              light_to_show<kSamples>(task_.image.row(j) + std::int64_t{i} * kSamples, task_.scale, light);
            cell.add(light, weight, per_white);
          }
        cell.finish(task_.fill_one, pixel_hash(x, y), [&](int c, std::uint32_t term) { out[c] = term; });
      }
    }
    fill_.finish();
  }

  void show_row(int y) {
    for (int x = 0; x < width_; x += kShownRun) show_run(x, y, std::min(kShownRun, width_ - x));
  }

  void show_run(int x0, int y, int count) {
    const T* const pixels = task_.image.row(y) + std::int64_t{x0} * kSamples;
    T* const out = task_.out.row(y) + std::int64_t{x0} * kSamples;
    ShownRun<kLight>& run = shown_;
    run.count = count;
    run.circles = circles_.of_pixel.row(y) + x0;
    for (int l = 0; l <= cuts_.count; ++l) {
      const Values* const field = band_.field(l);
      run.fields[l] = field ? field[x0].of : nullptr;
    }
    find_shares(run);
    for (int i = 0; i < count; ++i) {
      float sharp[kLight] = {};
      if (run.share[i] > 0) light_to_show<kSamples>(pixels + i * kSamples, task_.scale, sharp);
      for (int c = 0; c < kLight; ++c) run.sharp[c][i] = sharp[c];
    }
    compose(cuts_, task_.scale.one, run);
    for (int i = 0; i < count; ++i)
      if (run.left[i] > 0) fill(x0 + i, y, i, run);
    constexpr bool kLookedUp = std::is_same_v<T, std::uint8_t> && kSamples < 4;
    if constexpr (kLookedUp) find_entries(run);
    const LightScale scale = task_.scale;  // a copy that no written sample can be part of
    for (int i = 0; i < count; ++i) {
      const T* const pixel = pixels + i * kSamples;
      T* const to = out + i * kSamples;
      if (run.exact[i]) {
        std::copy_n(pixel, kSamples, to);
      } else if constexpr (kLookedUp) {
        T samples[kLight];
        for (int c = 0; c < kLight; ++c) samples[c] = scale.encode8[run.entry[c][i]];
        std::copy_n(samples, kLight, to);
      } else {
        float light[kLight];
        for (int c = 0; c < kLight; ++c) light[c] = run.light[c][i];
        show_light<kSamples>(light, pixel, scale, to);
      }
    }
  }

  /// Fills pixel i of a run, at (x, y), with the light around it.
  void fill(int x, int y, int i, ShownRun<kLight>& run) const {
    float around[kLight + 1] = {};
    add_light_around(
        x, y, run.circles[i], task_.wide_fill, width_, height_, task_.fill_one,
        [&](const Box& box) { return fill_.sum(box, kLight); },
        [&](const Box& box, float per) {
          float sums[kLight + 1];
          fill_.sums(box, sums);
          for (int c = 0; c <= kLight; ++c) around[c] += sums[c] * per;
        },
        around);
    for (int c = 0; c < kLightColors<kSamples>; ++c) around[c] *= task_.scale.white;
    Composite<kLight> composite;
    composite.left = run.left[i];
    for (int c = 0; c < kLight; ++c) composite.light[c] = run.light[c][i];
    composite.fill(around, around[kLight]);
    for (int c = 0; c < kLight; ++c) run.light[c][i] = composite.light[c];
  }

  float circle_at(int x, int y) const { return circles_.of_pixel(x, y); }

  const LayeredTask<T>& task_;
  const Circles& circles_;
  const LayerCuts& cuts_;
  const Lamps& lamps_;
  int width_, height_, reach_, fill_reach_;
  Band band_;
  FillRows<kLight> fill_;
  std::uint32_t* light_;  ///< of kMostGroup rows, channel by channel
  SpreadRun<kChannels> singles_[kMostGroup] = {}, pairs_[kMostGroup / 2] = {}, quads_ = {};
  RunParts<kChannels> parts_ = {};
  ShownRun<kLight> shown_;
  /// Holds the rows of the pixel before, for each of its up to four parts, by their offset downwards.
  ShapeRows rows_of_[kMostGroup][kSpreadParts][2 * kMostGroupShift + 1];
};

/// Returns how many rows any pixel is spread.
template <class T>
int reach_of(const LayeredTask<T>& task, const Circles& circles, const Lamps& lamps) {
  const float radius = std::max(circles.most, -circles.least);
  const LampDiscs& discs = task.lamps.discs;
  int reach = lamps.words ? lamp_reach(radius, discs.per_spacing, discs.down) : 0;
  for (int i = 0; i < kGroupSizes; ++i) {
    const SpreadShapes& shapes = task.shapes[i];
    const SpreadShape& top = shapes.first[shape_of_radius(shapes.first, shapes.count, radius) + 1];
    reach = std::max(reach, *std::max_element(top.half_height, top.half_height + top.steps) + (1 << i) - 1 +
                                (i > 0 ? kMostGroupShift : 0));
  }
  return reach;
}

template <class T, int kSamples>
void run(Context& context, const LayeredTask<T>& task) {
  Workspace workspace(context);
  const Circles circles = circles_of(task.disparity, task.lens, workspace);
  const LayerCuts cuts = layer_cuts(task.layers, circles.least, circles.most);
  const Lamps lamps = LampFinder<T, kSamples>(task, circles).find(workspace);
  const int reach = reach_of(task, circles, lamps);
  std::vector<LayeredBand<T, kSamples>> bands;
  bands.reserve(static_cast<std::size_t>(spread_workers(task.image.height, reach)));
  for (int i = 0; i < spread_workers(task.image.height, reach); ++i)
    bands.emplace_back(workspace, task, circles, cuts, lamps, reach);
  for_each_spread_band(task.image.height, reach,
                       [&](int worker, int first, int end) { bands[worker].run(first, end); });
}

/// Returns what one thread takes from a workspace where no circle is larger than `most`.
template <int kSamples>
std::int64_t bytes_of_band(const LayeredTask<float>& task, float most, int reach) {
  const auto take = [&](Context& context) {
    Workspace workspace(context);
    Circles circles;
    circles.most = most;
    LayerCuts cuts = {};
    cuts.count = task.layers - 1;
    LayeredBand<float, kSamples>(workspace, task, circles, cuts, {}, reach);
  };
  return count_memory(take).workspace;
}

}  // namespace

std::int64_t dof_layered_bytes(std::int64_t width, std::int64_t height, int channels, const DofStyle& style,
                               int reach) {
  const auto band = channels == 1 ? bytes_of_band<1> : channels == 3 ? bytes_of_band<3> : bytes_of_band<4>;
  LayeredTask<float> task;
  task.image = View<const float>(nowhere<float>(1), width, height, channels);
  task.layers = layers_of(style.quality);
  task.wide_fill = wide_fill(style);
  // A smaller spread makes smaller bands, but more of them. The farthest spread of as many bands takes the
  // most.
  std::int64_t most = 0;
  const float least_height = 0.88f * std::sqrt(style.anamorphic);  // of shapes, by their radius
  for (int r = 0; r <= reach; ++r) {
    const int workers = spread_workers(height, r);
    if (r < reach && spread_workers(height, r + 1) == workers) continue;
    most = std::max(most, workers * band(task, static_cast<float>(r + 1) / least_height, r));
  }
  return most + (width * height + Lamps::blocks(width) * Lamps::blocks(height)) *
                    static_cast<std::int64_t>(sizeof(float));
}

template <class T>
void dof_layered(Context& context, const LayeredTask<T>& task) {
  if (task.image.channels == 1) return run<T, 1>(context, task);
  if (task.image.channels == 3) return run<T, 3>(context, task);
  run<T, 4>(context, task);
}

SCANLENS_INSTANTIATE_DOF_LAYERED

}  // namespace scanlens::cpu
