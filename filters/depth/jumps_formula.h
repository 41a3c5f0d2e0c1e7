// Formulas by which a pixel beside a jump of depth finds its layer, on both backends. Files that include them
// are compiled without fused multiplication, so that floats have the same bits everywhere.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/view.h"
#include "filters/depth/edges_formula.h"

namespace scanlens {

constexpr int kJumpRounds = 4;  ///< times that jumps are moved
constexpr int kJumpWindow = 3;  ///< the reach of the window
constexpr int kJumpSide = 2 * kJumpWindow + 1;
constexpr int kJumpReach = 4;  ///< pixels up to this far away decide about a pixel
constexpr int kJumpBlock = 8;  ///< the side of blocks of pixels that later rounds look at
static_assert(2 * kJumpReach <= kJumpBlock && kJumpReach == kJumpWindow + 1);

/// The least share of the map's range that a jump is.
constexpr float kLeastJump = 0.03f;
/// The least range, whose parts are above 0.
constexpr float kLeastJumpRange = 1e-30f;
/// The share of a jump within 3 x 3 pixels: slopes, however steep, have two thirds in the picture's corners,
/// and half or a third elsewhere.
constexpr float kSteep = 0.7f;
/// The weight of pixels at the jump.
constexpr float kAtJump = 0.02f;
/// The distance of colours that count a quarter, of 1 from black to white in each of red, green and blue.
constexpr float kAlikeOfJumps = 0.12f;
/// The ratio of likeness to the other layer's colours, and to its own layer's, from which a pixel changes: of
/// a layer of many colours, and of one that is all like the pixel.
constexpr float kMoreAlike = 3, kMoreThanAll = 2;
/// A pixel is near in part where its light is so far on the way from the farther layer's to the nearer one's:
/// farther than the farther layer is spread, and less like that than kFar. Where those of the farther layer
/// that are like it are more like it than kOneOfFar, it is one of them: a layer may have several colours.
constexpr float kPartlyNear = 0.06f, kMostlyNear = 1.2f, kFar = 0.5f, kOneOfFar = 0.8f;
/// Bounds beyond which the photo shows no edge, and nothing moves: of the farther layer's spread, relative to
/// the distance of the layers' light, and of the squared distances of neighbours, relative to its square.
constexpr float kMostSpread = 2, kMostRough = 8;

/// Tables that both backends read.
struct JumpTables {
  const float* light;    ///< of each code of 8 bits
  const float* codes;    ///< the least light of each code
  const float* weights;  ///< of the 7 x 8 pixels of a window by their distance from its middle; 0 in column 7
};

/// Returns a sample as sRGB's code of 8 bits. Light above white counts as white, NaN as black.
template <class T>
SCANLENS_HOST_DEVICE int jump_code(T sample, const float* codes) {
  if constexpr (std::is_floating_point_v<T>) {
    int code = 0;
    for (int step = 128; step > 0; step /= 2)
      if (sample >= codes[code + step]) code += step;
    return code;
  } else {
    return sample >> (8 * sizeof(T) - 8);
  }
}

/// Returns true where a window from `low` to `high` holds a jump, if the steepest 3 x 3 pixels around its
/// middle span `steepest`.
SCANLENS_HOST_DEVICE inline bool is_at_jump(float low, float high, float steepest, float range) {
  return high - low > kLeastJump * range && steepest > kSteep * (high - low);
}

/// Returns true where so small a span of values certainly holds no jump.
SCANLENS_HOST_DEVICE inline bool has_no_jump(float span, float range) {
  constexpr float kRounding = 0.99f;
  return !(span > kRounding * kSteep * kLeastJump * range);
}

/// The squared distance of a pixel's light from that of the four around it.
SCANLENS_HOST_DEVICE inline float roughness(float here, float above, float below, float left, float right) {
  const float up = here - above, down = here - below, back = here - left, on = here - right;
  return up * up + down * down + back * back + on * on;
}

/// Sums over the pixels of a layer in a window, whose light counts from that of its middle.
template <class V>
struct JumpLayer {
  V weight = {}, alike = {}, depth = {};  ///< weights, the same by likeness, depths by these
  V apart[3] = {};                        ///< light

