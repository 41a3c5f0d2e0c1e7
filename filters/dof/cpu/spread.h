// The deposits of pixels on the CPU, a run of a row's pixels at a time.
#pragma once

#include <cstdint>

#include "core/spread/cpu.h"
#include "filters/dof/shapes.h"

namespace scanlens::cpu {

constexpr int kSpreadRun = 64;  ///< pixels; what is kept of them stays in the nearest cache
/// Parts of a pixel: to its layer the smaller shape and the larger one, to the layer behind it the same.
constexpr int kSpreadParts = 4;

/// Pixels of row y, or groups whose first row it is, at columns x.
template <int kChannels>
struct SpreadRun {
  int y, count;
  int x[kSpreadRun];
  float circles[kSpreadRun];
  std::uint32_t light[kChannels][kSpreadRun];
};

/// The two shapes that the radius of each pixel of a run lies between.
struct RunShapes {
  float radius[kSpreadRun], per_radius[kSpreadRun];  ///< of the smaller shape
  std::uint32_t share[2][kSpreadRun];                ///< of the smaller shape and of the larger one
};

/// The deposits of a run.
template <int kChannels>
struct RunParts {
  int layer[kSpreadRun];
  std::uint32_t steps[kSpreadParts][kSpreadRun];  ///< steps of a part's light; 0: it has no light
  typename SpreadTile<kChannels>::Values values[kSpreadParts][kSpreadRun];
};

/// Finds what spread_light gives to each shape, bit for bit.
template <int kChannels>
void find_parts(const RunShapes& shapes, const LayerCuts& cuts, const SpreadRun<kChannels>& run,
                RunParts<kChannels>& parts);

}  // namespace scanlens::cpu
