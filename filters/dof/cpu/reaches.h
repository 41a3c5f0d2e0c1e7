// The blocks of pixels whose light reaches a tile of the picture, on the CPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/spread/tiles.h"
#include "filters/dof/cpu/circles.h"
#include "filters/dof/layered.h"

namespace scanlens::cpu {

/// The reach of blocks of kMostGroup x kMostGroup pixels beyond themselves, by their circles.
class Reaches {
 public:
  Reaches() = default;
  /// Takes circles up to `most`. Light goes to shapes, and if `has_lamps` to discs too.
  template <class T>
  Reaches(const LayeredTask<T>& task, float most, bool has_lamps) {
    const LampDiscs& discs = task.lamps.discs;
    for (int radius = 1; radius <= static_cast<int>(most) + 1; ++radius) {
      SpreadReach reach = of_radius_.empty() ? SpreadReach() : of_radius_.back();
      for (int i = 0; i < kGroupSizes; ++i) {
        const float widest = static_cast<float>(radius);
        if (!task.frame.words)
          reach.include(reach_of_group(task.shapes[i], widest, i > 0 ? kMostGroupShift : 0));
        else if (i == 0 || widest >= least_group_radius(1 << i))
          reach.include({reach_of_stacks(task.frame, i, widest, 0) + (i > 0 ? kMostGroupShift : 0),
                         reach_of_stacks(task.frame, i, widest, 1) + (i > 0 ? kMostGroupShift : 0)});
      }
      if (has_lamps)
        reach.include({lamp_reach(static_cast<float>(radius), discs.per_spacing, discs.across),
                       lamp_reach(static_cast<float>(radius), discs.per_spacing, discs.down)});
      of_radius_.push_back(reach);
    }
  }

  SpreadReach most() const { return of_radius_.empty() ? SpreadReach() : of_radius_.back(); }

  /// True if the block from (x, y) on lies in the tile, or its light may reach it.
  bool block(const Circles& circles, int x, int y, const SpreadBox& tile) const {
    const int right = x + kMostGroup, bottom = y + kMostGroup;
    if (right > tile.left && x < tile.right && bottom > tile.top && y < tile.bottom) return true;
    const SpreadReach reach = of_radius_[static_cast<std::size_t>(widest(circles, x, y))];
    return right + reach.across > tile.left && x - reach.across < tile.right &&
           bottom + reach.down > tile.top && y - reach.down < tile.bottom;
  }

 private:
  static SpreadReach reach_of_group(const SpreadShapes& shapes, float radius, int shift) {
    const int larger = shape_of_radius(shapes.first, shapes.count, radius) + 1;
    SpreadReach reach;
    for (const SpreadShape* shape : {&shapes.first[larger - 1], &shapes.first[larger]})
      for (int i = 0; i < shape->steps; ++i)
        reach.include({shape->half_width[i] + shift, shape->half_height[i] + shift});
    return reach;
  }

  /// The greatest radius in the block, rounded down.
  static int widest(const Circles& circles, int x, int y) {
    const View<float>& all = circles.of_pixel;
    const auto right = std::min<int>(x + kMostGroup, static_cast<int>(all.width)),
               bottom = std::min<int>(y + kMostGroup, static_cast<int>(all.height));
    float most = 0;
    for (int j = y; j < bottom; ++j)
      for (int i = x; i < right; ++i) most = std::max(most, std::fabs(all(i, j)));
    return static_cast<int>(most);
  }

  std::vector<SpreadReach> of_radius_;  ///< [i]: of radii below i + 1
};

}  // namespace scanlens::cpu
