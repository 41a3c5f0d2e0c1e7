// Depth of field by layers on the CPU, in tiles. A thread goes once down a tile, and holds no more rows of
// its fields than blurs reach (core/spread/cpu.h).
#include "filters/dof/layered.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/runtime/count.h"
#include "core/spread/cpu.h"
#include "filters/dof/composite.h"
#include "filters/dof/cpu/circles.h"
#include "filters/dof/cpu/fill_table.h"
#include "filters/dof/cpu/lamps.h"
#include "filters/dof/cpu/reaches.h"
#include "filters/dof/cpu/show.h"
#include "filters/dof/cpu/spread.h"
#include "filters/dof/frame_discs.h"

namespace scanlens::cpu {
namespace {

/// The facts about a picture that all its tiles need.
template <int kSamples>
struct LayeredPicture {
  Circles circles;
  LayerCuts cuts;
  Lamps lamps;
  Reaches reaches;
  SpreadReach reach;  ///< of the widest blur
  const FillTable<kSamples>* fill = nullptr;
};

template <class T, int kSamples>
class LayeredTile {
 public:
  static constexpr int kLight = kSamples;
  static constexpr int kChannels = kLightChannels<kSamples>;
  using Fields = SpreadTile<kChannels>;
  using Values = typename Fields::Values;

  LayeredTile(Workspace& workspace, const LayeredTask<T>& task, const LayeredPicture<kSamples>& picture,
              const SpreadTiles& tiles)
      : task_(task),
        circles_(picture.circles),
        cuts_(picture.cuts),
        lamps_(picture.lamps),
        reaches_(picture.reaches),
        fill_(picture.fill),
        width_(static_cast<int>(task.image.width)),
        height_(static_cast<int>(task.image.height)),
        reach_(picture.reach),
        fields_(workspace, width_, height_, tiles, cuts_.count + 1, reach_.down, kMostGroup),
        light_width_(std::min<std::int64_t>(width_, tiles.most_width() + 2 * reach_.across + 2 * kMostGroup)),
        light_(workspace.take<std::uint32_t>(kChannels * kMostGroup * light_width_)) {}

  void run(const SpreadBox& tile) {
    fields_.start(tile);
    for (auto& of_row : rows_of_)
      for (auto& of_part : of_row)
        for (auto& of_offset : of_part)
          for (ShapeRows& rows : of_offset) rows.shape = nullptr;
    first_ = std::max(0, tile.left - reach_.across) / kMostGroup * kMostGroup;
    end_ = std::min(width_, tile.right + reach_.across);
    int y = std::max(0, tile.top - reach_.down) / kMostGroup * kMostGroup;
    for (int row = tile.top; row < tile.bottom; ++row) {
      for (; y < height_ && y <= row + reach_.down; y += kMostGroup) deposit_rows(y);
      fields_.finish(row);
      for (int x = tile.left; x < tile.right; x += kShownRun)
        show_run(x, row, std::min(kShownRun, tile.right - x));
    }
  }

 private:
  /// Deposits what reaches the tile of rows y .. y + kMostGroup - 1.
  void deposit_rows(int y) {
    const int rows = std::min(kMostGroup, height_ - y);
    const auto reaches = [&](int x) { return reaches_.block(circles_, x, y, fields_.tile()); };
    for (int x = first_; x < end_; x += kMostGroup) {
      const int begin = x;
      while (x < end_ && reaches(x)) x += kMostGroup;
      if (x > begin) deposit_blocks(begin, std::min(x, width_), y, rows);
    }
    for (int r = 0; r < rows; ++r) {
      deposit_run<1>(r, singles_[r]);
      if (r % 2 == 0) deposit_run<2>(r, pairs_[r / 2]);
    }
    deposit_run<4>(0, quads_);
  }

