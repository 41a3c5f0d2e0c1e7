// Means over squares, per backend. Called by filters/means/means.cpp only.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/view.h"
#include "filters/means/finish.h"

namespace scanlens {

/// Row 0 of `out` belongs to row `first` of `rows`, which do not overlap it. Terms are summed as `Sum`.
template <class T, class Sum>
struct BoxTask {
  View<const T> rows;
  std::int64_t first;
  View<T> out;
  std::int64_t radius;
  Finish finish;
};

/// The largest radius for which CUDA runs down columns. Beyond it, a block would sum far more rows to begin
/// with than it makes.
inline constexpr std::int64_t kMostRunningRadius = 160;

namespace cpu {
template <class T, class Sum>
void sum_boxes(Context& context, const BoxTask<T, Sum>& task);
}  // namespace cpu
namespace gpu {
/// Radii up to kMostRunningRadius. Rows begin at multiples of four samples, and have as many.
template <class T, class Sum>
void sum_boxes(Context& context, const BoxTask<T, Sum>& task);
}  // namespace gpu
}  // namespace scanlens

/// All samples and sums for which there is one.
#define SCANLENS_INSTANTIATE_SUM_BOXES                                             \
  template void sum_boxes(Context&, const BoxTask<std::uint8_t, std::uint32_t>&);  \
  template void sum_boxes(Context&, const BoxTask<std::uint8_t, std::uint64_t>&);  \
  template void sum_boxes(Context&, const BoxTask<std::uint16_t, std::uint32_t>&); \
  template void sum_boxes(Context&, const BoxTask<std::uint16_t, std::uint64_t>&); \
  template void sum_boxes(Context&, const BoxTask<float, double>&);
