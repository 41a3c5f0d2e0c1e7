// Lamps as C++ and CUDA find and spread them: filters/dof/lamps_formula.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "filters/dof/lamps_formula.h"
#include "filters/dof/light.h"
#include "filters/dof/shapes.h"

namespace scanlens {

/// The discs, or polygons, that lamps are spread to.
struct LampDiscs {
  const std::uint32_t* words = nullptr;  ///< of each disc kDiscWords, then the boxes of all; null: no lamps
  float per_spacing = 1;                 ///< discs per pixel of radius
  float across = 0, down = 0;            ///< half their size per radius
};

inline constexpr int kMostHalfSize = kMiddleOfBox - 1;  ///< of boxes of discs

/// Returns the word of a box's first and last place along a side, from the middle.
inline std::uint32_t box_word(int first, int last) {
  const auto kept = [](int value) {
    return static_cast<std::uint32_t>(std::clamp(value, -kMostHalfSize, kMostHalfSize) + kMiddleOfBox);
  };
  return kept(first) | kept(last) << 16;
}

/// The memory that finding lamps takes.
struct LampTask {
  LampDiscs discs;
  float per_lamp = 0;        ///< 1 / (least light of lamps in a field)
  std::uint32_t budget = 0;  ///< of all costs
  LightScale scale;          ///< of what goes to discs
  int shift = 0;             ///< bits that its light of 1 is smaller by
};

/// The size of a disc among all: each radius has one, and wide lamps one of few rows between two radii.
struct DiscSize {
  double radius;
  int most_rows;  ///< above the middle
};

/// Returns the pixels of radius from a disc to the next, in tables up to `most` pixels of radius.
float disc_spacing(float most);
DiscSize disc_size(int place, float spacing);

/// Such a table on the host.
struct DiscTable {
  std::vector<std::uint32_t> words;
  LampDiscs discs;  ///< in `words`

  std::size_t bytes() const { return words.size() * sizeof(std::uint32_t); }
};

/// Returns the table up to `most` pixels of radius. The tables that were asked for last are kept. It is empty
/// where no blur is wide enough to have lamps, or the staircases have all steps that there are.
std::shared_ptr<const DiscTable> disc_table(const DofStyle& style, float most);

/// Returns 1 / (least light of lamps in a field), for what is clipped is somewhat darker than white. `one` is
/// light of 1 there. Where white has too few steps there are no lamps.
inline float per_lamp(bool floats, const LightRange& light, float one) {
  constexpr float kLeastWhite = 256;
  const float white = floats ? std::min(light.white, light.most) * one : kOneLight;
  return white < kLeastWhite ? 0 : 1 / (0.9f * white);
}

/// Budget of the costs of all discs: half of it is 1 % of the deposits of all else in good. Small pictures
/// have what one of 1.3 Mpx has.
inline std::uint32_t lamp_budget(std::int64_t pixels) {
  constexpr std::int64_t kLeastPixels = 1320000;
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(std::max(pixels, kLeastPixels) / 33, 1, kMostLampCost));
}

/// Returns the task of a picture of samples T, whose light has a scale.
template <class T>
LampTask lamp_task(const LampDiscs& discs, const LightRange& light, const LightScale& scale,
                   std::int64_t pixels) {
  constexpr bool kFloats = std::is_floating_point_v<T>;
  LampTask task{discs, per_lamp(kFloats, light, scale.one), lamp_budget(pixels), scale};
  if (kFloats && lamps_exceed(light)) {
    task.shift = kLampShift;
    task.scale.most = light.lamps;
    task.scale.one = std::ldexp(scale.one, -kLampShift);
  }
  return task;
}

/// Number of cells of lamps that are affordable: kDiscsPerCost cost at least kLeastLampRadius.
inline std::int64_t most_lamps(std::int64_t pixels) {
  return std::int64_t{lamp_budget(pixels)} * kDiscsPerCost / static_cast<int>(kLeastLampRadius);
}

/// Returns the greatest of the colours.
template <int kSamples, class Values>
SCANLENS_HOST_DEVICE std::uint32_t brightest_of(const Values& light) {
  std::uint32_t brightest = light.of[0];
  for (int c = 1; c < kLightColors<kSamples>; ++c)
    brightest = brightest > light.of[c] ? brightest : light.of[c];
  return brightest;
}

