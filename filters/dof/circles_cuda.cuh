// The circles of confusion of a picture and their summaries, on CUDA.
#pragma once

#include <cstdint>

#include "core/spread/visit.cuh"
#include "core/view.h"
#include "filters/dof/fill.h"
#include "filters/dof/layered.h"
#include "filters/dof/layers_formula.h"

namespace scanlens::gpu {

struct Circles {
  View<float> of_pixel;
  int* greatest;   ///< of each tile: its greatest circle, ordered
  float* nearest;  ///< of each fine tile: the greatest circle around it
  int* extremes;   ///< the complement of the least circle, and the greatest, both ordered
  LayerCuts* cuts;
  NearLevels tiles;
  int* of_field_tile;  ///< the extremes of each tile of the fields
  int field_tiles_across;
};

/// Finds the circles, their cuts and what is nearest. All memory is taken from the workspace.
Circles find_circles(Context& context, Workspace& workspace, View<const float> disparity,
                     const LayeredLens& lens, int layers);

/// Sets the layers of each tile of the fields: those that pixels spread to `shapes`, or stacks of `frame`, or
/// `discs` may reach it in.
void mark_reached_tiles(Context& context, const Circles& circles, const SpreadShapes (&shapes)[kGroupSizes],
                        const FrameTask& frame, const LampDiscs& discs, const FieldTiles& fields);

}  // namespace scanlens::gpu
