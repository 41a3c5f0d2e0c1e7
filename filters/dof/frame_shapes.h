// The shapes of blurred light by the pupils of a lens: tables for the nodes of a lattice over the frame.
// Surfaces take stacks of boxes, lamps the outlines. Where light is uneven over the lens, each zone of it has
// its own, one in the other.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "filters/depth_of_field.h"
#include "filters/dof/frame_formula.h"
#include "filters/dof/lamps.h"
#include "filters/dof_shape.h"

namespace scanlens {

/// The shapes as a backend reads them.
struct FrameTask {
  const std::uint32_t* words = nullptr;  ///< null: no look needs them
  FrameLayout at = {};                   ///< where tables begin
  float per_spacing = 1;                 ///< discs per pixel of radius
  float across = 0, down = 0;            ///< the farthest that any shape reaches, in radii
};

/// Such tables on the host.
struct FrameShapes {
  std::vector<std::uint32_t> words;
  FrameTask task;  ///< in `words`

  std::size_t bytes() const { return words.size() * sizeof(std::uint32_t); }
};

/// Returns the tables of a style on a picture of this size, up to `most` pixels of radius. Those that were
/// asked for last are kept.
std::shared_ptr<const FrameShapes> frame_shapes(const DofStyle& style, std::int64_t width,
                                                std::int64_t height, float most);
/// Returns a bound of their bytes; 0 for styles that need none.
std::int64_t frame_shapes_bytes(const DofStyle& style, float most);

/// Returns the task of lamps with these outlines. None where no blur is wide enough.
inline LampDiscs frame_discs(const FrameTask& frame, float most) {
  if (!(most > kLeastLampRadius)) return {};
  return {frame.words, frame.per_spacing, frame.across, frame.down};
}

/// Returns a bound of how far shapes reach, in radii.
float most_frame_reach(const DofStyle& style);

SCANLENS_HOST_DEVICE inline float float_of_word(std::uint32_t word) {
  float value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}

/// Returns how far stacks of a group's size reach beyond it, across for i = 0 and down for 1, up to a radius.
SCANLENS_HOST_DEVICE inline int reach_of_stacks(const FrameTask& frame, int group, float radius, int i) {
  const std::uint32_t* const reaches = frame.words + frame.at.reaches[group];
  const int size = shape_of_radius(frame.at.sizes[group], radius, static_cast<int>(radius),
                                   [&](int k) { return float_of_word(reaches[kReachWords * k]); }) +
                   1;
  return static_cast<int>(reaches[kReachWords * size + 1 + i]);
}

/// The two stacks that the radius of a group lies between.
struct StackPair {
  const std::uint32_t* smaller;
  int words;  ///< from the smaller one to the larger one
  int node, zones;

  SCANLENS_HOST_DEVICE float radius() const { return float_of_word(smaller[0]); }
  SCANLENS_HOST_DEVICE float per_radius() const { return float_of_word(smaller[1]); }
  SCANLENS_HOST_DEVICE const std::uint32_t* stack(int larger) const { return smaller + larger * words; }
  SCANLENS_HOST_DEVICE std::uint32_t share(int larger, int zone) const {
    return stack(larger)[kStackHead + zone];
  }
};

/// Returns the place of a node among the kCornersOfNodes around a pixel.
inline constexpr int kCornersOfNodes = 4;
inline int corner_of_node(int node) {
  return (node & 1) + 2 * (node / kNodesAcross & 1);
}

/// Returns those of the group at (x, y).
SCANLENS_HOST_DEVICE inline StackPair stacks_of_group(const FrameTask& frame, int group, float circle, int x,
                                                      int y) {
  const FrameSide& side = frame.at.sides[side_of_circle(circle)];
  const int words = words_of_stack(side.zones, frame.at.runs), sizes = frame.at.sizes[group],
            node = node_of_pixel(x, y, frame.at.per_column, frame.at.per_row);
  const float radius = std::fabs(circle);
  const std::uint32_t* const stacks = frame.words + side.stacks[group] + node * sizes * words;
  const int first = static_cast<int>(radius) - frame.at.least[group],
            k = shape_of_radius(sizes, radius, first > 0 ? first : 0,
                                [&](int i) { return float_of_word(stacks[i * words]); });
  return {stacks + k * words, words, node, side.zones};
}

/// Calls add(box) for the boxes of a zone of a stack about the group of `side` x `side` pixels at (x, y).
/// Boxes of a stack that reaches out of the picture also lie, as they are, about the places in the mirror of
/// its group: mirrored they would lean the wrong way. The parts outside of the picture are cut off.
template <class Add>
SCANLENS_HOST_DEVICE void for_each_stacked_box(const std::uint32_t* stack, const std::uint32_t* boxes,
                                               int runs, int x, int y, int side, int width, int height,
                                               const Add& add) {
  const bool inside = lies_within(box_of_words(stack[2], stack[3], x, y), width, height);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (int place = 0; place < (inside ? 1 : 9); ++place) {
    const int at_x = mirrored_place(place % 3, x, side, width),
              at_y = mirrored_place(place / 3, y, side, height);
    for (int i = 0; i < runs; ++i) {
      const SpreadBox box =
          cut_box(box_of_words(boxes[kBoxWords * i], boxes[kBoxWords * i + 1], at_x, at_y), width, height);
      if (box.left < box.right && box.top < box.bottom) add(box);
    }
  }
}

/// Calls add(layer, box, values) for the boxes of a group at (x, y) of a picture, as spread_light does. A
/// zone gets the difference from the one around it, modulo 2^32, so that no light is below 0.
template <int kChannels, class Values, class Takes, class Add>
SCANLENS_HOST_DEVICE void spread_to_stacks(const FrameTask& frame, float circle, const LayerCuts& cuts, int x,
                                           int y, int side, int width, int height, const Values& light,
                                           const Takes& takes, const Add& add) {
  const StackPair pair = stacks_of_group(frame, group_size(side), circle, x, y);
  const unsigned upper = upper_share(pair.radius(), pair.per_radius(), std::fabs(circle));
  const int left = x + group_right(x, y, side), top = y + group_down(x, y, side);
  for_each_part<kChannels>(
      circle, cuts, x, y, upper, light, takes, [&](int layer, int larger, const auto& deposit) {
        const std::uint32_t* const stack = pair.stack(larger);
        const std::uint32_t* boxes = stack + boxes_of_stack(pair.zones);
        Values around = {};
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
        for (int zone = 0; zone < pair.zones; ++zone, boxes += kBoxWords * frame.at.runs) {
          const Values whole = deposit(pair.share(larger, zone));
          Values more = whole;
          for (int c = 0; c < kChannels; ++c) more.of[c] -= around.of[c];
          around = whole;
          for_each_stacked_box(stack, boxes, frame.at.runs, left, top, side, width, height,
                               [&](const SpreadBox& box) { add(layer, box, more); });
        }
      });
}

}  // namespace scanlens
