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

/// A staircase is as good as a disc up to here; 2 pixels on, all of a lamp's light goes to the disc.
SCANLENS_CONSTANT float kLeastLampRadius = 6.0f;

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
  SCANLENS_EXACT float by_blur = (abs(circle) - kLeastLampRadius) * 0.5f;
  uint share = share_in_steps(by_light) * share_in_steps(by_blur) >> kShareBits;
  return share * of_block >> kShareBits;
}

/// The cost of a lamp's disc: deposits grow with the radius.
SCANLENS_SHARED uint lamp_cost(float circle) {
  float radius = abs(circle);
  return uint(radius < 255.0f ? radius : 255.0f);
}

/// No budget is larger, and sums of costs stop growing from here on, far below 2^32.
SCANLENS_CONSTANT uint kMostLampCost = 1073741824u;

/// Levels of rank, 16 from a light to its double, each in 2^kLevelBits steps.
SCANLENS_CONSTANT int kLampLevels = 256;
SCANLENS_CONSTANT int kLevelBits = 8;

/// The level of a rank of 1 or more, in steps.
SCANLENS_SHARED uint lamp_level(float rank) {
  float octave = 0.0f;
  for (int i = 0; i < kLampLevels / 16 - 1; ++i) {
    if (rank < 2.0f) break;
    rank *= 0.5f;
    octave += 1.0f;
  }
  SCANLENS_EXACT float level = (octave + (rank - 1.0f)) * 4096.0f;
  return uint(level < 65535.0f ? level : 65535.0f);
}

/// The share of a level's lamps that goes to discs, by the cost of this and all higher levels. It is 1 up to
/// half the budget, and 0 beyond the budget, so that the time does not depend on the picture.
SCANLENS_SHARED uint affordable_share(uint cost, uint budget) {
  if (cost >= budget) return 0u;
  return share_in_steps(quotient(float(budget - cost), float(budget - budget / 2u)));
}
/// The same of a level between two; `below` is the share of the level before. Nothing that is not affordable
/// has a share, and lamps that change their brightness change it without a step.
SCANLENS_SHARED uint affordable_between(uint below, uint own, uint level) {
  uint part = level & ((1u << kLevelBits) - 1u);
  return (below * ((1u << kLevelBits) - part) + own * part) >> kLevelBits;
}

/// The two rings of 8 pixels around a block that it is compared with. Their radii are half that of the blur,
/// and up to all of it. Doubling distances are blended, so that a pull shows no steps.
struct LampRings {
  int distance;  ///< of the inner ring; the outer one is twice as wide
  float outer;   ///< its share
};
SCANLENS_SHARED LampRings lamp_rings(float radius) {
  LampRings rings;
  rings.distance = 4;
  while (radius >= float(4 * rings.distance)) rings.distance *= 2;
  SCANLENS_EXACT float beyond = radius - float(2 * rings.distance);
  rings.outer = beyond > 0.0f ? quotient(beyond, float(2 * rings.distance)) : 0.0f;
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
/// from 5 of 8 on, as in a surface.
SCANLENS_SHARED uint standing_out(float crowd) {
  SCANLENS_EXACT float share = (0.625f - crowd) * (1.0f / 0.375f);
  return share_in_steps(share);
}
/// By what lamps are ranked: their light, and those that stand alone before others, because most are clipped
/// to the same light.
SCANLENS_CONSTANT float kAlone = 16.0f;
SCANLENS_SHARED float lamp_rank(float ratio, float crowd) {
  SCANLENS_EXACT float rank = ratio * (kAlone - (kAlone - 1.0f) * crowd);
  return rank;
}

/// A block in a word: how much it stands out, and its level.
SCANLENS_CONSTANT int kStandingBits = 13;
SCANLENS_SHARED uint block_word(uint standing, uint level) {
  return level << kStandingBits | standing;
}
SCANLENS_SHARED uint standing_of(uint word) {
  return word & ((1u << kStandingBits) - 1u);
}
SCANLENS_SHARED uint level_of(uint word) {
  return word >> kStandingBits;
}

/// Discs are a table of radii, evenly spaced. A lamp goes to three of them: to both between which its radius
/// lies half a space less, and half a space more. This softens the edge over a pixel, whatever the radius.
SCANLENS_CONSTANT int kDiscsOfLamp = 3;
struct DiscPlace {
  int first;   ///< disc of three
  uint third;  ///< the share of the third, in steps; the second has half, the first the rest
};
SCANLENS_SHARED DiscPlace disc_place(float circle, float per_spacing) {
  SCANLENS_EXACT float at = abs(circle) * per_spacing - 0.5f;
  DiscPlace place;
  place.first = int(at);
  SCANLENS_EXACT float part = at - float(place.first);
  place.third = share_in_steps(part) >> 1;
  return place;
}
/// The steps of light that go to disc i of three, of `steps` in all.
SCANLENS_SHARED uint steps_of_disc(int i, uint third, uint steps) {
  uint of_first = (kShareSteps / 2u - third) * steps >> kShareBits, of_third = third * steps >> kShareBits;
  return i == 0 ? of_first : (i == 2 ? of_third : steps - of_first - of_third);
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
/// The box around (x, y). One that lies above the picture or below it is reflected; it has no rows where it
/// would be reflected twice.
SCANLENS_SHARED SpreadBox stacked_box(uint columns, uint rows, int x, int y, int height) {
  SpreadBox stacked;
  stacked.left = x + first_of_box(columns);
  stacked.right = x + last_of_box(columns) + 1;
  stacked.top = y + first_of_box(rows);
  stacked.bottom = y + last_of_box(rows) + 1;
  if (stacked.bottom > 0 && stacked.top < height) return stacked;
  int mirror = stacked.bottom > 0 ? 2 * height : 0, top = mirror - stacked.bottom,
      bottom = mirror - stacked.top;
  stacked.top = top > 0 ? top : 0;
  stacked.bottom = bottom < height ? bottom : height;
  return stacked;
}

/// The words that the table has of each disc before the boxes: 2^32 / area, the first word of its boxes, and
/// how many boxes.
SCANLENS_CONSTANT int kDiscWords = 3;

/// The reach of discs along a side of the picture: `stretch` is half their size there per radius.
SCANLENS_SHARED int lamp_reach(float radius, float per_spacing, float stretch) {
  return stretch > 0.0f ? int((radius + quotient(1.5f, per_spacing)) * stretch) + 2 : 0;
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