/// Returns the greatest of the colours that a pixel spreads, and not the colours: most pixels are no lamps.
template <int kSamples, class T>
SCANLENS_HOST_DEVICE std::uint32_t brightest_light(const T* pixel, const LightScale& scale) {
  T brightest = 0;
  for (int c = 0; c < kLightColors<kSamples>; ++c) brightest = pixel[c] > brightest ? pixel[c] : brightest;
  std::uint32_t light;
  if constexpr (std::is_floating_point_v<T>) {
    light = light_of_float(clipped_light(brightest, scale.most), scale.one);
  } else {
    light = light_of_code(brightest, scale);
    if (scale.highlights.boost > 0)
      light = gained_light(light, highlight_gain(static_cast<float>(light), scale.highlights));
  }
  if constexpr (kSamples == 4) light = weighed_light(light, alpha_share(pixel[3]));
  return light;
}

/// The lamps of a block: bit_of_lamp.
using LampMask = std::uint32_t;

/// Calls visit(column, row, lamp_cell, circle) for each cell with lamps of a block that is at a level. It is
/// called for smaller ones where lamps are too unlike to share discs. circle_at(column, row) is asked for
/// lamps.
template <class CircleAt, class Visit>
SCANLENS_HOST_DEVICE void for_each_lamp_cell(LampMask lamps, int level, const CircleAt& circle_at,
                                             const Visit& visit) {
  const auto is_done = [&](int column, int row, int at) {
    float low = 0, high = 0;
    bool any = false;
    for (int j = row; j < row + (1 << at); ++j)
      for (int i = column; i < column + (1 << at); ++i) {
        if (!(lamps >> (kLampBlock * j + i) & 1u)) continue;
        const float circle = circle_at(i, j);
        low = any && low < circle ? low : circle;
        high = any && high > circle ? high : circle;
        any = true;
      }
    if (any && at > 0 && !share_discs(low, high)) return false;
    if (any) visit(column, row, lamp_cell(at, level), shared_circle(low, high));
    return true;
  };
  if (level >= kLargestCell && is_done(0, 0, kLargestCell)) return;
  for (int quarter = 0; quarter < 4; ++quarter) {
    const int column = quarter % 2 * 2, row = quarter / 2 * 2;
    if (level > 0 && is_done(column, row, 1)) continue;
    for (int i = 0; i < 4; ++i) is_done(column + i % 2, row + i / 2, 0);
  }
}

/// Facts about a block before all lamps are known: its word, 0 without lamps, and the cost of its lamps, by
/// the levels that it is raised.
struct LampBlock {
  std::uint32_t word, costs[kMostLampLevel + 1];
};

