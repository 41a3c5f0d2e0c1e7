// Layers of depth laid one over the other on the CPU, a run of a row's pixels at a time.
#pragma once

#include <cstdint>

#include "filters/dof/layers_formula.h"

namespace scanlens::cpu {

constexpr int kShownRun = 128;  ///< pixels; what is kept of them stays in the nearest cache

/// Facts about a run of pixels of a row. `kLight`: colours, and alpha if there is one.
template <int kLight>
struct ShownRun {
  int count;
  const float* circles;
  const std::uint32_t* fields[kMostDofLayers];  ///< the first pixel's (SpreadTile); null where all are 0
  float share[kShownRun];                       ///< share of itself that a pixel keeps
  float sharp[kLight][kShownRun];               ///< light of pixels that keep a share; else 0

  float light[kLight][kShownRun];  ///< what is seen
  float left[kShownRun];           ///< share that the light around the pixel fills
  int exact[kShownRun];            ///< not 0: the pixel shows itself alone
  int entry[kLight][kShownRun];    ///< of linear16_to_srgb8, for the light
};

/// Finds `share`.
template <int kLight>
void find_shares(ShownRun<kLight>& run);

/// Finds `light`, `left` and `exact`, bit for bit: by Composite::add of all layers, and by Composite::fill of
/// pixels that their own mean fills. `light_one` is light of 1 in a field.
template <int kLight>
void compose(const LayerCuts& cuts, float light_one, ShownRun<kLight>& run);

/// Finds `entry`.
template <int kLight>
void find_entries(ShownRun<kLight>& run);

}  // namespace scanlens::cpu
