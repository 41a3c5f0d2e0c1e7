// The steps of the classic summed-area table around its row scans, per backend. Called by the checked public
// functions only, with views that are not empty.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/sat.h"
#include "core/view.h"

namespace scanlens::cpu {
template <class T, class Sum>
void deinterleave(Context& context, View<const T> image, View<Sum> planes, const Terms& terms);
template <class Sum>
void interleave_transposed(Context& context, View<const Sum> planes, View<Sum> table);
}  // namespace scanlens::cpu
namespace scanlens::gpu {
template <class T, class Sum>
void deinterleave(Context& context, View<const T> image, View<Sum> planes, const Terms& terms);
template <class Sum>
void interleave_transposed(Context& context, View<const Sum> planes, View<Sum> table);
}  // namespace scanlens::gpu

/// The steps around the row scans, instantiated for one type of sum.
#define SCANLENS_INSTANTIATE_SAT_STEPS(Sum)                                                 \
  template void interleave_transposed(Context&, View<const Sum>, View<Sum>);                \
  template void deinterleave(Context&, View<const std::uint8_t>, View<Sum>, const Terms&);  \
  template void deinterleave(Context&, View<const std::uint16_t>, View<Sum>, const Terms&); \
  template void deinterleave(Context&, View<const float>, View<Sum>, const Terms&);
