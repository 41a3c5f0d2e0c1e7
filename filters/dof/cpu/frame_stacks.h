// The stacks of boxes that surfaces are spread to where pupils make the shapes, on the CPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/spread/fold_formula.h"
#include "filters/dof/cpu/spread.h"
#include "filters/dof/frame_shapes.h"

namespace scanlens::cpu {

/// Finds the stacks of a zone that the pixels of a run lie between. `group` is the size of what is spread
/// together.
template <int kChannels>
void find_stacks(const FrameTask& frame, int group, int zone, const SpreadRun<kChannels>& run,
                 RunShapes& shapes) {
  for (int i = 0; i < run.count; ++i) {
    const FrameStacks& stacks = frame.side_of(run.circles[i]).stacks[group];
    const int node = node_of_pixel(run.x[i], run.y, frame.per_column, frame.per_row);
    const FrameStack* const of_node = stacks.first + std::int64_t{node} * stacks.sizes;
    const int k = stack_of_radius(of_node, stacks, std::fabs(run.circles[i]));
    shapes.take(i, node * stacks.sizes + k, of_node[k], of_node[k].share[zone], of_node[k + 1].share[zone]);
  }
}

/// Deposits boxes about the group of `side` x `side` pixels at (x, y). Those that reach out of the picture
/// are also deposited, as they are, from the places in the mirror of its pixels: mirrored they would lean the
/// wrong way. The parts outside of the picture are cut off.
template <class Fields>
void deposit_boxes(Fields& fields, int width, int height, int layer, const FrameBoxes& of_zone, bool before,
                   int x, int y, int side, const typename Fields::Values& values) {
  SpreadBox boxes[kMostRuns], all = {width, 0, height, 0};
  for (int i = 0; i < kMostRuns; ++i) {
    SpreadBox box = box_of_words(of_zone.of[i][0], of_zone.of[i][1], 0, 0);
    if (before) box = {side - box.right, side - box.left, side - box.bottom, side - box.top};
    boxes[i] = {x + box.left, x + box.right, y + box.top, y + box.bottom};
    all = {std::min(all.left, boxes[i].left), std::max(all.right, boxes[i].right),
           std::min(all.top, boxes[i].top), std::max(all.bottom, boxes[i].bottom)};
  }
  if (lies_within(all, width, height)) {
    for (const SpreadBox& box : boxes)
      if (box.left < box.right) fields.deposit(layer, box, values);
    return;
  }
  for (const int down : {0, -side - 2 * y, 2 * height - side - 2 * y})
    for (const int right : {0, -side - 2 * x, 2 * width - side - 2 * x})
      for (const SpreadBox& box : boxes)
        fields.deposit_cut(layer, {box.left + right, box.right + right, box.top + down, box.bottom + down},
                           values);
}

}  // namespace scanlens::cpu