  /// Deposits columns `begin` .. `end` - 1: the groups that are spread as one, and the pixels that are not.
  void deposit_blocks(int begin, int end, int y, int rows) {
    for (int r = 0; r < rows; ++r) decode_row(begin, end, y + r, r);
    if (lamps_.words) deposit_lamps(begin, end, y, rows);
    for (int x = begin; x < end; x += kMostGroup) deposit_group<kMostGroup>(x, y, 0, rows);
  }

  /// Writes the light of columns `begin` .. `end` - 1 of row y to row r of those in memory.
  void decode_row(int begin, int end, int y, int r) {
    const T* const pixels = task_.image.row(y) + std::int64_t{begin} * kSamples;
    // Copies, which no light that is written can be part of.
    const LightScale scale = task_.scale;
    const int width = end - begin;
    std::uint32_t* to[kChannels];
    for (int c = 0; c < kChannels; ++c) to[c] = light_at(c, begin, r);
    for (int x = 0; x < width; ++x) {
      Values light;
      light_to_spread<kSamples>(pixels + x * kSamples, scale, light);
      for (int c = 0; c < kChannels; ++c) to[c][x] = light.of[c];
    }
  }

  /// Deposits the discs of lamps in the rows in memory. Takes their light away from the other deposits.
  void deposit_lamps(int begin, int end, int y, int rows) {
    static_assert(kLampBlock == kMostGroup);
    const std::uint32_t* const words = lamps_.words + std::int64_t{y / kLampBlock} * lamps_.across;
    for (int block = begin / kLampBlock; block * kLampBlock < end; ++block) {
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
                for (int c = 0; c < kChannels; ++c) *light_at(c, at_x, r) = light.of[c];
                if (task_.lamps.shift > 0) {
                  light_to_spread<kSamples>(task_.image.row(at_y) + std::int64_t{at_x} * kSamples,
                                            task_.lamps.scale, light);
                  lamp = lamp_of<kChannels>(light, share);
                }
                return true;
              });
          const auto deposit = [&](int layer, const SpreadBox& box, const Values& values) {
            fields_.deposit(layer, box, values);
          };
          if (task_.frame.words)
            spread_frame_lamps<kSamples>(
                task_.lamps, task_.frame, cuts_, x + column, y + row, width_, height_, together, outlines_, 0,
                1, [](double sum) { return sum; }, [] {}, deposit);
          else
            spread_lamps<kSamples>(task_.lamps, cuts_, x + column, y + row, height_, together, 0, 1, deposit);
        });
  }

  Values light_of(int x, int r) {
    Values light = {};
    for (int c = 0; c < kChannels; ++c) light.of[c] = *light_at(c, x, r);
    return light;
  }

  std::uint32_t* light_at(int c, int x, int r) {
    return light_ + (c * kMostGroup + r) * light_width_ + (x - first_);
  }

  /// Deposits the group at (x, y), whose first row is row r of those at hand: as one, or its four quarters.
  template <int kSide>
  void deposit_group(int x, int y, int r, int rows) {
    if (x >= width_ || r >= rows) return;
    if constexpr (kSide == 1) {
      const float circle = circle_at(x, y);
      if (!deposits(circle)) return;
      SpreadRun<kChannels>& run = singles_[r];
      const int i = add_to_run(run, x, y, circle);
      const std::uint32_t* light = light_at(0, x, r);
      const std::int64_t step = kMostGroup * light_width_;
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
        for (int i = 0; i < kSide; ++i) sum += light_at(c, x, r + j)[i];
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
    if (task_.frame.words)
      deposit_stacks<kSide>(r, run);
    else
      deposit_shapes<kSide>(r, run);
    run.count = 0;
  }

  template <int kSide>
  void deposit_shapes(int r, const SpreadRun<kChannels>& run) {
    const SpreadShapes& shapes = task_.shapes[group_size(kSide)];
    for (int i = 0; i < run.count; ++i) {
      const SpreadShape* const shape =
          shapes.first + shape_of_radius(shapes.first, shapes.count, std::fabs(run.circles[i]));
      smaller_[i] = shape;
      of_run_.radius[i] = shape->radius;
      of_run_.per_radius[i] = shape->per_radius;
      for (int k = 0; k < 2; ++k) of_run_.share[k][i] = shape[k].share;
    }
    find_parts(of_run_, cuts_, run, parts_[0]);
    visit_parts<kSide>(run, [&](int i, int part, int x, int y) {
      deposit_shape<kSide>(parts_[0].layer[i] + part / 2, smaller_[i][part % 2], x, y,
                           parts_[0].values[part][i], rows_of_[r][part][y - run.y + kMostGroupShift][0]);
    });
  }

  /// Deposits the zones of stacks: each gets the difference from the one around it, modulo 2^32, so that no
  /// light is below 0.
  template <int kSide>
  void deposit_stacks(int r, const SpreadRun<kChannels>& run) {
    int zones = 0;
    for (int i = 0; i < run.count; ++i) {
      const StackPair pair = stacks_of_group(task_.frame, group_size(kSide), run.circles[i], run.x[i], run.y);
      stacks_[i] = pair;
      of_run_.radius[i] = pair.radius();
      of_run_.per_radius[i] = pair.per_radius();
      zones = std::max(zones, pair.zones);
    }
    for (int zone = 0; zone < zones; ++zone) {
      for (int i = 0; i < run.count; ++i)
        for (int k = 0; k < 2; ++k) of_run_.share[k][i] = stacks_[i].share(k, zone);
      find_parts(of_run_, cuts_, run, parts_[zone]);
    }
    visit_parts<kSide>(run, [&](int i, int part, int x, int y) {
      Values values[kMostZones];
      for (int zone = 0; zone < stacks_[i].zones; ++zone) {
        values[zone] = parts_[zone].values[part][i];
        if (zone > 0) Fields::subtract(values[zone], parts_[zone - 1].values[part][i]);
      }
      deposit_stack<kSide>(parts_[0].layer[i] + part / 2, stacks_[i].stack(part % 2), stacks_[i].zones, x, y,
                           values,
                           rows_of_[r][part][y - run.y + kMostGroupShift][corner_of_node(stacks_[i].node)]);
    });
  }

  /// Calls deposit(i, part, x, y) for the parts of a run that have light, at their moved places.
  template <int kSide, class Deposit>
  void visit_parts(const SpreadRun<kChannels>& run, const Deposit& deposit) {
    for (int i = 0; i < run.count; ++i)
      for (int part = 0; part < kSpreadParts; ++part)
        if (parts_[0].steps[part][i] > 0)
          deposit(i, part, run.x[i] + group_right(run.x[i], run.y, kSide),
                  run.y + group_down(run.x[i], run.y, kSide));
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

  /// The corners of the shapes, or stacks, of a layer around pixels of a row.
  struct ShapeRows {
    const void* shape = nullptr;
    int layer, y;
    bool inside;  ///< no row is reflected
    Values *top[kMostRuns], *bottom[kMostRuns];
  };

  /// Deposits the boxes of a shape. Away from borders, boxes in the same rows are deposited together.
  /// Pixels side by side mostly have the same shapes; `rows` are those of the pixel before, or of any.
  template <int kSide>
  void deposit_shape(int layer, const SpreadShape& shape, int x, int y, const Values& values,
                     ShapeRows& rows) {
    if (rows.shape != &shape || rows.layer != layer || rows.y != y) find_rows<kSide>(layer, shape, y, rows);
    const int left = x - shape.half_width[0], right = x + shape.half_width[0] + kSide;
    const SpreadBox& tile = fields_.tile();
    if (rows.inside && left >= tile.left && right <= tile.right)
      return deposit_steps<kSide>(shape, rows, values, x, [&](int column) { return column - tile.left; });
    if (rows.inside && left >= 0 && right <= width_)
      return deposit_steps<kSide>(shape, rows, values, x, [&](int column) { return fields_.column(column); });
    for_each_box<kChannels>(shape, x, y, kSide, values, [&](const SpreadBox& box, const Values& of_box) {
      fields_.deposit(layer, box, of_box);
    });
  }

  template <int kSide, class Place>
  static void deposit_steps(const SpreadShape& shape, const ShapeRows& rows, const Values& values, int x,
                            const Place& place) {
    const Values part = values;  // no deposit can change it
    for (int i = 0; i < shape.steps; ++i) {
      Values *const top = rows.top[i], *const bottom = rows.bottom[i];
      const auto step = [&](int left, int right) {
        left = place(x + left);
        right = place(x + right);
        Fields::add(top[left], part);
        Fields::subtract(top[right], part);
        Fields::subtract(bottom[left], part);
        Fields::add(bottom[right], part);
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
    rows.inside = y - up >= 0 && y + up + kSide <= height_;
    if (!rows.inside) return;
    for (int i = 0; i < shape.steps; ++i) {
      rows.top[i] = fields_.deposits(layer, y - shape.half_height[i]);
      rows.bottom[i] = fields_.deposits(layer, y + shape.half_height[i] + kSide);
    }
  }

  /// Deposits the boxes of a stack, as deposit_shape does.
  template <int kSide>
  void deposit_stack(int layer, const std::uint32_t* stack, int zones, int x, int y,
                     const Values (&values)[kMostZones], ShapeRows& rows) {
    const std::uint32_t* const boxes = stack + boxes_of_stack(zones);
    if (rows.shape != stack || rows.layer != layer || rows.y != y)
      find_rows_of_stack(layer, stack, boxes, y, rows);
    const int left = x + first_of_box(stack[2]), right = x + last_of_box(stack[2]) + 1;
    const SpreadBox& tile = fields_.tile();
    if (rows.inside && left >= 0 && right < width_) {
      if (left >= tile.left && right <= tile.right)
        deposit_runs(boxes, zones, rows, values, [&](int column) { return x + column - tile.left; });
      else
        deposit_runs(boxes, zones, rows, values, [&](int column) { return fields_.column(x + column); });
      return;
    }
    const int runs = task_.frame.at.runs;
    for (int zone = 0; zone < zones; ++zone)
      for_each_stacked_box(stack, boxes + zone * runs * kBoxWords, runs, x, y, kSide, width_, height_,
                           [&](const SpreadBox& box) { fields_.deposit(layer, box, values[zone]); });
  }

  template <class Place>
  void deposit_runs(const std::uint32_t* boxes, int zones, const ShapeRows& rows,
                    const Values (&values)[kMostZones], const Place& place) const {
    const int runs = task_.frame.at.runs;
    for (int zone = 0; zone < zones; ++zone) {
      const Values part = values[zone];  // no deposit can change it
      for (int i = 0; i < runs; ++i, boxes += kBoxWords) {
        const int left = place(first_of_box(boxes[0])), right = place(last_of_box(boxes[0]) + 1);
        Fields::add(rows.top[i][left], part);
        Fields::subtract(rows.top[i][right], part);
        Fields::subtract(rows.bottom[i][left], part);
        Fields::add(rows.bottom[i][right], part);
      }
    }
  }

  void find_rows_of_stack(int layer, const std::uint32_t* stack, const std::uint32_t* boxes, int y,
                          ShapeRows& rows) {
    rows.shape = stack;
    rows.layer = layer;
    rows.y = y;
    rows.inside = y + first_of_box(stack[3]) >= 0 && y + last_of_box(stack[3]) + 1 < height_;
    if (!rows.inside) return;
    for (int i = 0; i < task_.frame.at.runs; ++i, boxes += kBoxWords) {
      rows.top[i] = fields_.deposits(layer, y + first_of_box(boxes[1]));
      rows.bottom[i] = fields_.deposits(layer, y + last_of_box(boxes[1]) + 1);
    }
  }

  void show_run(int x0, int y, int count) {
    const T* const pixels = task_.image.row(y) + std::int64_t{x0} * kSamples;
    T* const out = task_.out.row(y) + std::int64_t{x0} * kSamples;
    ShownRun<kLight>& run = shown_;
    run.count = count;
    run.circles = circles_.of_pixel.row(y) + x0;
    for (int l = 0; l <= cuts_.count; ++l) {
      const Values* const field = fields_.field(l);
      run.fields[l] = field ? field[x0 - fields_.tile().left].of : nullptr;
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
        [&](const Box& box) { return fill_->sum(box, kLight); },
        [&](const Box& box, float per) {
          float sums[kLight + 1];
          fill_->sums(box, sums);
          for (int c = 0; c <= kLight; ++c) around[c] += sums[c] * per;
        },
        around);
    if (task_.frame.words && shows_itself(run.circles[i], run.left[i], around[kLight])) {
      run.exact[i] = true;
      return;
    }
    Composite<kLight> composite;
    composite.left = run.left[i];
    for (int c = 0; c < kLight; ++c) composite.light[c] = run.light[c][i];
    composite.fill(run.circles[i], around, around[kLight], task_.scale.white);
    for (int c = 0; c < kLight; ++c) run.light[c][i] = composite.light[c];
  }

  float circle_at(int x, int y) const { return circles_.of_pixel(x, y); }

  const LayeredTask<T>& task_;
  const Circles& circles_;
  const LayerCuts& cuts_;
  const Lamps& lamps_;
  const Reaches& reaches_;
  const FillTable<kSamples>* fill_;
  int width_, height_;
  SpreadReach reach_;
  int first_ = 0, end_ = 0;  ///< columns that may reach the tile
  Fields fields_;
  std::int64_t light_width_;
  std::uint32_t* light_;  ///< of kMostGroup rows from column first_ on, channel by channel
  SpreadRun<kChannels> singles_[kMostGroup] = {}, pairs_[kMostGroup / 2] = {}, quads_ = {};
  RunShapes of_run_ = {};
  const SpreadShape* smaller_[kSpreadRun] = {};            ///< of the pixels of a run
  StackPair stacks_[kSpreadRun] = {};                      ///< the same, of pupils
  RunParts<kChannels> parts_[kMostZones] = {};             ///< of each zone
  std::uint32_t outlines_[kMostLampZones * kNextOutline];  ///< of a lamp
  ShownRun<kLight> shown_;
  /// Holds the rows of the pixel before, for each of its up to four parts, by their offset downwards and by
  /// the node around it.
  ShapeRows rows_of_[kMostGroup][kSpreadParts][2 * kMostGroupShift + 1][kCornersOfNodes];
};

/// Estimates the time of a tile, by every fourth block that reaches it.
double cost_of(const SpreadBox& tile, const Circles& circles, const Reaches& reaches, SpreadReach reach) {
  constexpr int kStep = 2 * kMostGroup;
  constexpr double kShown = 0.5, kVisited = 0.2;  // of a pixel, in deposits
  const View<float>& all = circles.of_pixel;
  const int right = std::min(static_cast<int>(all.width), tile.right + reach.across),
            bottom = std::min(static_cast<int>(all.height), tile.bottom + reach.down);
  double cost = kShown * (tile.right - tile.left) * (tile.bottom - tile.top);
  for (int y = std::max(0, tile.top - reach.down) / kStep * kStep; y < bottom; y += kStep)
    for (int x = std::max(0, tile.left - reach.across) / kStep * kStep; x < right; x += kStep) {
      if (!reaches.block(circles, x, y, tile)) continue;
      const float circle = all(x, y), radius = std::fabs(circle);
      const double deposits_of_pixel = !deposits(circle)                ? 0
                                       : radius < least_group_radius(2) ? 1
                                       : radius < least_group_radius(4) ? 0.25
                                                                        : 0.0625;
      cost += (kVisited + deposits_of_pixel) * kStep * kStep;
    }
  return cost;
}

/// Returns what all threads take from a workspace.
template <class T, int kSamples>
std::int64_t bytes_of_tiles(const LayeredTask<T>& task, const LayeredPicture<kSamples>& picture,
                            const SpreadTiles& tiles) {
  const auto take = [&](Context& context) {
    Workspace workspace(context);
    LayeredTile<T, kSamples>(workspace, task, picture, tiles);
  };
  return tiles.workers() * count_memory(take).workspace;
}

template <class T, int kSamples>
void run(Context& context, const LayeredTask<T>& task) {
  Workspace workspace(context);
  LayeredPicture<kSamples> picture;
  picture.circles = circles_of(task.disparity, task.lens, workspace);
  const Circles& circles = picture.circles;
  picture.cuts = layer_cuts(task.layers, circles.least, circles.most);
  picture.lamps = LampFinder<T, kSamples>(task, circles).find(workspace);
  picture.reaches = Reaches(task, std::max(circles.most, -circles.least), picture.lamps.words != nullptr);
  picture.reach = picture.reaches.most();
  FillTable<kSamples> fill(workspace, task.image.width, task.image.height,
                           fill_weight(circles.least, circles.most) > 0);
  fill.make(task, circles, picture.lamps);
  picture.fill = &fill;
  const SpreadTiles tiles(task.image.width, task.image.height, picture.reach.most());
  {
    // Pieces that threads take one after the other then lie in one block, without gaps.
    Workspace together(context);
    together.take<std::byte>(bytes_of_tiles<T>(task, picture, tiles));
  }
  std::vector<LayeredTile<T, kSamples>> workers;
  workers.reserve(static_cast<std::size_t>(tiles.workers()));
  for (int i = 0; i < tiles.workers(); ++i) workers.emplace_back(workspace, task, picture, tiles);
  for_each_spread_tile(
      tiles, [&](const SpreadBox& tile) { return cost_of(tile, circles, picture.reaches, picture.reach); },
      [&](int worker, const SpreadBox& tile) { workers[static_cast<std::size_t>(worker)].run(tile); });
}

template <int kSamples>
std::int64_t bytes_of_picture(const LayeredTask<float>& task, int reach) {
  const std::int64_t width = task.image.width, height = task.image.height;
  const auto take = [&](Context& context) {
    Workspace workspace(context);
    FillTable<kSamples>(workspace, width, height, true);
    workspace.take<float>(width * height);
    workspace.take<std::uint32_t>(Lamps::blocks(width) * Lamps::blocks(height));
  };
  // A smaller reach takes less in each tile, but there may be more tiles at once.
  std::int64_t most = 0;
  LayeredPicture<kSamples> picture;
  picture.cuts.count = task.layers - 1;
  for (int r = rounded_reach(0); r <= rounded_reach(reach); r = rounded_reach(r + 1)) {
    picture.reach = {std::min(r, reach), std::min(r, reach)};
    most = std::max(most, bytes_of_tiles<float>(task, picture, SpreadTiles(width, height, r)));
  }
  return most + count_memory(take).workspace;
}

}  // namespace

std::int64_t dof_layered_bytes(std::int64_t width, std::int64_t height, int channels, const DofStyle& style,
                               int reach) {
  LayeredTask<float> task;
  task.image = View<const float>(nowhere<float>(1), width, height, channels);
  task.layers = layers_of(style.quality);
  if (channels == 1) return bytes_of_picture<1>(task, reach);
  return channels == 3 ? bytes_of_picture<3>(task, reach) : bytes_of_picture<4>(task, reach);
}

template <class T>
void dof_layered(Context& context, const LayeredTask<T>& task) {
  if (task.image.channels == 1) return run<T, 1>(context, task);
  if (task.image.channels == 3) return run<T, 3>(context, task);
  run<T, 4>(context, task);
}

SCANLENS_INSTANTIATE_DOF_LAYERED

}  // namespace scanlens::cpu