/// Finds the lamps of the block from (x, y) on. `own` is the light of its brightest pixel. brightest_at(x, y)
/// and circle_at(x, y) are asked for pixels inside.
template <class BrightestAt, class CircleAt>
SCANLENS_HOST_DEVICE LampBlock lamps_of_block(int x, int y, int width, int height, std::uint32_t own,
                                              float per_lamp, const BrightestAt& brightest_at,
                                              const CircleAt& circle_at) {
  if (!(lamp_ratio(own, per_lamp) > 1)) return {};
  const int right = x + kLampBlock < width ? x + kLampBlock : width,
            bottom = y + kLampBlock < height ? y + kLampBlock : height;
  float radius = 0;
  for (int i = 0; i < 4; ++i) {  // corners
    const float of_pixel = std::fabs(circle_at(i % 2 ? right - 1 : x, i / 2 ? bottom - 1 : y));
    radius = of_pixel > radius ? of_pixel : radius;
  }
  if (!(radius > kLeastLampRadius)) return {};
  const LampRings rings = lamp_rings(radius);
  std::uint32_t crowd[2] = {}, standing = 0;
  for (int ring = 0; ring < 2; ++ring) {  // what the inner one shows may be enough
    for (int i = 0; i < 8; ++i) {
      int at_x = x + kLampBlock / 2 + ring_place(i, rings.distance << ring),
          at_y = y + kLampBlock / 2 + ring_place(i + 2, rings.distance << ring);
      at_x = at_x < 0 ? 0 : at_x < width ? at_x : width - 1;
      at_y = at_y < 0 ? 0 : at_y < height ? at_y : height - 1;
      crowd[ring] += crowding(own, brightest_at(at_x, at_y));
    }
    standing = standing_out(crowd_around(own, crowd[0], crowd[1], rings.outer));
    if (standing == 0) return {};
  }
  LampMask lamps = 0;
  float low = 0, high = 0;
  for (int j = y; j < bottom; ++j)
    for (int i = x; i < right; ++i) {
      const std::uint32_t brightest = brightest_at(i, j);
      if (!(lamp_ratio(brightest, per_lamp) > 1)) continue;
      const float circle = circle_at(i, j);
      if (lamp_share(brightest, per_lamp, circle, kShareSteps) == 0) continue;
      low = lamps != 0 && low < circle ? low : circle;
      high = lamps != 0 && high > circle ? high : circle;
      lamps |= bit_of_lamp(i - x, j - y);
    }
  if (lamps == 0) return {};
  const int least = least_lamp_level(radius, bucket_of_block(x / kLampBlock, y / kLampBlock));
  LampBlock block = {block_word(standing, least), {}};
  for (int raised = 0; raised <= kMostLampLevel; ++raised)
    block.costs[raised] = cost_of_block(lamps, low, high, least + raised);
  return block;
}

/// Returns the cost of all lamps at a growth, at most the budget. `costs` has kLampCosts.
SCANLENS_HOST_DEVICE inline std::uint32_t cost_of_growth(const std::uint32_t* costs, int growth,
                                                         std::uint32_t budget) {
  std::uint32_t sum = 0;
  for (int bucket = 0; bucket < kLampBuckets; ++bucket)
    sum = sum_of_costs(sum, costs[place_of_cost(bucket, lamp_growth_of(bucket, growth))], budget);
  return sum;
}

/// The growth and the share that all lamps have, so that they are affordable.
struct LampGrowth {
  int growth = 0;
  std::uint32_t share = kShareSteps;  ///< that goes to discs, in steps

  /// Returns the level of a block.
  SCANLENS_HOST_DEVICE int level(std::uint32_t word, int column, int row) const {
    return grown_lamp_level(level_of(word), bucket_of_block(column, row), growth);
  }
  /// Returns the share of a block's lamps that goes to discs.
  SCANLENS_HOST_DEVICE std::uint32_t share_of(std::uint32_t word) const {
    return standing_of(word) * share >> kShareBits;
  }
};

/// Finds what is affordable, on the host.
inline LampGrowth affordable_growth(const std::uint32_t* costs, std::uint32_t budget) {
  LampGrowth all;
  for (int growth = 0; growth < kMostLampGrowth; ++growth)
    all.growth += cost_of_growth(costs, growth, budget) > budget / 2 ? 1 : 0;
  all.share = affordable_share(cost_of_growth(costs, kMostLampGrowth, budget), budget);
  return all;
}

/// Takes what goes to the disc, `share` in steps, from a pixel's light, and returns it.
template <int kChannels, class Values>
SCANLENS_HOST_DEVICE Values lamp_of(Values& light, std::uint32_t share) {
  Values lamp = {};
  for (int c = 0; c < kChannels; ++c) {
    lamp.of[c] = product_shifted(light.of[c], share, kShareBits);
    light.of[c] -= lamp.of[c];
  }
  return lamp;
}

/// The lamps of a cell, taken together.
template <class Values>
struct LampsTogether {
  Values mean;  ///< over the cell's 4^size_of_cell(cell) pixels
  int cell;
  float circle;
  int middle_x, middle_y;  ///< in half pixels
  float spread;
};

