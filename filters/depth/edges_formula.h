// Formulas by which a small map of depth follows the edges of its photo, on both backends. Files that include
// them are compiled without fused multiplication, so that floats have the same bits everywhere.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/view.h"

namespace scanlens {

constexpr int kEdgeSide = 4;  ///< of the pixels of the map around a place

/// The distance of colours that count a quarter, of 1 from black to white in each of red, green and blue.
constexpr float kAlikeOfEdges = 0.1f;
/// The shares of the map's range below which a bend is no jump, and from which it is fully one.
constexpr float kNoJump = 0.01f, kFullJump = 0.03f;

/// Position of a column or a row of the photo in the map.
struct EdgePlace {
  std::int32_t pixels[2];    ///< of the map, between which it is interpolated
  float parts[2];            ///< of these
  std::int32_t before;       ///< the last pixel of the map whose middle is not beyond it
  float weights[kEdgeSide];  ///< of the pixels before - 1 … before + 2, by their distance
};

/// Facts about the 4 x 4 pixels of the map around a place.
struct EdgeCell {
  float jumps = 0;  ///< 0: interpolated, 1: along edges
  float middle = 0, scale = 0;
};

/// The first of `side` pixels whose middle lies in pixel i of a map of `map_side`, or beyond it.
SCANLENS_HOST_DEVICE inline std::int64_t first_inside(std::int64_t i, std::int64_t side,
                                                      std::int64_t map_side) {
  return (2 * side * i + map_side - 1) / (2 * map_side);
}

SCANLENS_HOST_DEVICE inline std::int64_t within(std::int64_t at, std::int64_t side) {
  return at < 0 ? 0 : at < side ? at : side - 1;
}

SCANLENS_HOST_DEVICE inline float less_of(float a, float b) {
  return b < a ? b : a;
}
SCANLENS_HOST_DEVICE inline float more_of(float a, float b) {
  return b > a ? b : a;
}
SCANLENS_HOST_DEVICE inline float clamped(float value, float least, float most) {
  return value < least ? least : most < value ? most : value;
}

/// The distance of a pixel from the middle between its neighbours: 0 on a slope, however steep.
SCANLENS_HOST_DEVICE inline float bend_of(float before, float here, float after) {
  return std::abs((before - here) + (after - here));
}

/// Returns a value between two others.
SCANLENS_HOST_DEVICE inline float between(float a, float b, const float (&parts)[2]) {
  return a * parts[0] + b * parts[1];
}

/// Returns the facts about pixels from `low` to `high` with bends of up to `bend`, in a map that spans
/// `range`. Both the bends and the values have to differ, since a bend may come from beyond the 4 x 4.
SCANLENS_HOST_DEVICE inline EdgeCell edge_cell(float low, float high, float bend, float range) {
  constexpr float kLeastRange = 1e-30f;  // whose reciprocals are no infinities
  const float jump = less_of(high - low, bend);
  if (range < kLeastRange || jump <= kNoJump * range) return {};
  const float share = (jump / range - kNoJump) / (kFullJump - kNoJump);
  return {less_of(share, 1.f), low + (high - low) / 2, 2 / (high - low)};
}

/// Returns a sample as eyes tell it from others: codes as shares of white; light, which has no upper bound,
/// by a curve that is 1 at white and 2 at infinity.
template <class T>
SCANLENS_HOST_DEVICE float tone_of(T sample) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr float kMost = 1e30f;
    const float root = sample > 0 ? std::sqrt(less_of(sample, kMost)) : 0.f;  // NaN is black
    return 2 * root / (1 + root);
  } else {
    return static_cast<float>(sample) * (1 / static_cast<float>(std::numeric_limits<T>::max()));
  }
}

template <class T>
SCANLENS_HOST_DEVICE void tones_of(const T* pixel, int channels, float (&tones)[3]) {
  tones[0] = tones[1] = tones[2] = tone_of(pixel[0]);
  if (channels < 3) return;
  tones[1] = tone_of(pixel[1]);
  tones[2] = tone_of(pixel[2]);
}

/// Sums over the nearer and the farther layer of the 4 x 4 pixels: of weights, and of distances from their
/// middle by weight. Distances go from -1 to 1. V is a float, or four of them: columns of the 4 x 4.
template <class V>
struct EdgeLayers {
  V near_weight = {}, near_sum = {}, far_weight = {}, far_sum = {};

  /// Adds pixels of a row of the map, with their depths, colours and weights by distance, for a pixel of the
  /// photo of this colour.
  SCANLENS_HOST_DEVICE void add(const V& depth, const V (&colors)[3], const float (&color)[3],
                                const V& across, float down, const EdgeCell& cell) {
    const V none = {};
    V unlike = none;
    for (int c = 0; c < 3; ++c) {
      const V apart = colors[c] - color[c];
      unlike += apart * apart;
    }
    unlike = 1 + unlike * (1 / (kAlikeOfEdges * kAlikeOfEdges));
    const V over = (depth - cell.middle) * cell.scale;
    const V weight = across * down / (unlike * unlike) * over;
    const V nearer = over > 0 ? weight : none, farther = nearer - weight;
    near_weight += nearer;
    near_sum += nearer * over;
    far_weight += farther;
    far_sum += farther * over;
  }
};

/// Returns a depth from the sums over all columns, and from the interpolated one.
SCANLENS_HOST_DEVICE inline float edge_depth(const EdgeLayers<float>& sums, const EdgeCell& cell,
                                             float smooth) {
  const float near = sums.near_weight, far = sums.far_weight;
  const float share = near * near / (near * near + far * far);
  const float place = share * (sums.near_sum / near) + (1 - share) * (sums.far_sum / far);
  return smooth + cell.jumps * (cell.middle + place / cell.scale - smooth);
}

}  // namespace scanlens
