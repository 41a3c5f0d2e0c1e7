// The pixels of the box filter, per backend. Called by filters/box/box.cpp only.
#pragma once

#include "core/context.h"
#include "filters/box/pixel.h"

namespace scanlens {

namespace cpu {
template <class T, class Sum>
void box_gather(Context& context, const BoxTask<T, Sum>& task);
/// The whole of `image`, which `out` must not be, without a table of it: task.table is not read.
template <class T, class Sum>
void box_running(Context& context, const BoxTask<T, Sum>& task, View<const T> image);
/// Rows of a band for box_running; 0 where too few bands would each sum too many rows above it.
std::int64_t running_band_rows(std::int64_t radius, std::int64_t width, std::int64_t height);
}  // namespace cpu
namespace gpu {
template <class T, class Sum>
void box_gather(Context& context, const BoxTask<T, Sum>& task);
}  // namespace gpu
}  // namespace scanlens

/// All combinations of sample and sum that the gather is built for.
#define SCANLENS_INSTANTIATE_BOX_GATHER                                             \
  template void box_gather(Context&, const BoxTask<std::uint8_t, std::uint32_t>&);  \
  template void box_gather(Context&, const BoxTask<std::uint8_t, std::uint64_t>&);  \
  template void box_gather(Context&, const BoxTask<std::uint16_t, std::uint32_t>&); \
  template void box_gather(Context&, const BoxTask<std::uint16_t, std::uint64_t>&);
