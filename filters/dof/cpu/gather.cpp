#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>

#include "core/cpu/interruption.h"
#include "filters/dof/backends.h"
#include "filters/dof/cpu/row.h"

namespace scanlens::cpu {
namespace {

// A tile, whose part of the table a core's cache holds for radii of some tens of pixels, wherever disparity
// jumps about.
constexpr int kTileRows = 64;
constexpr int kTileColumns = 256;

}  // namespace

template <class T, class Sum>
void dof_gather(Context&, const DofTask<T, Sum>& task) {
  const auto width = static_cast<int>(task.image.width), height = static_cast<int>(task.image.height);
  tbb::parallel_for(
      tbb::blocked_range2d<int>(0, height, kTileRows, 0, width, kTileColumns),
      [&](const auto& tile) {
        Interruption::poll();
        for (int y = tile.rows().begin(); y < tile.rows().end(); ++y)
          dof_row(task, tile.cols().begin(), tile.cols().end(), y);
      },
      tbb::simple_partitioner());
}

SCANLENS_INSTANTIATE_DOF_GATHER

}  // namespace scanlens::cpu
