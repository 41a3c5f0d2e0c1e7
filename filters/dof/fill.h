// What is seen around near things, to fill what they hide: a summed-area table of the pixels that lie well
// behind the nearest thing around them.
#pragma once

#include <cstdint>

#include "core/view.h"

namespace scanlens {

/// Side of the tiles whose nearest pixels are known, for blurs up to `most` pixels.
SCANLENS_HOST_DEVICE inline int near_tile_side(float most) {
  const int half = static_cast<int>(most) / 2;
  return half < 8 ? 8 : half;
}

/// How much a pixel's light counts: nothing where the nearest thing around is hardly nearer than it, all of
/// it from 0.6 of the difference between that and the focus on.
SCANLENS_HOST_DEVICE inline float fill_weight(float circle, float nearest) {
  if (!(nearest > 0)) return 0;
  const float least = nearest > 1e-3f ? nearest : 1e-3f;
  const float share = ((nearest - circle) / least - 0.2f) * 2.5f;
  return share < 0 ? 0.f : (share > 1 ? 1.f : share);
}

/// How far the mean around a pixel reaches.
SCANLENS_HOST_DEVICE inline int fill_reach(float radius) {
  const float reach = (radius > 1 ? radius : 1.f) * (0.8862f * 0.9f) + 0.5f;
  return static_cast<int>(reach);
}

/// Light of 1, at full weight, in the table: so much that boxes up to `most` pixels of radius sum 16 times as
/// much exactly.
inline float fill_one(float most) {
  const double side = 2.0 * fill_reach(most) + 1;
  const double one = 4294967295.0 / (16 * side * side);
  return static_cast<float>(one < 4095 ? one : 4095);
}

/// One channel of a pixel in the table. `random`, below 1, rounds up or down.
SCANLENS_HOST_DEVICE inline std::uint32_t fill_term(float light, float weight, float one, float random) {
  const float most = 16 * one;
  const float term = light * weight * one;
  return static_cast<std::uint32_t>((term < most ? term : most) + random);
}

}  // namespace scanlens
