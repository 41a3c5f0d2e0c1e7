// Tables for core/sat_with.h on CUDA: kernels that the library holds are taken from there, others made here.
#pragma once

#include "core/sat/backends.h"
#include "core/sat/cuda/tiles.cuh"

namespace scanlens::gpu {

/// Makes a table, of squares if kSquared.
template <bool kSquared, bool kLut, int kIn, int kOut, class T, class S>
void own_table(Context& context, const SatTask<T, S>& task) {
  constexpr TablesHeld kHeld = kTablesHeld<T, S>;
  constexpr int kListed = kSquared ? (kLut ? 0 : kHeld.squared) : kLut ? kHeld.looked_up : kHeld.summed;
  if constexpr (kIn != kOut || !lists(kListed, kIn))
    launch_table<kSquared, kLut, kIn, kOut>(context, task);
  else if constexpr (kSquared)
    table_of_squares(context, task);
  else
    summed_area_table(context, task);
}

template <bool kSquared, int kIn, int kOut, class T, class S>
void own_table(Context& context, const SatTask<T, S>& task) {
  if constexpr (sizeof(T) <= 2)
    if (looks_up<T, S>(task.terms)) return own_table<kSquared, true, kIn, kOut>(context, task);
  own_table<kSquared, false, kIn, kOut>(context, task);
}

/// Makes a table alone.
template <class T, class S, int kIn, int kOut>
void own_table(Context& context, const SatTask<T, S>& task, SatChannels<kIn, kOut>) {
  own_table<false, kIn, kOut>(context, task);
}

/// Makes a table and that of squares.
template <class T, class S, int kIn, int kOut>
void own_tables(Context& context, const SatTask<T, S>& task, SatChannels<kIn, kOut>) {
  SatTask<T, S> sums = task;
  sums.squares = {};
  own_table<false, kIn, kOut>(context, sums);
  own_table<true, kIn, kOut>(context, squares_of(task));
}

}  // namespace scanlens::gpu
