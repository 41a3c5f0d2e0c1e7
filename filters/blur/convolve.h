// Means weighed by few taps, for filters: the same bits of integers on every backend.
#pragma once

#include "core/context.h"
#include "filters/bands/window.h"
#include "filters/blur/taps.h"

namespace scanlens {

/// Makes the rows of the task: the mean weighed by `taps` down columns, then the same along rows, of codes
/// (filters/blur/codes.h) that integers are rounded to after each. Colours are weighed by alpha.
template <class T>
void convolve(Context& context, const Taps& taps, const BandTask<T>& task);

/// The same by a function of a pixel, which keeps the codes between: how CUDA does it with floats, and, for
/// tests, the CPU.
template <class T>
void convolve_by_pixels(Context& context, const Taps& taps, const BandTask<T>& task);

namespace cpu {
/// The same where `out` is not `rows`.
template <class T>
void convolve_apart(Context& context, const Taps& taps, const BandTask<T>& task);
/// Returns the bytes that its threads allocate, at most, for a result of `rows` rows.
std::int64_t convolve_apart_bytes(int channels, std::int64_t row_samples, std::int64_t rows);
}  // namespace cpu
namespace gpu {
template <class T>
void convolve_apart(Context& context, const Taps& taps, const BandTask<T>& task);
}  // namespace gpu

}  // namespace scanlens
