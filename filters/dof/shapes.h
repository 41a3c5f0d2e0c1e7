// The shapes that pixels are spread to: a table of staircases made of boxes, from one pixel up.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/spread/fold.h"
#include "filters/depth_of_field.h"
#include "filters/dof/layers.h"

namespace scanlens {

inline constexpr int kMostSteps = 3;  ///< of a staircase

/// A shape, symmetric both ways: the union of boxes, each narrower and higher than the one before. Deposited
/// are the boxes and, with the opposite sign, what neighbours have in common.
struct SpreadShape {
  float radius;         ///< of the disc with the same area
  float per_radius;     ///< 1 / (radius of the next shape - this one's)
  std::uint32_t share;  ///< 2^32 * pixels spread together / area, at most 2^32 - 1
  std::int32_t steps;   ///< boxes
  std::int32_t half_height[kMostSteps], half_width[kMostSteps];
};

/// Groups of pixels that are spread as one: 1, 2 or 4 pixels a side.
inline constexpr int kGroupSizes = 3;
inline constexpr int kMostGroup = 4;

/// The place of groups of 1, 2 or 4 pixels a side among the kGroupSizes.
SCANLENS_HOST_DEVICE constexpr int group_size(int side) {
  return side == 4 ? 2 : side - 1;
}

/// For each size of group, shapes in the order of their radii. A group is spread to the two shapes that its
/// radius lies between, so that its shape grows without steps. Half sizes count from the outer pixels of the
/// group.
struct ShapeTable {
  std::array<std::vector<SpreadShape>, kGroupSizes> groups;
};

/// Returns the table up to `most` pixels of radius, made when it is first asked for and kept.
const ShapeTable& shape_table(const DofStyle& style, float most);

/// Returns the last of `count` shapes that is no larger than the radius, and never the very last one. Radii
/// grow by about a pixel per shape, so that few are looked at.
SCANLENS_HOST_DEVICE inline int shape_of_radius(const SpreadShape* shapes, int count, float radius) {
  int k = static_cast<int>(radius);
  k = k < count - 2 ? k : count - 2;
  while (k > 0 && shapes[k].radius > radius) --k;
  while (k < count - 2 && shapes[k + 1].radius <= radius) ++k;
  return k;
}

/// The upper shape's share of a pixel between shape k and the next, in steps.
SCANLENS_HOST_DEVICE inline unsigned upper_share(const SpreadShape& shape, float radius) {
  const float share = (radius - shape.radius) * shape.per_radius * static_cast<float>(kShareSteps);
  if (!(share > 0)) return 0;
  return share < static_cast<float>(kShareSteps) ? static_cast<unsigned>(share) : kShareSteps;
}

/// A number for each pixel that looks random.
SCANLENS_HOST_DEVICE inline std::uint32_t pixel_hash(int x, int y) {
  std::uint32_t v = static_cast<std::uint32_t>(x) * 374761393u + static_cast<std::uint32_t>(y) * 668265263u;
  v = (v ^ (v >> 13)) * 1274126177u;
  v = (v ^ (v >> 16)) * 2246822519u;
  return v ^ (v >> 15);
}

/// One pixel's part of `value`: value * share / 2^32 of `steps` of kShareSteps, rounded up or down as
/// `random` says, so that the sum over many pixels is right.
SCANLENS_HOST_DEVICE inline std::uint32_t deposit_of(std::uint32_t value, std::uint32_t share, unsigned steps,
                                                     std::uint32_t random) {
  const std::uint64_t part = std::uint64_t{share} * steps / kShareSteps;
  return static_cast<std::uint32_t>((value * part + random) >> 32);
}

/// Calls add(box, values, sign) for the boxes of one shape around (x, y), or around the group
/// (x .. x + side - 1, y .. y + side - 1). Values has `of`, an array.
template <int kChannels, class Values, class Add>
SCANLENS_HOST_DEVICE void spread_to_shape(const SpreadShape& shape, unsigned steps, int x, int y, int side,
                                          const Values& light, std::uint32_t random, const Add& add) {
  Values part = {}, minus = {};
  for (int c = 0; c < kChannels; ++c) {
    part.of[c] = deposit_of(light.of[c], shape.share, steps, random);
    minus.of[c] = 0u - part.of[c];
    random = random * 2891336453u + 747796405u;
  }
  for (int i = 0; i < shape.steps; ++i) {
    const int up = shape.half_height[i], across = shape.half_width[i];
    add(SpreadBox{x - across, x + across + side, y - up, y + up + side}, part);
    if (i + 1 == shape.steps) break;
    const int common = shape.half_width[i + 1];
    add(SpreadBox{x - common, x + common + side, y - up, y + up + side}, minus);
  }
}

/// Calls add(layer, box, values) for the boxes of a group. `circle` and `light` are the means of its pixels.
template <int kChannels, class Values, class Add>
SCANLENS_HOST_DEVICE void spread_light(const SpreadShape* shapes, int count, float circle,
                                       const LayerCuts& cuts, int x, int y, int side, const Values& light,
                                       const Add& add) {
  const float radius = std::fabs(circle);
  const int k = shape_of_radius(shapes, count, radius);
  const unsigned upper = upper_share(shapes[k], radius);
  const LayerShare share = layer_share(circle, cuts);
  std::uint32_t random = pixel_hash(x, y);
  for (int behind = 0; behind < 2; ++behind, random *= 2654435769u) {
    const unsigned steps = behind ? share.behind : kShareSteps - share.behind;
    if (steps == 0) break;
    const unsigned of_upper = upper * steps / kShareSteps;
    const auto add_to_layer = [&](const SpreadBox& box, const Values& values) {
      add(share.layer + behind, box, values);
    };
    if (of_upper < steps)
      spread_to_shape<kChannels>(shapes[k], steps - of_upper, x, y, side, light, random, add_to_layer);
    if (of_upper > 0)
      spread_to_shape<kChannels>(shapes[k + 1], of_upper, x, y, side, light, ~random, add_to_layer);
  }
}

/// Groups are spread as one where all of their pixels are in the same layer, about equally blurred, and so
/// much that nobody sees the difference: there is a quarter, or a sixteenth, to deposit.
SCANLENS_HOST_DEVICE constexpr float least_group_radius(int side) {
  return side == 2 ? 16.f : 48.f;
}

/// Whether a group whose circles lie in low .. high is blurred alike.
SCANLENS_HOST_DEVICE inline bool spread_as_one(float low, float high, int side) {
  const float radius = low > 0 ? low : -high;  // of the least blurred, if all are on one side
  return radius >= least_group_radius(side) && high - low <= radius / 16;
}

}  // namespace scanlens
