// Layers of depth: the signed circle of confusion of a pixel, and which layer a pixel is in. Stated once for
// C++, CUDA and GLSL.
#ifndef SCANLENS_FILTERS_DOF_LAYERS_FORMULA_H
#define SCANLENS_FILTERS_DOF_LAYERS_FORMULA_H

#include "core/held/exact_formula.h"
#include "filters/dof_formula.h"

#ifdef __cplusplus
namespace scanlens {
using std::abs;
#endif

/// A lens in pixels, whose near and far sides may blur unequally.
struct LayeredLens {
  Blur blur;        ///< before the factors
  float near, far;  ///< factors of the radius before the focus and behind it
};

/// The largest radius in pixels, factors included.
SCANLENS_SHARED float widest_circle(LayeredLens lens) {
  return lens.blur.most * (lens.near > lens.far ? lens.near : lens.far);
}

/// Radius in pixels of the circle of confusion, above 0 before the focus and below it behind; where the
/// disparity is no number, as far behind as any.
SCANLENS_SHARED float signed_circle(float disparity, LayeredLens lens) {
  SCANLENS_EXACT float circle = beyond_focus(disparity, lens.blur) * lens.blur.scale;
  if (!(circle > -lens.blur.most)) circle = -lens.blur.most;
  if (circle > lens.blur.most) circle = lens.blur.most;
  SCANLENS_EXACT float of_side = circle * (circle > 0.0f ? lens.near : lens.far);
  return of_side;
}

/// Circles that differ by less over the pixels around one are not unmixed.
SCANLENS_CONSTANT float kLeastMixed = 2.0f;

/// The circle of a mixed pixel, one that smoothed edges of depth and interpolation leave between two
/// surfaces: it is on neither, and would show as a sharp speck where its circle happens to be small. Two
/// opposite neighbours lie around it. It goes with the one nearer in depth: wholly if it is 2 pixels of
/// radius from both, not at all up to 1. Opposite are ones[i] and others[i]: the circles of neighbours, or of
/// the nearest pixels inside.
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

#if defined(LAYERS) && !defined(__cplusplus)  // a shader for pictures of fewer layers
SCANLENS_CONSTANT int kMostDofLayers = LAYERS;
#else
SCANLENS_CONSTANT int kMostDofLayers = 6;
#endif

/// The ends of layers, front to back, in circles of confusion.
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
  float cut = circle, zone = 0.0f, per_zone = 0.0f;  // those passed last
  for (int i = 0; i < kMostDofLayers - 1; ++i) {
    bool passed = i < cuts.count && circle <= cuts.at[i];
    share.layer = passed ? i + 1 : share.layer;
    cut = passed ? cuts.at[i] : cut;
    zone = passed ? cuts.zone[i] : zone;
    per_zone = passed ? cuts.steps_per_zone[i] : per_zone;
  }
  SCANLENS_EXACT float beyond = cut - circle;
  SCANLENS_EXACT float steps = beyond * per_zone;
  float most = float(kShareSteps);
  int shared_behind = beyond < zone ? 1 : 0;  // before all cuts the zone is 0
  share.layer -= shared_behind;
  share.behind = uint(shared_behind * int(steps < most ? steps : most));
  return share;
}

/// Distance behind a cut in which two layers share the pixels, if there is room.
SCANLENS_SHARED float zone_behind(float cut) {
  SCANLENS_EXACT float wide = 1.25f + 0.05f * abs(cut);
  return wide;
}

/// Number of cuts on one side of the focus, not a whole number, if `sevenths` of all depth lie there. Between
/// 1 and 6 both sides have `in_all` together, and one more is spare: a cut comes in on one side while another
/// goes on the other. Beyond, that one is free to come in too.
SCANLENS_SHARED float cuts_of_side(float sevenths, float in_all) {
  float share = quotient(sevenths - 1.0f, 5.0f);
  share = share > 0.0f ? (share < 1.0f ? share : 1.0f) : 0.0f;
  float spare = sevenths > 6.0f ? sevenths - 6.0f : 0.0f;
  SCANLENS_EXACT float cuts = share * in_all + spare;
  return cuts;
}

