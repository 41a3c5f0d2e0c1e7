// Row and column scans, the transpose and the steps of the classic summed-area table, per backend. Called by
// the checked public functions only, with views that are not empty.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/operators.h"
#include "core/sat.h"
#include "core/transpose.h"
#include "core/view.h"

// The same declarations twice: definitions stand in *_cpu.cpp and *_cuda.cu.
#define SCANLENS_DECLARE_ROW_STEPS                                                                \
  template <class T, class Op>                                                                    \
  void scan_rows(Context& context, View<const T> in, View<T> out, Op op);                         \
  template <class T, class Op>                                                                    \
  void scan_columns(Context& context, View<const T> in, View<T> out, std::int64_t images, Op op); \
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

/// The row and column scans that the library holds ready compiled, for both backends: X(T, Op) for each.
#define SCANLENS_FOR_EACH_ROW_SCAN(X) \
  X(std::int32_t, ::scanlens::Sum)    \
  X(std::uint32_t, ::scanlens::Sum)   \
  X(std::uint64_t, ::scanlens::Sum)   \
  X(float, ::scanlens::Sum)           \
  X(double, ::scanlens::Sum)          \
  X(float, ::scanlens::Max)

#define SCANLENS_INSTANTIATE_TRANSPOSES                                              \
  template void transpose(Context&, View<const std::uint8_t>, View<std::uint8_t>);   \
  template void transpose(Context&, View<const std::uint16_t>, View<std::uint16_t>); \
  template void transpose(Context&, View<const std::uint32_t>, View<std::uint32_t>); \
  template void transpose(Context&, View<const std::uint64_t>, View<std::uint64_t>); \
  template void transpose(Context&, View<const Bytes16>, View<Bytes16>);

/// The steps around the row scans, instantiated for one type of sum.
#define SCANLENS_INSTANTIATE_SAT_STEPS(Sum)                                                 \
  template void interleave_transposed(Context&, View<const Sum>, View<Sum>);                \
  template void deinterleave(Context&, View<const std::uint8_t>, View<Sum>, const Terms&);  \
  template void deinterleave(Context&, View<const std::uint16_t>, View<Sum>, const Terms&); \
  template void deinterleave(Context&, View<const float>, View<Sum>, const Terms&);
