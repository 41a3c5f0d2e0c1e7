// Layers of depth: the signed circle of confusion of a pixel, and which layer a pixel is in.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/view.h"

namespace scanlens {

/// A lens in pixels, whose near and far sides may blur unequally.
struct LayeredLens {
  float scale;      ///< radius in pixels per unit of disparity
  float focus;      ///< disparity that is in focus
  float most;       ///< largest radius in pixels, before the factors
  float near, far;  ///< factors of the radius before the focus and behind it

  SCANLENS_HOST_DEVICE float widest() const { return most * (near > far ? near : far); }
};

/// Radius in pixels of the circle of confusion, above 0 before the focus and below it behind; where the
/// disparity is no number, as far behind as any.
SCANLENS_HOST_DEVICE inline float signed_circle(float disparity, const LayeredLens& lens) {
  const float circle = (disparity - lens.focus) * lens.scale;
  if (!(circle > -lens.most)) return -lens.most * lens.far;
  return (circle < lens.most ? circle : lens.most) * (circle > 0 ? lens.near : lens.far);
}

/// Circles that differ by less over the pixels around one are not unmixed.
inline constexpr float kLeastMixed = 2;

/// The circle of a mixed pixel, one that smoothed edges of depth and interpolation leave between two
/// surfaces: it is on neither, and would show as a sharp speck where its circle happens to be small. It goes
/// with the nearer in depth of the two opposite neighbours that it lies between, wholly where it is 2 pixels
/// of radius from both, and not at all up to 1. at(dx, dy) is the circle of a neighbour, or of the nearest
/// pixel inside.
template <class At>
SCANLENS_HOST_DEVICE float unmixed_circle(const At& at) {
  constexpr int kAcross[] = {1, 0, 1, 1}, kDown[] = {0, 1, 1, -1};
  const float own = at(0, 0);
  float least = kLeastMixed / 2, goal = own;
  for (int i = 0; i < 4; ++i) {
    const float one = at(kAcross[i], kDown[i]) - own, other = at(-kAcross[i], -kDown[i]) - own;
    if (!(one * other < 0)) continue;  // not between the two
    const float nearer = std::fabs(one) <= std::fabs(other) ? one : other;
    if (std::fabs(nearer) <= least) continue;
    least = std::fabs(nearer);
    goal = own + nearer;
  }
  const float share = least - kLeastMixed / 2;
  return share < 1 ? own + share * (goal - own) : goal;
}

inline constexpr int kMostDofLayers = 6;

/// Where layers end, front to back, in circles of confusion.
struct LayerCuts {
  int count = 0;  ///< layers - 1
  float at[kMostDofLayers - 1] = {};
  float zone[kMostDofLayers - 1] = {};  ///< so far behind the cut layers share what is there
};

/// The layer that a circle is in, numbered from the front; within a zone the one behind the cut.
SCANLENS_HOST_DEVICE inline int layer_of(float circle, const LayerCuts& cuts) {
  int layer = 0;
  for (int i = 0; i < kMostDofLayers - 1; ++i) layer += i < cuts.count && circle <= cuts.at[i];
  return layer;
}

/// Shares of a pixel's light are multiples of 1 / kShareSteps.
inline constexpr unsigned kShareSteps = 4096;

/// A layer, and how many steps of the light go to the next one behind it.
struct LayerShare {
  int layer;
  unsigned behind;
};

/// A surface changes layers without a step while the radius or the focus is pulled.
SCANLENS_HOST_DEVICE inline LayerShare layer_share(float circle, const LayerCuts& cuts) {
  LayerShare share{0, 0};
  for (int i = 0; i < kMostDofLayers - 1; ++i) {
    if (i >= cuts.count || !(circle <= cuts.at[i])) continue;
    const float beyond = cuts.at[i] - circle;
    if (beyond >= cuts.zone[i])
      share = {i + 1, 0};
    else
      share.behind = static_cast<unsigned>(beyond / cuts.zone[i] * static_cast<float>(kShareSteps));
  }
  return share;
}

/// The layers of a picture whose circles lie in least .. most, so many that there are `layers`, 3 at least:
/// the focus, 3 pixels to either side, has one of its own, and what is before and behind it is cut into equal
/// lengths. Where nothing is nearer by more than 2 pixels, what is goes with the focus, and there is a layer
/// more behind it.
SCANLENS_HOST_DEVICE inline LayerCuts layer_cuts(int layers, float least, float most) {
  constexpr float kFocus = 3, kHardlyNearer = 2;
  const float before = most > kFocus ? most - kFocus : 0.f, behind = least < -kFocus ? -kFocus - least : 0.f;
  int in_front = 0, free = layers - 2;  // cuts before the focus and, of the rest, behind it
  if (before > kHardlyNearer || behind == 0) {
    const float share = before + behind > 0 ? before / (before + behind) : 0.5f;
    in_front = 1 + static_cast<int>(static_cast<float>(layers - 3) * share + 0.5f);
  }
  free -= in_front;
  LayerCuts cuts;
  for (int i = in_front - 1; i >= 0; --i)
    cuts.at[cuts.count++] = kFocus + before * (static_cast<float>(i) / static_cast<float>(in_front));
  for (int i = 0; i <= free; ++i)
    cuts.at[cuts.count++] = -kFocus - behind * (static_cast<float>(i) / static_cast<float>(free + 1));
  for (int i = 0; i < cuts.count; ++i) {
    const float wide = 0.75f + 0.05f * std::fabs(cuts.at[i]);
    const float room = i + 1 < cuts.count ? cuts.at[i] - cuts.at[i + 1] : wide;
    cuts.zone[i] = wide < room ? wide : room;
  }
  return cuts;
}

/// How much of itself a pixel keeps: all of it up to half a pixel's radius, nothing from one pixel on.
SCANLENS_HOST_DEVICE inline float sharpness(float circle) {
  const float share = 2.f * (1.f - std::fabs(circle));
  return share < 0 ? 0.f : (share > 1 ? 1.f : share);
}

/// What is as sharp as that deposits nothing: it would reach no other pixel, and none of it would be seen.
SCANLENS_HOST_DEVICE inline bool deposits(float circle) {
  return std::fabs(circle) > 0.5f;
}

}  // namespace scanlens
