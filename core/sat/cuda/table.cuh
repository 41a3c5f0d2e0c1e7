// The tables that the library holds compiled for CUDA, by whichever schedule is fastest.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/sat/cuda/resident.h"
#include "core/sat/cuda/stripes.h"
#include "core/sat/cuda/tiles.cuh"
#include "core/sat/plan.h"

namespace scanlens::gpu {

/// Makes a table by tiles if the library holds its kind, as core/sat/checks.h has made sure.
template <bool kSquared, int kChannels, class T, class S>
void launch_held(Context& context, const SatTask<T, S>& task) {
  constexpr TablesHeld kHeld = kTablesHeld<T, S>;
  if constexpr (!kSquared && lists(kHeld.looked_up, kChannels))
    if (looks_up<T, S>(task.terms)) return launch_table<false, true, kChannels, kChannels>(context, task);
  if constexpr (lists(kSquared ? kHeld.squared : kHeld.summed, kChannels))
    launch_table<kSquared, false, kChannels, kChannels>(context, task);
}

template <bool kSquared, class T, class S>
void launch_held(Context& context, const SatTask<T, S>& task) {
  switch (task.channels) {
    case 1:
      return launch_held<kSquared, 1>(context, task);
    case 3:
      return launch_held<kSquared, 3>(context, task);
    default:
      return launch_held<kSquared, 4>(context, task);
  }
}

template <class T, class S>
void make_table(Context& context, const SatTask<T, S>& task) {
  constexpr bool kBytes = std::is_same_v<T, std::uint8_t>;
  if constexpr (kBytes && sizeof(S) == 4) {
    const SatPlan plan = sat_plan(features_of(task), traits_of(context));
    if (plan.schedule == TablePlan::resident) return table_by_resident_tiles(context, task, plan.tile_height);
    if (plan.schedule == TablePlan::stripes) return table_by_stripes(context, task, plan);
  }
  if constexpr (kBytes && sizeof(S) == 8)
    if (task.terms.packed) return launch_table<false, false, 3, 1>(context, task);
  launch_held<false>(context, task);
}

/// Makes the table and, if asked for, that of squares, for which it reads the image again. On an H200 RGB of
/// bytes into 32 bits takes 299 us at 4096 x 4096 (1920 x 1080: 48 us). A kernel that sums both at once, in
/// tiles of six channels of 64 bits, takes 345 us (54 us).
template <class T, class S>
void summed_area_table(Context& context, const SatTask<T, S>& task) {
  make_table(context, task);
  if constexpr (SquaresInLibrary<T, S>)
    if (task.squares.origin) table_of_squares(context, squares_of(task));
}

}  // namespace scanlens::gpu
