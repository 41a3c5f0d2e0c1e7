// Sums of slabs that their tables need, per backend.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/sat/backends.h"

namespace scanlens {

/// True if the terms are the samples themselves.
template <class T, class S>
bool sums_samples(const SatTask<T, S>& task) {
  return task.image.channels == task.channels && !task.terms.packed && !task.terms.lut &&
         !task.terms.weigh_by_alpha && (std::is_floating_point_v<S> || !std::is_floating_point_v<T>);
}

/// Sums in a row of the task's table.
template <class T, class S>
std::int64_t row_sums(const SatTask<T, S>& task) {
  return task.image.width * task.channels;
}

//   column_totals   totals[x * channels + c] = the sum of terms of column x; zeros of an image of no rows
//   first_row       row -1 of the table, of the totals of `above` slabs, and its column -1
#define SCANLENS_DECLARE_SLABS                                                \
  template <class T, class S>                                                 \
  void column_totals(Context& context, const SatTask<T, S>& task, S* totals); \
  template <class T, class S>                                                 \
  void first_row(Context& context, const SatTask<T, S>& task, const S* totals, int above);

namespace cpu {
SCANLENS_DECLARE_SLABS
}
namespace gpu {
SCANLENS_DECLARE_SLABS
}

#undef SCANLENS_DECLARE_SLABS

}  // namespace scanlens