/// Takes the lamps of the cell from (x, y) on together. lamp_at(x, y, lamp, circle) is asked for all of its
/// pixels; it is true of lamps, and makes what of their light goes to discs.
template <int kSamples, class Values, class LampAt>
SCANLENS_HOST_DEVICE LampsTogether<Values> take_together(int x, int y, int cell, const LampAt& lamp_at) {
  constexpr int kChannels = kLightChannels<kSamples>;
  const int level = size_of_cell(cell);
  std::uint64_t sums[kChannels] = {};
  LampMoments moments = no_lamps();
  float low = 0, high = 0;
  for (int i = 0; i < 1 << 2 * level; ++i) {
    const int right = i & ((1 << level) - 1), down = i >> level;
    Values lamp = {};
    float circle = 0;
    if (!lamp_at(x + right, y + down, lamp, circle)) continue;
    low = moments.weight > 0 && low < circle ? low : circle;
    high = moments.weight > 0 && high > circle ? high : circle;
    moments = with_lamp(moments, right, down, brightest_of<kSamples>(lamp) | 1u);
    for (int c = 0; c < kChannels; ++c) sums[c] += lamp.of[c];
  }
  LampsTogether<Values> together = {};
  for (int c = 0; c < kChannels; ++c) together.mean.of[c] = static_cast<std::uint32_t>(sums[c] >> 2 * level);
  together.cell = cell;
  together.circle = shared_circle(low, high);
  together.middle_x = 2 * x + middle_of_lamps(moments.across, moments.weight);
  together.middle_y = 2 * y + middle_of_lamps(moments.down, moments.weight);
  together.spread = spread_of_lamps(moments);
  return together;
}

/// Calls visit(layer, disc, deposit) for each disc that lamps of the cell from (x, y) on go to; `disc` is the
/// place of its radius among all. deposit(share) makes the values that it gets, by 2^32 / its area; any
/// number of times.
template <int kSamples, class Values, class Visit>
SCANLENS_HOST_DEVICE void for_each_disc(const LampTask& task, const LayerCuts& cuts, int x, int y,
                                        const LampsTogether<Values>& lamps, const Visit& visit) {
  constexpr int kChannels = kLightChannels<kSamples>;
  const std::uint32_t hash = pixel_hash(x, y);
  const DiscPlace place = disc_place(lamps.circle, task.discs.per_spacing, lamps.spread, lamps.cell, hash);
  const LayerShare share = layer_share(lamps.circle, cuts);
  std::uint32_t random = random_behind(hash);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (int i = 0; i < 2 * kDiscsOfLamp; ++i) {
    const int behind = i / kDiscsOfLamp, disc = i % kDiscsOfLamp;
    const std::uint32_t steps =
        steps_of_disc(disc, place, behind ? share.behind : kShareSteps - share.behind);
    if (steps == 0) continue;
    visit(share.layer + behind, disc_of_lamp(disc, place), [&](std::uint32_t per_area) {
      Values part = {};
      std::uint32_t of_channel = random;
      for (int c = 0; c < kChannels; ++c) {
        part.of[c] =
            deposit_of_lamp(lamps.mean.of[c], per_area, steps, of_channel,
                            2 * size_of_cell(lamps.cell) + (c < kLightColors<kSamples> ? task.shift : 0));
        of_channel = next_random(of_channel);
      }
      return part;
    });
    for (int c = 0; c < kChannels; ++c) random = next_random(random);
  }
}

/// Calls add(layer, box, values) for every `count`th box of the discs of lamps in the cell from (x, y) on,
/// from the `first` box on.
template <int kSamples, class Values, class Add>
SCANLENS_HOST_DEVICE void spread_lamps(const LampTask& task, const LayerCuts& cuts, int x, int y, int height,
                                       const LampsTogether<Values>& lamps, int first, int count,
                                       const Add& add) {
  for_each_disc<kSamples>(task, cuts, x, y, lamps, [&](int layer, int disc, const auto& deposit) {
    const std::uint32_t* const words =
        task.discs.words + kDiscWords * place_of_disc(disc, lamps.middle_x, lamps.middle_y);
    const Values part = deposit(words[0]);
    const std::uint32_t* const stack = task.discs.words + words[1];
    const int boxes = static_cast<int>(words[2]);
    for (int b = first; b < boxes; b += count) {
      const SpreadBox box = stacked_box(stack[kBoxWords * b], stack[kBoxWords * b + 1], lamps.middle_x >> 1,
                                        lamps.middle_y >> 1, height);
      if (box.top < box.bottom) add(layer, box, part);
    }
  });
}

}  // namespace scanlens
