// Lamps: pixels so much brighter than what is around them that the shape of their blur is seen. Part of their
// light is spread to discs with all their steps and a soft edge. Stated once for C++, CUDA and GLSL.
#ifndef SCANLENS_FILTERS_DOF_LAMPS_FORMULA_H
#define SCANLENS_FILTERS_DOF_LAMPS_FORMULA_H

#include "core/spread/fold_formula.h"
#include "filters/dof/shapes_formula.h"

#ifdef __cplusplus
namespace scanlens {
#endif

/// Pixels a side of a block. A block is lamps or not as a whole, and each pixel by its own light and blur.
SCANLENS_CONSTANT int kLampBlock = 4;

/// A staircase is as good as a disc up to here; 3 pixels on, all of a lamp's light goes to the disc.
SCANLENS_CONSTANT float kLeastLampRadius = 5.0f;

/// A share of 0 .. 1 in steps of 1 / kShareSteps; what is beyond is clipped.
SCANLENS_SHARED uint share_in_steps(float share) {
  float kept = share > 0.0f ? (share < 1.0f ? share : 1.0f) : 0.0f;
  SCANLENS_EXACT float steps = kept * float(kShareSteps);
  return uint(steps);
}

/// Light relative to the least light of lamps, 1 / per_lamp; below 1 it is no lamp.
SCANLENS_SHARED float lamp_ratio(uint brightest, float per_lamp) {
  SCANLENS_EXACT float ratio = float(brightest) * per_lamp;
  return ratio;
}

/// The share of a pixel that goes to its disc, in steps. It comes in with the light and with the blur, so
/// that nothing pops.
SCANLENS_SHARED uint lamp_share(uint brightest, float per_lamp, float circle, uint of_block) {
  SCANLENS_EXACT float by_light = (lamp_ratio(brightest, per_lamp) - 1.0f) * 9.0f;
  SCANLENS_EXACT float by_blur = (abs(circle) - kLeastLampRadius) * (1.0f / 3.0f);
  uint share = share_in_steps(by_light) * share_in_steps(by_blur) >> kShareBits;
  return share * of_block >> kShareBits;
}

/// The rest of a weight without the share, in steps, that goes to the disc.
SCANLENS_SHARED float weight_without_lamp(float weight, uint share) {
  SCANLENS_EXACT float rest = weight * (float(kShareSteps - share) * (1.0f / float(kShareSteps)));
  return rest;
}

/// The cost of a lamp's discs, mostly kDiscsPerCost of them: deposits grow with the radius up to `most`.
SCANLENS_CONSTANT uint kDiscsPerCost = 4u;
SCANLENS_SHARED uint lamp_cost(float circle, float most) {
  float radius = abs(circle);
  return uint(radius < most ? radius : most);
}

/// No budget is larger, and sums of costs stop growing from here on, far below 2^32.
SCANLENS_CONSTANT uint kMostLampCost = 1073741824u;

/// Lamps of a cell of 1, 2 or 4 pixels a side are spread as one: a level of 0, 1 or 2. At level 3 each of the
/// largest cells goes to one of its discs, by chance. That costs a quarter or less, and in lamps of many
/// cells the discs of all make the same edge.
SCANLENS_CONSTANT int kMostLampLevel = 3;
SCANLENS_CONSTANT int kLargestCell = 2;
/// Half of such a disc has no more rows; a larger one has rows of several pixels.
SCANLENS_CONSTANT int kRowsOfOneDisc = 24;
/// The radius from which on cells of a level, 1 or 2, are taken whatever the budget.
SCANLENS_SHARED float least_cell_radius(int level) {
  return level == 1 ? 20.0f : 64.0f;
}
/// A cell in a few bits: the level of its size, and whether it goes to one disc.
SCANLENS_CONSTANT int kLampCellBits = 3;
SCANLENS_CONSTANT int kOneDiscBit = 4;
SCANLENS_SHARED int lamp_cell(int size, int level) {
  return level > kLargestCell ? size | kOneDiscBit : size;
}
SCANLENS_SHARED int size_of_cell(int cell) {
  return cell & (kOneDiscBit - 1);
}

/// Blocks lie in buckets, which are spread evenly over the picture: the plastic number's lattice.
SCANLENS_CONSTANT int kLampBuckets = 64;
SCANLENS_SHARED int bucket_of_block(int column, int row) {
  return int((uint(column) * 3242174889u + uint(row) * 2447445414u) >> 26);
}

/// The level of a block's cells, as its radius demands. A level comes in bucket by bucket, up to an eighth
/// more radius, so that a pull shows no steps.
SCANLENS_SHARED int least_lamp_level(float radius, int bucket) {
  int level = 0;
  for (int i = 1; i <= kLargestCell; ++i) {
    SCANLENS_EXACT float enough =
        least_cell_radius(i) * (1.0f + float(kLampBuckets - 1 - bucket) * (0.125f / float(kLampBuckets)));
    level += radius >= enough ? 1 : 0;
  }
  return level;
}

/// Cells grow where the budget would not be enough, in all of the picture alike. A step of growth raises a
/// bucket by a level.
SCANLENS_CONSTANT int kMostLampGrowth = kMostLampLevel * kLampBuckets;
/// The levels that a bucket is raised by.
SCANLENS_SHARED int lamp_growth_of(int bucket, int growth) {
  return growth / kLampBuckets + (bucket < growth % kLampBuckets ? 1 : 0);
}
/// The level of a block in a bucket.
SCANLENS_SHARED int grown_lamp_level(int least, int bucket, int growth) {
  int level = least + lamp_growth_of(bucket, growth);
  return level < kMostLampLevel ? level : kMostLampLevel;
}
/// The place of the cost of a bucket's lamps, if it were raised so far, among all costs.
SCANLENS_CONSTANT int kLampCosts = (kMostLampLevel + 1) * kLampBuckets;
SCANLENS_SHARED int place_of_cost(int bucket, int raised) {
  return raised * kLampBuckets + bucket;
}
/// Sums of costs: they stop at the budget.
SCANLENS_SHARED uint sum_of_costs(uint sum, uint cost, uint budget) {
  uint all = sum + (cost < budget ? cost : budget);
  return all < budget ? all : budget;
}

/// The share of all lamps that goes to discs if cells have grown as far as they may, by their cost. It is 1
/// up to half the budget, and 0 beyond the budget, so that the time does not depend on the picture.
SCANLENS_SHARED uint affordable_share(uint cost, uint budget) {
  if (cost >= budget) return 0u;
  return share_in_steps(quotient(float(budget - cost), float(budget - budget / 2u)));
}

/// The two rings of 8 pixels around a block that it is compared with. Their radii are up to that of the blur,
/// and up to twice as wide: the shape of what is larger than that is hidden by its size. Doubling distances
/// are blended, so that a pull shows no steps.
struct LampRings {
  int distance;  ///< of the inner ring; the outer one is twice as wide
  float outer;   ///< its share
};
SCANLENS_SHARED LampRings lamp_rings(float radius) {
  LampRings rings;
  rings.distance = 4;
  while (radius >= float(2 * rings.distance)) rings.distance *= 2;
  SCANLENS_EXACT float beyond = radius - float(rings.distance);
  rings.outer = beyond > 0.0f ? quotient(beyond, float(rings.distance)) : 0.0f;
  return rings;
}
/// Coordinate of place i, 0 .. 7, of a ring, across; i + 2 is the same down. Quarters of the distance plus 4
/// are hexadecimal digits.
SCANLENS_SHARED int ring_place(int i, int distance) {
  return (int(0x74101478u >> uint(4 * (i & 7)) & 15u) - 4) * (distance / 4);
}
/// The share that a pixel of a ring takes from a block's distinctness: nothing up to a quarter of its light,
/// a part from half of it on.
SCANLENS_SHARED uint crowding(uint own, uint other) {
  uint quarter = own >> 2;
  uint over = other > quarter ? other - quarter : 0u;
  return (over < quarter ? over : quarter) >> 3;
}
/// The crowding of a block's rings, from 0 to 1.
SCANLENS_SHARED float crowd_around(uint own, uint inner_crowd, uint outer_crowd, float outer) {
  SCANLENS_EXACT float crowd = float(inner_crowd) * (1.0f - outer) + float(outer_crowd) * outer;
  return quotient(crowd, float(own >> 2));
}
/// The distinctness of a block, in steps: all if up to 2 of 8 pixels are bright too, as along a tube; nothing
/// from 4 of 8 on, as at a straight edge of a surface.
SCANLENS_SHARED uint standing_out(float crowd) {
  SCANLENS_EXACT float share = (0.5f - crowd) * 4.0f;
  return share_in_steps(share);
}
/// A block in a word: how much it stands out, and the least level of its cells.
SCANLENS_CONSTANT int kStandingBits = 13;
SCANLENS_SHARED uint block_word(uint standing, int level) {
  return uint(level) << kStandingBits | standing;
}
SCANLENS_SHARED uint standing_of(uint word) {
  return word & ((1u << kStandingBits) - 1u);
}
SCANLENS_SHARED int level_of(uint word) {
  return int(word >> kStandingBits);
}

/// True if lamps with circles from `low` to `high` may share discs.
SCANLENS_SHARED bool share_discs(float low, float high) {
  SCANLENS_EXACT float range = high - low;
  float most = abs(low) > abs(high) ? abs(low) : abs(high);
  return range <= most * 0.0625f;
}
/// Their circle.
SCANLENS_SHARED float shared_circle(float low, float high) {
  SCANLENS_EXACT float middle = (low + high) * 0.5f;
  return middle;
}

/// True if lamps with circles from `low` to `high` share discs, and any of them do.
SCANLENS_SHARED bool all_share_discs(float low, float high) {
  SCANLENS_EXACT float range = high - low;
  float most = abs(low) > abs(high) ? abs(low) : abs(high);
  return range <= most * (1.0f / 17.0f);
}

/// The lamps of a block: bit kLampBlock * row + column.
SCANLENS_SHARED uint bit_of_lamp(int column, int row) {
  return 1u << uint(kLampBlock * row + column);
}
/// The number of a block's cells of a level that have lamps. Level 0 is where they do not share discs.
SCANLENS_SHARED uint cells_with_lamps(uint lamps, int level) {
  uint cells = level == 1 ? (lamps | lamps >> 1 | lamps >> 4 | lamps >> 5) & 0x0505u : lamps;
  if (level == kLargestCell) return lamps != 0u ? 1u : 0u;
  cells = (cells & 0x5555u) + (cells >> 1 & 0x5555u);
  cells = (cells & 0x3333u) + (cells >> 2 & 0x3333u);
  cells = (cells & 0x0F0Fu) + (cells >> 4 & 0x0F0Fu);
  return (cells & 0xFFu) + (cells >> 8);
}
/// The most that a block's lamps cost with circles from `low` to `high`, at a level.
SCANLENS_SHARED uint cost_of_block(uint lamps, float low, float high, int level) {
  int size = level < kLargestCell ? level : kLargestCell;
  uint cells = cells_with_lamps(lamps, all_share_discs(low, high) ? size : 0);
  float widest = abs(low) > abs(high) ? low : high;
  if (level <= kLargestCell) return cells * lamp_cost(widest, 255.0f);
  return (cells * lamp_cost(widest, 32.0f) + kDiscsPerCost - 1u) / kDiscsPerCost;
}

/// The lamps of a cell, weighed by their light. Places count from its first pixel.
struct LampMoments {
  float weight, across, down, squares;
};
SCANLENS_SHARED LampMoments no_lamps() {
  LampMoments none;
  none.weight = none.across = none.down = none.squares = 0.0f;
  return none;
}
SCANLENS_SHARED LampMoments with_lamp(LampMoments lamps, int right, int down, uint brightest) {
  float weight = float(brightest), x = float(right), y = float(down);
  SCANLENS_EXACT float heavier = lamps.weight + weight;
  SCANLENS_EXACT float across = lamps.across + weight * x;
  SCANLENS_EXACT float below = lamps.down + weight * y;
  SCANLENS_EXACT float squares = lamps.squares + weight * (x * x + y * y);
  lamps.weight = heavier;
  lamps.across = across;
  lamps.down = below;
  lamps.squares = squares;
  return lamps;
}
/// The middle of the lamps along one side, in half pixels.
SCANLENS_SHARED int middle_of_lamps(float along, float weight) {
  SCANLENS_EXACT float middle = 2.0f * quotient(along, weight) + 0.5f;
  return int(middle);
}
/// Their mean square distance from the middle.
SCANLENS_SHARED float spread_of_lamps(LampMoments lamps) {
  float x = quotient(lamps.across, lamps.weight), y = quotient(lamps.down, lamps.weight);
  SCANLENS_EXACT float spread = quotient(lamps.squares, lamps.weight) - (x * x + y * y);
  return spread;
}

/// Discs are a table of radii, evenly spaced. A wide lamp takes every second one: both between which its
/// radius lies half a step less, and both between which it lies half a step more. The discs between are the
/// same with kRowsOfOneDisc. This softens the edge over a pixel, whatever the radius, or over more for
/// several lamps at once. Neighbours of one step have a disc in common. A narrow lamp goes to five discs side
/// by side, the three in the middle alike: every row of its edge is seen.
SCANLENS_CONSTANT int kDiscsOfLamp = 5;
/// Lamps below are narrow, and up to an eighth more by chance, so that a pull shows no step.
SCANLENS_CONSTANT float kNarrowLamp = 16.0f;
struct DiscPlace {
  int first;   ///< disc of those that a lamp goes to
  int step;    ///< from the first to the third, and from the second to the fourth; 0: a narrow lamp's;
               ///< -1: there is only the first
  uint upper;  ///< the share of those behind, in steps
};

/// The spaces of two discs that several lamps are softened over: 1 .. kMostSoftening. A square of s pixels,
/// whose spread is (s^2 - 1) / 6, is softened over 0.45 s pixels.
SCANLENS_CONSTANT int kMostSoftening = 5;
SCANLENS_SHARED int softening_of(float spread, float per_spacing) {
  SCANLENS_EXACT float per_pixel = 0.225f * per_spacing;
  SCANLENS_EXACT float square = (6.0f * spread + 1.0f) * (per_pixel * per_pixel);
  int step = 1;
  for (; step < kMostSoftening; ++step) {
    SCANLENS_EXACT float end = (float(step) + 0.5f) * (float(step) + 0.5f);
    if (square < end) break;
  }
  return step;
}
/// `spread` is that of the lamps taken together; `random` is the pixel's number. `cell` says whether one disc
/// is chosen, between the outer ones.
SCANLENS_SHARED DiscPlace disc_place(float circle, float per_spacing, float spread, int cell, uint random) {
  float radius = abs(circle);
  SCANLENS_EXACT float narrow = kNarrowLamp + float(random >> 8) * (0.125f * kNarrowLamp / 16777216.0f);
  DiscPlace place;
  place.step = radius < narrow ? 0 : softening_of(spread, per_spacing);
  // Places among all discs, and among every second one.
  SCANLENS_EXACT float narrow_at = radius * per_spacing - 1.5f;
  SCANLENS_EXACT float wide_at = radius * (0.5f * per_spacing) - 0.5f * float(place.step);
  float at = place.step == 0 ? narrow_at : wide_at;
  int whole = int(at);
  SCANLENS_EXACT float part = at - float(whole);
  place.first = place.step == 0 ? whole : 2 * whole;
  place.upper = share_in_steps(part);
  if (cell >= kOneDiscBit) {
    uint chance = random & (kShareSteps - 1u), beyond = chance < place.upper ? 1u : 0u;
    uint choices = place.step == 0 ? 4u : uint(place.step) + 1u;
    beyond += (random >> kShareBits & (kShareSteps - 1u)) * choices >> kShareBits;
    place.first += int(place.step == 0 ? beyond : 2u * beyond) + (radius >= float(kRowsOfOneDisc) ? 1 : 0);
    place.step = -1;
  }
  return place;
}
/// Disc i of those that a lamp goes to.
SCANLENS_SHARED int disc_of_lamp(int i, DiscPlace place) {
  return place.first + (place.step == 0 ? i : 2 * (i & 1) + 2 * (i >> 1) * place.step);
}
/// The steps of light that go to disc i, of `steps` in all.
SCANLENS_SHARED uint steps_of_disc(int i, DiscPlace place, uint steps) {
  if (place.step < 0) return i == 0 ? steps : 0u;
  if (place.step == 0) {
    uint first = (kShareSteps - place.upper) * steps >> (kShareBits + 2),
         last = place.upper * steps >> (kShareBits + 2);
    if (i == 0) return first;
    if (i == 4) return last;
    return i == 2 ? steps - 2u * (steps >> 2) - first - last : steps >> 2;
  }
  uint upper = (place.upper >> 1) * steps >> kShareBits;
  uint lower = (kShareSteps / 2u - (place.upper >> 1)) * steps >> kShareBits;
  bool is_one = place.step == 1;
  if (i == 0) return lower;
  if (i == 3) return upper;
  if (i == 1) return is_one ? steps - lower - upper : steps - 2u * lower - upper;
  return i == 2 && !is_one ? lower : 0u;
}

/// A disc is boxes of two words: its first and last column, then its first and last row, counted from the
/// middle, in 16 bits each.
SCANLENS_CONSTANT int kBoxWords = 2;
SCANLENS_CONSTANT int kMiddleOfBox = 32768;  // what the middle is written as
SCANLENS_SHARED int first_of_box(uint word) {
  return int(word & 0xFFFFu) - kMiddleOfBox;
}
SCANLENS_SHARED int last_of_box(uint word) {
  return int(word >> 16) - kMiddleOfBox;
}
/// A box that lies above the picture or below it, reflected; it has no rows where it would be reflected
/// twice.
SCANLENS_SHARED SpreadBox reflected_rows(SpreadBox box, int height) {
  if (box.bottom > 0 && box.top < height) return box;
  int mirror = box.bottom > 0 ? 2 * height : 0, top = mirror - box.bottom, bottom = mirror - box.top;
  box.top = top > 0 ? top : 0;
  box.bottom = bottom < height ? bottom : height;
  return box;
}
/// The box around (x, y).
SCANLENS_SHARED SpreadBox box_of_words(uint columns, uint rows, int x, int y) {
  SpreadBox box;
  box.left = x + first_of_box(columns);
  box.right = x + last_of_box(columns) + 1;
  box.top = y + first_of_box(rows);
  box.bottom = y + last_of_box(rows) + 1;
  return box;
}
/// The same, reflected.
SCANLENS_SHARED SpreadBox stacked_box(uint columns, uint rows, int x, int y, int height) {
  return reflected_rows(box_of_words(columns, rows, x, y), height);
}

/// Each radius has four discs: about a pixel's middle, half a pixel right of it, half a pixel below it, or
/// both. This is the place of the disc among all.
SCANLENS_CONSTANT int kMiddles = 4;
SCANLENS_SHARED int place_of_disc(int disc, int middle_x, int middle_y) {
  return disc * kMiddles + (middle_x & 1) + 2 * (middle_y & 1);
}

/// The words that the table has of each disc before the boxes: 2^32 / area, the first word of its boxes, and
/// how many boxes.
SCANLENS_CONSTANT int kDiscWords = 3;

/// A lamp's part of `value`, which counts units of 2^bits: deposit_of in units of 1.
SCANLENS_SHARED uint deposit_of_lamp(uint value, uint share, uint steps, uint random, int bits) {
  return product_sum_shifted(value, product_shifted(share, steps, kShareBits), random, bits);
}

/// The reach of discs along a side of the picture: `stretch` is half their size there per radius.
SCANLENS_SHARED int lamp_reach(float radius, float per_spacing, float stretch) {
  return stretch > 0.0f ? int((radius + quotient(8.0f, per_spacing)) * stretch) + 3 : 0;
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
