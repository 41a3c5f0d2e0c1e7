// Running extremes and where they stand: cummax and cummin with indices.
#pragma once

#include <cstdint>
#include <span>

#include "core/held/lines.h"

namespace scanlens {

/// The index of several equal extremes that counts, in the order of the scan.
enum class Ties {
  last,   ///< PyTorch's cummax
  first,  ///< NumPy's argmax
};

/// values[i] = the greatest (least) of in[0] … in[i], and indices[i] = where it stands.
///
/// NaN counts as greatest (least), and stays: indices are those of NaN from then on. -0 and 0 are equal, and
/// may be written as 0.
/// Types: int32_t, uint32_t, int64_t, uint64_t, float, double, Half, BFloat16. Options: `reverse` alone; then
/// it is the extremes of in[i] … in[n - 1], and the scan begins at the last. Aliasing: `values` may be `in`
/// itself. Bytes moved: each element is read once, or twice where there are fewer lines than multiprocessors,
/// and both results written once.
template <ContiguousArray In, ContiguousArray Values>
void argmax_scan(Context& context, const In& in, Values&& values, std::span<std::int64_t> indices,
                 Ties ties = Ties::last, const ScanOptions<ElementOf<In>>& options = {}) {
  argmax_scan_axis(context, in, values, indices, Axis{1, std::ssize(elements_of(in)), 1}, ties, options);
}
template <ContiguousArray In, ContiguousArray Values>
void argmin_scan(Context& context, const In& in, Values&& values, std::span<std::int64_t> indices,
                 Ties ties = Ties::last, const ScanOptions<ElementOf<In>>& options = {}) {
  argmin_scan_axis(context, in, values, indices, Axis{1, std::ssize(elements_of(in)), 1}, ties, options);
}

/// The same along an axis; indices count along it.
template <ContiguousArray In, ContiguousArray Values>
void argmax_scan_axis(Context& context, const In& in, Values&& values, std::span<std::int64_t> indices,
                      Axis axis, Ties ties = Ties::last, const ScanOptions<ElementOf<In>>& options = {}) {
  scan_held_extremes(context, "argmax_scan", true, elements_of(in), room_of(values), indices, axis, ties,
                     options);
}
template <ContiguousArray In, ContiguousArray Values>
void argmin_scan_axis(Context& context, const In& in, Values&& values, std::span<std::int64_t> indices,
                      Axis axis, Ties ties = Ties::last, const ScanOptions<ElementOf<In>>& options = {}) {
  scan_held_extremes(context, "argmin_scan", false, elements_of(in), room_of(values), indices, axis, ties,
                     options);
}

}  // namespace scanlens
