// Lamps on CUDA: found, listed, and their discs deposited.
#pragma once

#include <cstdint>

#include "core/spread/cuda.cuh"
#include "filters/dof/circles_cuda.cuh"
#include "filters/dof/layered.h"

namespace scanlens::gpu {

/// The lamps of a picture.
struct Lamps {
  std::uint32_t*
      blocks;            ///< the share of each block's lamps that goes to discs, in steps; null without lamps
  std::uint32_t* costs;  ///< kLampCosts of them
  std::uint32_t* count;  ///< of cells in the list
  std::uint32_t* grown;  ///< cost of all in the largest cells, so far
  int2* list;            ///< of cells with lamps: x, and y << kLampCellBits | lamp_cell
  int across, down;      ///< blocks

  /// Returns the share of the block of a pixel.
  __device__ std::uint32_t share_of_block(int x, int y) const {
    return blocks[static_cast<unsigned>(y) / kLampBlock * static_cast<unsigned>(across) +
                  static_cast<unsigned>(x) / kLampBlock];
  }
};

/// Finds the lamps whose discs are affordable. All memory is taken from the workspace.
template <class T>
Lamps find_lamps(Context& context, Workspace& workspace, const LayeredTask<T>& task, const Circles& circles);

/// Deposits the discs of lamps.
template <class T>
void deposit_lamps(Context& context, const LayeredTask<T>& task, const Circles& circles, const Lamps& lamps,
                   const SpreadFields& fields);

}  // namespace scanlens::gpu
