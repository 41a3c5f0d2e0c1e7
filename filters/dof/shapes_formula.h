// A pixel's part of the shapes that it is spread to, and which pixels are spread as one. Stated once for C++,
// CUDA and GLSL.
#ifndef SCANLENS_FILTERS_DOF_SHAPES_FORMULA_H
#define SCANLENS_FILTERS_DOF_SHAPES_FORMULA_H

#include "filters/dof/layers_formula.h"

#ifdef __cplusplus
namespace scanlens {
#endif

SCANLENS_CONSTANT int kMostSteps = 3;  ///< of a staircase

/// A shape, symmetric both ways: the union of boxes, each narrower and higher than the one before. Deposited
/// are the boxes and, with the opposite sign, what neighbours have in common.
struct SpreadShape {
  float radius;      ///< of the disc with the same area
  float per_radius;  ///< 1 / (radius of the next shape - this one's)
  uint share;        ///< 2^32 * pixels spread together / area, at most 2^32 - 1
  int steps;         ///< boxes
  int half_height[kMostSteps], half_width[kMostSteps];
};

/// Groups of pixels that are spread as one: 1, 2 or 4 pixels a side.
SCANLENS_CONSTANT int kGroupSizes = 3;
SCANLENS_CONSTANT int kMostGroup = 4;

/// The place of groups of 1, 2 or 4 pixels a side among the kGroupSizes.
SCANLENS_SHARED int group_size(int side) {
  return side == 4 ? 2 : side - 1;
}

/// A number for each pixel that looks random.
SCANLENS_SHARED uint pixel_hash(int x, int y) {
  uint v = uint(x) * 374761393u + uint(y) * 668265263u;
  v = (v ^ (v >> 13)) * 1274126177u;
  v = (v ^ (v >> 16)) * 2246822519u;
  return v ^ (v >> 15);
}

/// The least blur of groups that are spread as one. All their pixels are in the same layer, about equally
/// blurred, and so much that the difference is invisible. A quarter, or a sixteenth, is left to deposit.
SCANLENS_SHARED float least_group_radius(int side) {
  return side == 2 ? 14.5f : 38.0f;
}

/// True if the shapes of the group at (x, y) are moved.
///
/// Groups lie on a lattice. Edges of shapes on the same lattice would add up to a pattern of its period: up
/// to 18 codes for groups of four in a photo at 4K, a hatch of half a code for groups of two. Every second
/// group of two is moved, as on a chessboard: edges lie on all pixels then. Groups of four are all moved.
/// They make the pattern of groups of two, which is invisible in wide blurs.
SCANLENS_SHARED bool is_moved(int x, int y, int side) {
  return side == 4 || (side == 2 && ((x ^ y) & 2) != 0);
}

/// The number of a group along one side of the picture, the same for two that are moved opposite ways: 1 and
/// 3, 2 and 4, 5 and 7, and so on.
SCANLENS_SHARED uint group_pair(int along, int side) {
  uint group = uint(along / side) + 3u;
  return (group >> 2) * 2u + (group & 1u);
}

/// True if the group from (x, y) on, whose circles lie in low .. high, is blurred alike, and enough. The
/// threshold differs by up to an eighth from group to group: while the blur is pulled, a surface that is
/// blurred alike would change in one step.
///
/// The groups that are spread as one at some radius lie evenly over the surface, on the lattice of the
/// plastic number. Pairs that are moved opposite ways change together. So a light is kept within 0.1 % while
/// they are mixed with smaller groups. Chosen by chance one by one, they lost up to 0.23 % of it beside a
/// corner. Among groups of two the moved ones come last; otherwise 0.15 % was lost. Either lie on diagonals,
/// and so does the lattice: half the sum and half the difference make its numbers.
SCANLENS_SHARED bool spread_as_one(float low, float high, int side, int x, int y) {
  float radius = low > 0.0f ? low : -high;  // of the least blurred, if all are on one side
  float least = least_group_radius(side);
  SCANLENS_EXACT float range = high - low;
  if (!(radius >= least && range <= radius * 0.0625f)) return false;
  if (radius >= least * 1.125f) return true;  // whatever the group; no number is made for it
  uint across = group_pair(x, side), down = group_pair(y, side);
  uint place = across * 3242174889u + down * 2447445414u;
  if (side == 2) {
    place = across * 2844810151u + down * 3897602559u;
    place = (place >> 1) + (is_moved(x, y, side) ? 0x80000000u : 0u);
  }
  SCANLENS_EXACT float above = float(place >> 8) * (0.125f / 16777216.0f);
  SCANLENS_EXACT float enough = least * (1.0f + above);
  return radius >= enough;
}

/// The most pixels that the shapes of a group are moved.
SCANLENS_CONSTANT int kMostGroupShift = 1;

/// Number of pixels that the shapes of a group of four at `along` are moved along; `line` counts the lines of
/// groups beside.
SCANLENS_SHARED int group_shift(int along, int line) {
  int move = (0x96 >> (line & 7) & 1) * 2 - 1;  // - + + - + - - +
  return ((along / 4 + 1) & 2) == 0 ? -move : move;
}

/// Number of pixels that the shapes of a group of two are moved to the right. `column` and `row` count
/// groups. Two groups that differ by 2 in one of them move opposite ways.
SCANLENS_SHARED int pair_shift(int column, int row) {
  return ((column ^ (row + 1)) & 2) == 0 ? -1 : 1;
}

/// The moves to the right and down of the shapes of a group at (x, y).
///
/// Half of the groups are moved forth and half of them back. Lines and neighbours take turns, and groups at
/// borders as all others: no part of the picture is left with less than its light, or more (where groups at
/// borders stayed, a light beside a corner lost up to 0.14 %). Two columns of groups of four are moved down
/// alike: on a CPU they share lines of the cache. Groups of two are moved along both diagonals, by turns, and
/// the two that are moved in a group of four opposite ways: little changes when that is spread as one.
SCANLENS_SHARED int group_right(int x, int y, int side) {
  if (!is_moved(x, y, side)) return 0;
  return side == 4 ? group_shift(x, y / 4) : pair_shift(x / 2, y / 2);
}
SCANLENS_SHARED int group_down(int x, int y, int side) {
  if (!is_moved(x, y, side)) return 0;
  if (side == 4) return group_shift(y, x / 8);
  int right = pair_shift(x / 2, y / 2);
  return ((y / 2 + 3) & 4) == 0 ? -right : right;
}

/// The upper shape's share of a pixel between a shape and the next, in steps. `per_radius` is the shape's.
SCANLENS_SHARED uint upper_share(float of_shape, float per_radius, float radius) {
  SCANLENS_EXACT float share = (radius - of_shape) * per_radius * float(kShareSteps);
  float most = float(kShareSteps), least = share > 0.0f ? share : 0.0f;
  return uint(int(least < most ? least : most));
}

/// The number for a pixel's next channel.
SCANLENS_SHARED uint next_random(uint random) {
  return random * 2891336453u + 747796405u;
}

/// The number for what a pixel gives to the layer behind its own.
SCANLENS_SHARED uint random_behind(uint random) {
  return random * 2654435769u;
}

/// One pixel's part of `value`: value * share / 2^32 of `steps` of kShareSteps, rounded up or down as
/// `random` says, so that the sum over many pixels is right.
SCANLENS_SHARED uint deposit_of(uint value, uint share, uint steps, uint random) {
  return product_sum_high(value, product_shifted(share, steps, kShareBits), random);
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
