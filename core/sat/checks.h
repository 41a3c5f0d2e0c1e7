// From the arguments of a call for summed-area tables, checked, to what is to be done. Free of fmt, so that
// CUDA sources can include it.
#pragma once

#include <cstdint>

#include "core/sat/backends.h"

namespace scanlens {

/// Checks all arguments of `call` and says what is to be done, for all types that core/sat.h names.
/// `squares`: null when not asked for. `continued`: row 0 of the table is given.
template <class T, class S>
SatTask<T, S> sat_task(const char* call, const View<const T>& image, const View<S>& table,
                       const View<SquareSum<S>>* squares, const Terms& terms, std::int64_t images,
                       bool continued);

/// Throws Error (usage) unless the library holds the task's kind compiled (SCANLENS_FOR_EACH_TABLE), whatever
/// the backend.
template <class T, class S>
void require_held(const char* call, const SatTask<T, S>& task);

/// Throws Error (usage) unless a call compiled for `in` channels of the image and `out` of the table got
/// such.
void require_compiled_for(const char* call, int image_channels, int table_channels, int in, int out);

}  // namespace scanlens
