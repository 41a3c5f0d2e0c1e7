// The shapes that pixels are spread to: a table of staircases made of boxes, from one pixel up.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/spread/fold_formula.h"
#include "core/view.h"
#include "filters/depth_of_field.h"
#include "filters/dof/shapes_formula.h"

namespace scanlens {

/// For each size of group, shapes in the order of their radii. A group is spread to the two shapes that its
/// radius lies between, so that its shape grows without steps. Half sizes count from the outer pixels of the
/// group.
struct ShapeTable {
  std::array<std::vector<SpreadShape>, kGroupSizes> groups;

  std::size_t bytes() const;
};

/// Returns how many times as long as the circle of the same area an anamorphic light is.
inline float oval_length(const DofStyle& style) {
  return std::sqrt(std::max(style.anamorphic, 1 / style.anamorphic));
}

/// Returns the table up to `most` pixels of radius. The tables that were asked for last are kept.
std::shared_ptr<const ShapeTable> shape_table(const DofStyle& style, float most);

/// Returns the last of `count` shapes that is no larger than the radius, and never the very last one; `k`,
/// from 0 on, is where it is looked for first. radius_at(i) is that of shape i.
template <class RadiusAt>
SCANLENS_HOST_DEVICE int shape_of_radius(int count, float radius, int k, const RadiusAt& radius_at) {
  k = k < count - 2 ? k : count - 2;
  while (k > 0 && radius_at(k) > radius) --k;
  while (k < count - 2 && radius_at(k + 1) <= radius) ++k;
  return k;
}
/// Does so where radii grow by about a pixel per shape, so that few are looked at.
SCANLENS_HOST_DEVICE inline int shape_of_radius(const SpreadShape* shapes, int count, float radius) {
  return shape_of_radius(count, radius, static_cast<int>(radius), [&](int i) { return shapes[i].radius; });
}

/// Calls add(box, values) for the boxes of one shape around (x, y), or around the group (x .. x + side - 1, y
/// .. y + side - 1). Values has `of`, an array.
template <int kChannels, class Values, class Add>
SCANLENS_HOST_DEVICE void for_each_box(const SpreadShape& shape, int x, int y, int side, const Values& part,
                                       const Add& add) {
  Values minus = {};
  for (int c = 0; c < kChannels; ++c) minus.of[c] = 0u - part.of[c];
  for (int i = 0; i < shape.steps; ++i) {
    const int up = shape.half_height[i], across = shape.half_width[i];
    add(SpreadBox{x - across, x + across + side, y - up, y + up + side}, part);
    if (i + 1 == shape.steps) break;
    const int common = shape.half_width[i + 1];
    add(SpreadBox{x - common, x + common + side, y - up, y + up + side}, minus);
  }
}

/// Calls visit(layer, larger, deposit) for each part of a group at (x, y), in the layers that takes(layer) is
/// true of: `larger` is 1 for what goes to the larger one of two shapes. `upper` is its share, and
/// deposit(share) makes the values that a shape gets, by 2^32 * pixels spread together / its area.
template <int kChannels, class Values, class Takes, class Visit>
SCANLENS_HOST_DEVICE void for_each_part(float circle, const LayerCuts& cuts, int x, int y, unsigned upper,
                                        const Values& light, const Takes& takes, const Visit& visit) {
  const LayerShare share = layer_share(circle, cuts);
  std::uint32_t random = pixel_hash(x, y);
  // To the layer and to the one behind it, in each to the smaller shape and to the larger one.
#ifdef __CUDA_ARCH__
#pragma unroll 1  // four times the instructions would not stay in the cache
#endif
  for (int i = 0; i < 4; ++i) {
    const int behind = i / 2, larger = i % 2, layer = share.layer + behind;
    const unsigned steps = behind ? share.behind : kShareSteps - share.behind;
    const unsigned of_upper = upper * steps >> kShareBits, of_shape = larger ? of_upper : steps - of_upper;
    if (i == 2) random = random_behind(random);
    if (of_shape == 0 || !takes(layer)) continue;
    visit(layer, larger, [&](std::uint32_t per_area) {
      std::uint32_t of_channel = larger ? ~random : random;
      Values part = {};
      for (int c = 0; c < kChannels; ++c) {
        part.of[c] = deposit_of(light.of[c], per_area, of_shape, of_channel);
        of_channel = next_random(of_channel);
      }
      return part;
    });
  }
}

/// Calls add(layer, box, values) for the boxes of a group at (x, y) of a picture, in the layers that
/// takes(layer) is true of. `circle` and `light` are the means of its pixels.
template <int kChannels, class Values, class Takes, class Add>
SCANLENS_HOST_DEVICE void spread_light(const SpreadShape* shapes, int count, float circle,
                                       const LayerCuts& cuts, int x, int y, int side, const Values& light,
                                       const Takes& takes, const Add& add) {
  const float radius = std::fabs(circle);
  const int k = shape_of_radius(shapes, count, radius);
  const unsigned upper = upper_share(shapes[k].radius, shapes[k].per_radius, radius);
  const int left = x + group_right(x, y, side), top = y + group_down(x, y, side);
  for_each_part<kChannels>(
      circle, cuts, x, y, upper, light, takes, [&](int layer, int larger, const auto& deposit) {
        const SpreadShape& shape = shapes[k + larger];
        for_each_box<kChannels>(shape, left, top, side, deposit(shape.share),
                                [&](const SpreadBox& box, const Values& values) { add(layer, box, values); });
      });
}

}  // namespace scanlens