  SCANLENS_HOST_DEVICE void add(const V& share, const V& likeness, const V& depths, const V (&light)[3]) {
    const V by_likeness = share * likeness;
    weight += share;
    alike += by_likeness;
    depth += by_likeness * depths;
    for (int c = 0; c < 3; ++c) apart[c] += share * light[c];
  }
  template <class Sum>
  SCANLENS_HOST_DEVICE JumpLayer<float> summed(const Sum& sum) const {
    return {sum(weight), sum(alike), sum(depth), {sum(apart[0]), sum(apart[1]), sum(apart[2])}};
  }
};

/// The pixel in the middle of a window.
struct JumpMiddle {
  float depth;      ///< its own
  float low, high;  ///< of the window
  float color[3], light[3];

  SCANLENS_HOST_DEVICE float between() const { return low + (high - low) / 2; }
};

/// Sums over a window. V is a float, or four of them: every fourth column.
template <class V>
struct JumpSums {
  JumpLayer<V> near = {}, far = {};
  V far_squared = {}, far_like_squared = {}, rough = {}, all = {};

  /// Adds pixels with their depths, the least and the greatest of the 3 x 3 around each, colours, light and
  /// roughness.
  SCANLENS_HOST_DEVICE void add(const JumpMiddle& middle, const V& weight, const V& depth, const V& low,
                                const V& high, const V (&colors)[3], const V (&lights)[3],
                                const V& roughness) {
    const V none = {};
    const float between = middle.between();
    V apart[3], unlike = none, squared = none;
    for (int c = 0; c < 3; ++c) {
      const V of_color = colors[c] - middle.color[c];
      apart[c] = lights[c] - middle.light[c];
      unlike += of_color * of_color;
      squared += apart[c] * apart[c];
    }
    unlike = 1 + unlike * (1 / (kAlikeOfJumps * kAlikeOfJumps));
    const V likeness = 1 / (unlike * unlike), at_jump = weight * kAtJump;
    const V inside_near = low > between ? weight : at_jump, inside_far = high > between ? at_jump : weight;
    const V of_near = depth > between ? inside_near : none;
    const V of_far = depth > between ? none : inside_far;
    near.add(of_near, likeness, depth, apart);
    far.add(of_far, likeness, depth, apart);
    far_squared += of_far * squared;
    far_like_squared += of_far * likeness * likeness;
    rough += weight * roughness;
    all += weight;
  }
  template <class Sum>
  SCANLENS_HOST_DEVICE JumpSums<float> summed(const Sum& sum) const {
    return {near.summed(sum), far.summed(sum), sum(far_squared), sum(far_like_squared), sum(rough), sum(all)};
  }
};

/// The new depth of a pixel.
struct JumpDepth {
  float depth;          ///< of one that is near in part, of the farther layer
  float near = 0;       ///< the nearer layer's
  bool partly = false;  ///< near in part: it is one of the nearer layer if a neighbour is
};

/// Returns true if a pixel goes to the other layer.
SCANLENS_HOST_DEVICE inline bool is_more_alike(float other, float own) {
  return other > kMoreAlike * own || other * other > kMoreThanAll * own;
}

SCANLENS_HOST_DEVICE inline JumpDepth jump_depth(const JumpSums<float>& sums, const JumpMiddle& middle) {
  // The light of the layers, from the pixel's own.
  const JumpLayer<float>&near = sums.near, &far = sums.far;
  const float per_near = 1 / near.weight, per_far = 1 / far.weight;
  float between = 0, along = 0, spread = sums.far_squared * per_far;
  for (int c = 0; c < 3; ++c) {
    const float to_far = far.apart[c] * per_far, apart = near.apart[c] * per_near - to_far;
    between += apart * apart;
    along -= to_far * apart;
    spread -= to_far * to_far;
  }
  if (!(spread < kMostSpread * kMostSpread * between && sums.rough < kMostRough * between * sums.all))
    return {middle.depth};
  const float near_depth = clamped(near.depth / near.alike, middle.low, middle.high);
  const float like_near = near.alike / near.weight, like_far = far.alike / far.weight;
  if (middle.depth > middle.between() ? !is_more_alike(like_far, like_near)
                                      : is_more_alike(like_near, like_far))
    return {near_depth};
  const float share = along / between;
  const bool is_far = like_far >= kFar || sums.far_like_squared >= kOneOfFar * far.alike;
  return {clamped(far.depth / far.alike, middle.low, middle.high), near_depth,
          !is_far && share > kPartlyNear && share < kMostlyNear && share * share * between > spread};
}

/// Returns true if a pixel went to another layer.
SCANLENS_HOST_DEVICE inline bool has_moved(float before, float after, float range) {
  return std::abs(after - before) > kLeastJump / 2 * range;
}

}  // namespace scanlens
