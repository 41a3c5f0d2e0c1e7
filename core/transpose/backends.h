// Transposition per backend, called only by the checked public function, with views that are not empty.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/transpose.h"
#include "core/view.h"

namespace scanlens::cpu {
template <class T>
void transpose(Context& context, View<const T> in, View<T> out);
}  // namespace scanlens::cpu
namespace scanlens::gpu {
template <class T>
void transpose(Context& context, View<const T> in, View<T> out);
}  // namespace scanlens::gpu

#define SCANLENS_INSTANTIATE_TRANSPOSES                                              \
  template void transpose(Context&, View<const std::uint8_t>, View<std::uint8_t>);   \
  template void transpose(Context&, View<const std::uint16_t>, View<std::uint16_t>); \
  template void transpose(Context&, View<const std::uint32_t>, View<std::uint32_t>); \
  template void transpose(Context&, View<const std::uint64_t>, View<std::uint64_t>); \
  template void transpose(Context&, View<const Bytes16>, View<Bytes16>);
