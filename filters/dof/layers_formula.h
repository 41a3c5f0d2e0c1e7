// Layers of depth: the signed circle of confusion of a pixel, and which layer a pixel is in. Stated once for
// C++, CUDA and GLSL.
#ifndef SCANLENS_FILTERS_DOF_LAYERS_FORMULA_H
#define SCANLENS_FILTERS_DOF_LAYERS_FORMULA_H

#include "core/exact_formula.h"

#ifdef __cplusplus
namespace scanlens {
using std::abs;
#endif

/// A lens in pixels, whose near and far sides may blur unequally.
struct LayeredLens {
  float scale;      ///< radius in pixels per unit of disparity
  float focus;      ///< disparity that is in focus
  float most;       ///< largest radius in pixels, before the factors
  float near, far;  ///< factors of the radius before the focus and behind it
};

/// The largest radius in pixels, factors included.
SCANLENS_SHARED float widest_circle(LayeredLens lens) {
  return lens.most * (lens.near > lens.far ? lens.near : lens.far);
}

/// Radius in pixels of the circle of confusion, above 0 before the focus and below it behind; where the
/// disparity is no number, as far behind as any.
SCANLENS_SHARED float signed_circle(float disparity, LayeredLens lens) {
  SCANLENS_EXACT float circle = (disparity - lens.focus) * lens.scale;
  if (!(circle > -lens.most)) circle = -lens.most;
  if (circle > lens.most) circle = lens.most;
  SCANLENS_EXACT float of_side = circle * (circle > 0.0f ? lens.near : lens.far);
  return of_side;
}

/// Circles that differ by less over the pixels around one are not unmixed.
SCANLENS_CONSTANT float kLeastMixed = 2.0f;

/// The circle of a mixed pixel, one that smoothed edges of depth and interpolation leave between two
/// surfaces: it is on neither, and would show as a sharp speck where its circle happens to be small. It goes
/// with the nearer in depth of the two opposite neighbours that it lies between, wholly where it is 2 pixels
/// of radius from both, and not at all up to 1. Opposite are ones[i] and others[i]: the circles of
/// neighbours, or of the nearest pixels inside.
SCANLENS_SHARED float unmixed_circle(float own, const float ones[4], const float others[4]) {
  float least = 0.5f * kLeastMixed, goal = own;
  for (int i = 0; i < 4; ++i) {
    SCANLENS_EXACT float one = ones[i] - own;
    SCANLENS_EXACT float other = others[i] - own;
    if (!(one * other < 0.0f)) continue;  // not between the two
    float nearer = abs(one) <= abs(other) ? one : other;
    if (abs(nearer) <= least) continue;
    least = abs(nearer);
    SCANLENS_EXACT float there = own + nearer;
    goal = there;
  }
  SCANLENS_EXACT float share = least - 0.5f * kLeastMixed;
  SCANLENS_EXACT float between = own + share * (goal - own);
  return share < 1.0f ? between : goal;
}

#ifdef __cplusplus
/// at(dx, dy) is the circle of a neighbour, or of the nearest pixel inside.
template <class At>
SCANLENS_SHARED float unmixed_circle(const At& at) {
  const float ones[4] = {at(1, 0), at(0, 1), at(1, 1), at(1, -1)};
  const float others[4] = {at(-1, 0), at(0, -1), at(-1, -1), at(-1, 1)};
  return unmixed_circle(at(0, 0), ones, others);
}
#endif

SCANLENS_CONSTANT int kMostDofLayers = 6;

/// Where layers end, front to back, in circles of confusion.
struct LayerCuts {
  int count;  ///< layers - 1
  float at[kMostDofLayers - 1];
  float zone[kMostDofLayers - 1];  ///< so far behind the cut layers share what is there
  float steps_per_zone[kMostDofLayers - 1];
};

/// The layer that a circle is in, numbered from the front; within a zone the one behind the cut.
SCANLENS_SHARED int layer_of(float circle, LayerCuts cuts) {
  int layer = 0;
  for (int i = 0; i < kMostDofLayers - 1; ++i) layer += i < cuts.count && circle <= cuts.at[i] ? 1 : 0;
  return layer;
}

/// Shares of a pixel's light are multiples of 1 / 2^kShareBits.
SCANLENS_CONSTANT int kShareBits = 12;
SCANLENS_CONSTANT uint kShareSteps = 4096u;

/// A layer, and how many steps of the light go to the next one behind it.
struct LayerShare {
  int layer;
  uint behind;
};

/// A surface changes layers without a step while the radius or the focus is pulled.
SCANLENS_SHARED LayerShare layer_share(float circle, LayerCuts cuts) {
  LayerShare share;
  share.layer = 0;
  share.behind = 0u;
  float cut = 0.0f, zone = 0.0f, per_zone = 0.0f;  // those passed last
  for (int i = 0; i < kMostDofLayers - 1; ++i)
    if (i < cuts.count && circle <= cuts.at[i]) {
      share.layer = i + 1;
      cut = cuts.at[i];
      zone = cuts.zone[i];
      per_zone = cuts.steps_per_zone[i];
    }
  SCANLENS_EXACT float beyond = cut - circle;
  if (share.layer == 0 || beyond >= zone) return share;
  SCANLENS_EXACT float steps = beyond * per_zone;
  --share.layer;
  share.behind = steps < float(kShareSteps) ? uint(steps) : kShareSteps;
  return share;
}

/// The layers of a picture whose circles lie in least .. most, so many that there are `layers`, 3 at least:
/// the focus, 3 pixels to either side, has one of its own, and what is before and behind it is cut into equal
/// lengths. Where nothing is nearer by more than 2 pixels, what is goes with the focus, and there is a layer
/// more behind it.
SCANLENS_SHARED LayerCuts layer_cuts(int layers, float least, float most) {
  const float focus = 3.0f, hardly_nearer = 2.0f;
  SCANLENS_EXACT float before = most > focus ? most - focus : 0.0f;
  SCANLENS_EXACT float behind = least < -focus ? -focus - least : 0.0f;
  int in_front = 0, free = layers - 2;  // cuts before the focus and, of the rest, behind it
  if (before > hardly_nearer || behind == 0.0f) {
    SCANLENS_EXACT float depth = before + behind;
    float share = depth > 0.0f ? quotient(before, depth) : 0.5f;
    SCANLENS_EXACT float cuts_before = float(layers - 3) * share + 0.5f;
    in_front = 1 + int(cuts_before);
  }
  free -= in_front;
  LayerCuts cuts;
  for (int i = 0; i < kMostDofLayers - 1; ++i) cuts.at[i] = cuts.zone[i] = cuts.steps_per_zone[i] = 0.0f;
  cuts.count = 0;
  for (int i = in_front - 1; i >= 0; --i) {
    SCANLENS_EXACT float cut = focus + before * quotient(float(i), float(in_front));
    cuts.at[cuts.count++] = cut;
  }
  for (int i = 0; i <= free; ++i) {
    SCANLENS_EXACT float cut = -focus - behind * quotient(float(i), float(free + 1));
    cuts.at[cuts.count++] = cut;
  }
  for (int i = 0; i < cuts.count; ++i) {
    SCANLENS_EXACT float wide = 0.75f + 0.05f * abs(cuts.at[i]);
    SCANLENS_EXACT float room = i + 1 < cuts.count ? cuts.at[i] - cuts.at[i + 1] : wide;
    cuts.zone[i] = wide < room ? wide : room;
    if (cuts.zone[i] > 0.0f) cuts.steps_per_zone[i] = quotient(float(kShareSteps), cuts.zone[i]);
  }
  return cuts;
}

/// How much of itself a pixel keeps: all of it up to half a pixel's radius, nothing from one pixel on.
SCANLENS_SHARED float sharpness(float circle) {
  float share = 2.0f * (1.0f - abs(circle));
  return share < 0.0f ? 0.0f : (share > 1.0f ? 1.0f : share);
}

/// What is as sharp as that deposits nothing: it would reach no other pixel, and none of it would be seen.
SCANLENS_SHARED bool deposits(float circle) {
  return abs(circle) > 0.5f;
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
