// The steps of the classic summed-area table, per backend. Called by the checked public functions only.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/sat.h"
#include "core/view.h"

// The same declarations twice: definitions stand in *_cpu.cpp and *_cuda.cu.
#define SCANLENS_DECLARE_ROW_STEPS                                                                \
  template <class T>                                                                              \
  void scan_rows(Context& context, View<const T> in, View<T> out);                                \
  template <class T>                                                                              \
  void transpose(Context& context, View<const T> in, View<T> out);                                \
  template <class T, class Sum>                                                                   \
  void deinterleave(Context& context, View<const T> image, View<Sum> planes, const Terms& terms); \
  template <class Sum>                                                                            \
  void interleave_transposed(Context& context, View<const Sum> planes, View<Sum> table);

namespace scanlens::cpu {
SCANLENS_DECLARE_ROW_STEPS
}
namespace scanlens::cuda {
SCANLENS_DECLARE_ROW_STEPS
}

#undef SCANLENS_DECLARE_ROW_STEPS

/// The steps around the row scans, instantiated for one type of sum.
#define SCANLENS_INSTANTIATE_SAT_STEPS(Sum)                                                 \
  template void transpose(Context&, View<const Sum>, View<Sum>);                            \
  template void interleave_transposed(Context&, View<const Sum>, View<Sum>);                \
  template void deinterleave(Context&, View<const std::uint8_t>, View<Sum>, const Terms&);  \
  template void deinterleave(Context&, View<const std::uint16_t>, View<Sum>, const Terms&); \
  template void deinterleave(Context&, View<const float>, View<Sum>, const Terms&);