/// Distance from the focus of the cut k of one side. `cuts` cuts, not a whole number, part `depth` pixels
/// there. Where `even` is 1 layers are equally deep. Where it is 0 they are the deeper the farther they are
/// from the focus, since little is lost where much is blurred alike. One pixel deep they are at least. A cut
/// comes in at the far end, at `depth`.
SCANLENS_SHARED float cut_beyond(int k, float cuts, float depth, float even) {
  float share = quotient(float(k), cuts + 1.0f);
  SCANLENS_EXACT float deeper = (1.0f - even) * share;
  SCANLENS_EXACT float of_share = even + deeper;
  SCANLENS_EXACT float beyond = depth * (share * of_share);
  return beyond > float(k) ? beyond : float(k);
}

/// The layers of a picture whose circles lie in least .. most, `layers` at most, which is 3 or above 4. The
/// focus has one layer. Each side of it has one or more, by its share of the depth.
///
/// The layer of the focus ends close before it. Near things blur over things in focus only from a layer
/// before it, and their edges were too sharp up to its end (cuts at 3 pixels lost 0.3 to 1.4 dB where circles
/// of 8 pixels were measured). The layer reaches 3 pixels behind the focus, and with 3 layers a tenth farther
/// back. So wide blurs do not bleed over narrow ones. Behind it layers are the more even the less lies before
/// the focus: lenses focused on something near see most things far behind it.
///
/// Cuts move without a step, and none through the focus: a slow pull shows none.
SCANLENS_SHARED LayerCuts layer_cuts(int layers, float least, float most) {
  const float front = 1.5f, back = 3.0f;
  SCANLENS_EXACT float before = most > front ? most - front : 0.0f;
  SCANLENS_EXACT float behind = least < -back ? -back - least : 0.0f;
  SCANLENS_EXACT float depth = before + behind;
  float in_all = layers > 3 ? float(layers - 4) : 0.0f;  // cuts other than those of the focus and the spare
                                                         // one
  float share_before = depth > 0.0f ? quotient(before, depth) : 0.0f;
  SCANLENS_EXACT float sevenths = share_before * 7.0f;
  SCANLENS_EXACT float sevenths_behind = 7.0f - sevenths;
  float in_front = layers > 3 ? cuts_of_side(sevenths, in_all) : 0.0f;
  float at_back = layers > 3 ? cuts_of_side(sevenths_behind, in_all) : 0.0f;
  SCANLENS_EXACT float less_before = 0.75f - 1.5f * share_before;
  float even = less_before > 0.0f ? less_before : 0.0f;
  LayerCuts cuts;
  for (int i = 0; i < kMostDofLayers - 1; ++i) cuts.at[i] = cuts.zone[i] = cuts.steps_per_zone[i] = 0.0f;
  cuts.count = 0;
  // A cut comes in so far before the nearest pixel that none is shared yet.
  SCANLENS_EXACT float ahead = before + zone_behind(most) * 1.0527f;
  for (int k = kMostDofLayers; k > 0; --k)
    if (float(k) < in_front + 1.0f) cuts.at[cuts.count++] = front + cut_beyond(k, in_front, ahead, 0.0f);
  cuts.at[cuts.count++] = front;
  SCANLENS_EXACT float end = back + (layers > 3 ? 0.0f : 0.1f * behind);
  cuts.at[cuts.count++] = -end;
  int next = 1;
  for (; float(next) < at_back + 1.0f; ++next)
    cuts.at[cuts.count++] = -(back + cut_beyond(next, at_back, behind, even));
  float last = cuts.at[cuts.count - 1];
  // Pixels behind the last cut are shared as far as the next cut will leave them when it comes in.
  SCANLENS_EXACT float last_room = last + (back + cut_beyond(next, at_back, behind, even));
  for (int i = 0; i < cuts.count; ++i) {
    float wide = zone_behind(cuts.at[i]);
    SCANLENS_EXACT float room = i + 1 < cuts.count ? cuts.at[i] - cuts.at[i + 1] : last_room;
    cuts.zone[i] = wide < room ? wide : room;
    if (cuts.zone[i] > 0.0f) cuts.steps_per_zone[i] = quotient(float(kShareSteps), cuts.zone[i]);
  }
  return cuts;
}

/// The share of itself that a pixel keeps: all of it up to half a pixel's radius, nothing from one pixel on.
SCANLENS_SHARED float sharpness(float circle) {
  float share = 2.0f * (1.0f - abs(circle));
  return share < 0.0f ? 0.0f : (share > 1.0f ? 1.0f : share);
}

/// A pixel this sharp deposits nothing: it would reach no other pixel, and would not be seen.
SCANLENS_SHARED bool deposits(float circle) {
  return abs(circle) > 0.5f;
}

#ifdef __cplusplus
}  // namespace scanlens
#endif
#endif
