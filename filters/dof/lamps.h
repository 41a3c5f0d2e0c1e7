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

/// The memory that finding lamps takes.
struct LampTask {
  LampDiscs discs;
  float per_lamp = 0;        ///< 1 / (least light of lamps in a field)
  std::uint32_t budget = 0;  ///< of all costs
};

/// Such a table on the host.
struct DiscTable {
  std::vector<std::uint32_t> words;
  LampDiscs discs;  ///< in `words`

  std::size_t bytes() const { return words.size() * sizeof(std::uint32_t); }
};

/// Returns the table up to `most` pixels of radius. The tables that were asked for last are kept. It is empty
/// where no blur is wide enough to have lamps, or the staircases have all steps that there are.
std::shared_ptr<const DiscTable> disc_table(const DofStyle& style, float most);

/// Returns 1 / (least light of lamps in a field): of floats white, which is `white` there, and of codes
/// somewhat less, for what is clipped. Where white has too few steps there are no lamps.
inline float per_lamp(bool floats, float white) {
  constexpr float kLeastWhite = 4096;
  if (floats && white < kLeastWhite) return 0;
  return 1 / (floats ? white : 0.9f * kOneLight);
}

/// Budget of the costs of all discs: 0.13 % of the pixels where radii are 8, 0.025 % at 40; small pictures
/// have what one of 0.4 Mpx has. Four times as much takes up to 0.3 ms more at 3840 x 2160 on an H200, and
/// gains 0.2 dB in good and 0.1 in best (nine pictures of lights by night).
inline std::uint32_t lamp_budget(std::int64_t pixels) {
  constexpr std::int64_t kLeastBudget = 4096;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(pixels / 100, kLeastBudget, kMostLampCost));
}

/// Number of lamps that are affordable: each costs at least kLeastLampRadius.
inline std::int64_t most_lamps(std::int64_t pixels) {
  return lamp_budget(pixels) / static_cast<std::uint32_t>(kLeastLampRadius);
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
    if (scale.highlights > 0) light = gained_light(light, highlight_gain(light, scale.highlights));
  }
  if constexpr (kSamples == 4) light = weighed_light(light, alpha_share(pixel[3]));
  return light;
}

/// Facts about a block before all lamps are known: its word, 0 without lamps, and the cost of its lamps.
struct LampBlock {
  std::uint32_t word, cost;
};

/// Finds the lamps of the block from (x, y) on. `own` is the light of its brightest pixel; nothing of levels
/// up to `spent` is asked for. brightest_at(x, y) and circle_at(x, y) are asked for pixels inside.
template <class BrightestAt, class CircleAt>
SCANLENS_HOST_DEVICE LampBlock lamps_of_block(int x, int y, int width, int height, std::uint32_t own,
                                              float per_lamp, int spent, const BrightestAt& brightest_at,
                                              const CircleAt& circle_at) {
  const float ratio = lamp_ratio(own, per_lamp);
  if (!(ratio > 1)) return {};
  const int right = x + kLampBlock < width ? x + kLampBlock : width,
            bottom = y + kLampBlock < height ? y + kLampBlock : height;
  float radius = 0;
  for (int i = 0; i < 4; ++i) {  // corners
    const float of_pixel = std::fabs(circle_at(i % 2 ? right - 1 : x, i / 2 ? bottom - 1 : y));
    radius = of_pixel > radius ? of_pixel : radius;
  }
  if (!(radius > kLeastLampRadius)) return {};
  const LampRings rings = lamp_rings(radius);
  std::uint32_t crowd[2] = {}, standing = 0, level = 0;
  for (int ring = 0; ring < 2; ++ring) {  // what the inner one shows may be enough
    for (int i = 0; i < 8; ++i) {
      int at_x = x + kLampBlock / 2 + ring_place(i, rings.distance << ring),
          at_y = y + kLampBlock / 2 + ring_place(i + 2, rings.distance << ring);
      at_x = at_x < 0 ? 0 : at_x < width ? at_x : width - 1;
      at_y = at_y < 0 ? 0 : at_y < height ? at_y : height - 1;
      crowd[ring] += crowding(own, brightest_at(at_x, at_y));
    }
    const float around = crowd_around(own, crowd[0], crowd[1], rings.outer);
    standing = standing_out(around);
    level = lamp_level(lamp_rank(ratio, around));
    if (standing == 0 || static_cast<int>(level >> kLevelBits) <= spent) return {};
  }
  std::uint32_t cost = 0;
  for (int j = y; j < bottom; ++j)
    for (int i = x; i < right; ++i) {
      const std::uint32_t brightest = brightest_at(i, j);
      if (!(lamp_ratio(brightest, per_lamp) > 1)) continue;
      const float circle = circle_at(i, j);
      if (lamp_share(brightest, per_lamp, circle, kShareSteps) > 0) cost += lamp_cost(circle);
    }
  return {cost > 0 ? block_word(standing, level) : 0, cost};
}

/// Returns the share of a block's lamps that goes to discs, in steps. `affordable` is the share of each
/// level.
SCANLENS_HOST_DEVICE inline std::uint32_t share_of_block(std::uint32_t word,
                                                         const std::uint32_t* affordable) {
  const std::uint32_t level = level_of(word), own = level >> kLevelBits;
  const std::uint32_t share = affordable_between(affordable[own > 0 ? own - 1 : 0], affordable[own], level);
  return standing_of(word) * share >> kShareBits;
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

/// Calls add(layer, box, values) for every `count`th box of a lamp's discs, from the `first` on.
template <int kChannels, class Values, class Add>
SCANLENS_HOST_DEVICE void spread_lamp(const LampDiscs& discs, float circle, const LayerCuts& cuts, int x,
                                      int y, int height, const Values& lamp, int first, int count,
                                      const Add& add) {
  const DiscPlace place = disc_place(circle, discs.per_spacing);
  const LayerShare share = layer_share(circle, cuts);
  std::uint32_t random = random_behind(pixel_hash(x, y));
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (int i = 0; i < 2 * kDiscsOfLamp; ++i) {
    const int behind = i / kDiscsOfLamp, disc = i % kDiscsOfLamp;
    const std::uint32_t steps =
        steps_of_disc(disc, place.third, behind ? share.behind : kShareSteps - share.behind);
    if (steps == 0) continue;
    const std::uint32_t* const words = discs.words + kDiscWords * (place.first + disc);
    Values part = {};
    for (int c = 0; c < kChannels; ++c) {
      part.of[c] = deposit_of(lamp.of[c], words[0], steps, random);
      random = next_random(random);
    }
    const std::uint32_t* const stack = discs.words + words[1];
    const int boxes = static_cast<int>(words[2]);
    for (int b = first; b < boxes; b += count) {
      const SpreadBox box = stacked_box(stack[kBoxWords * b], stack[kBoxWords * b + 1], x, y, height);
      if (box.top < box.bottom) add(share.layer + behind, box, part);
    }
  }
}

}  // namespace scanlens
