// The circles of confusion of a picture on the CPU, and summaries of them for layers.
#pragma once

#include <limits>
#include <vector>

#include "core/context.h"
#include "core/view.h"
#include "filters/dof/fill.h"
#include "filters/dof/layers_formula.h"

namespace scanlens::cpu {

/// The circles of confusion of a picture and their summaries.
struct Circles {
  View<float> of_pixel;
  float least = std::numeric_limits<float>::max(), most = std::numeric_limits<float>::lowest();
  NearLevels tiles;
  std::vector<float> nearest;  ///< of each tile: the greatest circle in it
};

/// Returns the circles of all pixels, mixed ones unmixed. They take 4 bytes per pixel of the workspace.
Circles circles_of(View<const float> disparity, const LayeredLens& lens, Workspace& workspace);

}  // namespace scanlens::cpu
