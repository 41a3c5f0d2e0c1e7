// Matrix transposition.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "core/array.h"
#include "core/context.h"
#include "core/error.h"
#include "core/view.h"

namespace scanlens {

/// 16 bytes moved as one.
struct alignas(16) Bytes16 {
  std::uint64_t words[2];
};

namespace compiled {
template <class T>
void transpose(Context& context, View<const T> in, View<T> out);
}

/// out(y, x) = in(x, y).
///
/// Shapes: one channel; `out` is as wide as `in` is high and as high as `in` is wide; any size and pitch.
/// Elements: uint8_t, uint16_t, uint32_t, uint64_t, Bytes16; transpose_any below takes any other
/// trivially copyable type of 1, 2, 4, 8 or 16 bytes.
/// Aliasing: `out` may be `in` itself when it is square; any other overlap is an error.
/// Bytes moved: each element is read once and written once.
/// Source: Ruetsch and Micikevicius, "Optimizing Matrix Transpose in CUDA", 2009; GPU Gems 3, section 39.3.2.
template <class T>
void transpose(Context& context, ConstView<T> in, View<T> out) {
  static_assert(kOneOf<T, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, Bytes16>,
                "transpose: not of the types that core/transpose.h names; transpose_any takes others");
  compiled::transpose<T>(context, in, out);
}

/// The type of the same size, which transposes alike.
template <class T>
requires(std::is_trivially_copyable_v<T> &&
         (sizeof(T) == 16 || sizeof(T) == sizeof(UnsignedOf<sizeof(T)>))) using TransposeUnit =
    std::conditional_t<sizeof(T) == 16, Bytes16, UnsignedOf<sizeof(T)>>;

/// Throws Error (usage) where elements do not begin on the boundary of the unit that they move as.
template <class Unit>
void require_boundary(const char* call, const char* argument, const void* data) {
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(Unit) != 0)
    throw Error(ErrorKind::usage, std::string(call) + ": `" + argument +
                                      "` does not begin on a boundary of its elements' size");
}

/// transpose for all other types: float, int32_t, a pixel of four floats. They begin on a boundary of their
/// size.
template <class T>
void transpose_any(Context& context, ConstView<T> in, View<T> out) {
  using Unit = TransposeUnit<T>;
  require_boundary<Unit>("transpose_any", "in", in.data);
  require_boundary<Unit>("transpose_any", "out", out.data);
  transpose<Unit>(context, in.template as<const Unit>(), out.template as<Unit>());
}

}  // namespace scanlens
