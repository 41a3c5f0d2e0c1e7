// The surroundings of pixels, to fill what things hide there: the weight of a pixel, and the cells of a table
// that fill one. Stated once for C++, CUDA and GLSL.
#ifndef SCANLENS_FILTERS_DOF_FILL_FORMULA_H
#define SCANLENS_FILTERS_DOF_FILL_FORMULA_H

#include "core/held/exact_formula.h"
#include "core/sat_box_formula.h"

#ifdef __cplusplus
namespace scanlens {
#endif

/// The side of a tile that is as small as any whose nearest circle is known; others are powers of two, too.
SCANLENS_CONSTANT int kLeastNearTile = 8;

/// The nearest circle around a pixel, from those that tiles of two sizes have.
SCANLENS_SHARED float nearest_of_levels(float fine, float coarse, float coarse_share) {
  SCANLENS_EXACT float nearest = fine + coarse_share * (coarse - fine);
  return nearest;
}

/// The weight of a pixel's light: 0 where the nearest thing around is hardly nearer than it, 1 from 0.6 of
/// the difference between that thing and the focus on. Near the focus that difference counts as 2 pixels.
SCANLENS_SHARED float fill_weight(float circle, float nearest) {
  float distance = nearest > 0.0f ? nearest : -nearest, least = distance > 2.0f ? distance : 2.0f;
  SCANLENS_EXACT float behind = nearest - circle;
  SCANLENS_EXACT float share = (quotient(behind, least) - 0.2f) * 2.5f;
  return share < 0.0f ? 0.0f : (share > 1.0f ? 1.0f : share);
}

/// Pixels a side of a cell of the table, which is their mean: the fill is smooth, and cells take a quarter of
/// the time.
SCANLENS_CONSTANT int kFillCell = 2;

/// Number of cells that cover `pixels` pixels.
SCANLENS_SHARED int fill_cells(int pixels) {
  return (pixels + kFillCell - 1) / kFillCell;
}

/// The boxes that fill a pixel: one of some cells beyond its own, and one a cell wider to every side. Their
/// means are blended, so that nothing jumps while the blur is pulled.
struct FillReach {
  int cells;
  float wider_share;
};
SCANLENS_SHARED FillReach fill_reach(float radius) {
  SCANLENS_EXACT float cells = (radius > 1.0f ? radius : 1.0f) * (0.8862f * 0.9f / float(kFillCell));
  FillReach reach;
  reach.cells = int(cells);
  reach.wider_share = cells - float(reach.cells);
  return reach;
}

/// Three boxes fill a pixel, the smallest first: what lies next to a thin near thing goes on under it. A
/// wider box adds the less the more weight those before it have together. So no box is chosen, and nothing
/// jumps from pixel to pixel, or while the blur is pulled.
SCANLENS_CONSTANT int kFillBoxes = 3;

/// The first of them: behind the focus the widest alone, which is about as wide as what a pixel is seen
/// through.
SCANLENS_SHARED int first_fill_box(float circle) {
  return circle > 0.0f ? 0 : kFillBoxes - 1;
}

/// The widest box is as wide as the circle that the pixel is spread to: farther inside of a near thing
/// nothing is left to be filled. Ovals need wider ones.
SCANLENS_CONSTANT float kWideFill = 1.25f;

/// Size of a box relative to the blur; `wide` is that of the widest.
SCANLENS_SHARED float fill_size(int box, float wide) {
  return box == 0 ? 0.33f : (box == 1 ? 0.8f : wide);
}

/// Share that a box adds, from the weight of those before it. Where one adds nothing, the wider ones do not
/// either. The widest box is needed: the fill would end where the others begin to reach what lies behind. Its
/// straight edge was up to 38 codes high in the dark parts of near things.
SCANLENS_SHARED float fill_share(int box, float weight) {
  SCANLENS_EXACT float middle = 0.8f - weight * 2.0f;
  SCANLENS_EXACT float widest = 0.25f - weight * 1.6666667f;
  float share = box == 1 ? middle : widest;
  return share > 0.0f ? share : 0.0f;
}

/// The cells that the widest box has beyond a pixel's own.
SCANLENS_SHARED int wide_fill_reach(float radius, float wide) {
  return fill_reach(wide * radius).cells + 1;
}

/// The cells at most `reach` from that of a pixel, in a picture of width x height.
SCANLENS_SHARED Box fill_box(int x, int y, int reach, int width, int height) {
  return clipped_box(x / kFillCell, y / kFillCell, reach, fill_cells(width), fill_cells(height));
}

/// A number below 1 that a cell's terms are rounded by, from a hash.
SCANLENS_SHARED float fill_rounding(uint hash) {
  return float(hash >> 8) * (1.0f / 16777216.0f);
}

/// Light as it counts in the fill, where white is 1: lamps count as white. They are few and small. The mean
/// over a box with a lamp of 30 times white showed as a bright patch in the shape of the near leaf: against a
/// lens 3.4 to 4.5 dB were lost there.
SCANLENS_SHARED float light_to_fill(float light, float per_white) {
  SCANLENS_EXACT float of_white = light * per_white;
  return of_white < 1.0f ? of_white : 1.0f;
}

/// One channel of a cell in the table, from the mean of its weighted light. `rounding` rounds up or down.
SCANLENS_SHARED uint fill_term(float weighted_light, float one, float rounding) {
  SCANLENS_EXACT float term = weighted_light * one + rounding;
  return uint(term);
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
