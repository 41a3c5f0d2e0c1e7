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
  const std::uint32_t* fields[kMostDofLayers];  ///< the first pixel's (SpreadBand); null where all are 0
  float share[kShownRun];                       ///< how much of itself a pixel keeps
  float sharp[kLight][kShownRun];               ///< its light, where it keeps any; 0 elsewhere

  float light[kLight][kShownRun];  ///< what is seen
  float left[kShownRun];           ///< what is to be filled with what is seen around
  int exact[kShownRun];            ///< not 0: the pixel shows itself and nothing else
  int entry[kLight][kShownRun];    ///< of linear16_to_srgb8, for the light
};

/// Sets `share`.
template <int kLight>
void find_shares(ShownRun<kLight>& run);

/// Makes light, left and exact: Composite::add of all layers, and Composite::fill of the pixels that are
/// filled with their own mean, bit for bit. Light of 1 in a field is `light_one`.
template <int kLight>
void compose(const LayerCuts& cuts, float light_one, ShownRun<kLight>& run);

/// Sets `entry`.
template <int kLight>
void find_entries(ShownRun<kLight>& run);

}  // namespace scanlens::cpu
