// Arrays of any strides, and how to make them dense.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include "core/array.h"
#include "core/context.h"
#include "core/transpose.h"

namespace scanlens {

/// Element (i, j, …) lies at data[i * strides[0] + j * strides[1] + …]. Strides count elements; they may be
/// negative, or 0 where one element stands for many.
template <class T>
struct Strided {
  static constexpr int kMostAxes = 8;

  T* data = nullptr;
  int axes = 0;
  std::array<std::int64_t, kMostAxes> extents = {};
  std::array<std::int64_t, kMostAxes> strides = {};
};

namespace compiled {
template <class Unit>
void pack(Context& context, const Strided<const Unit>& from, std::span<Unit> to);
}

/// to = the elements of `from`, dense, the last axis fastest (C order).
///
/// Shapes: 0 to 8 axes of any extents; without axes it is one element. `to` has as many elements.
/// Types: trivially copyable ones of 1, 2, 4, 8 or 16 bytes, on a boundary of their size. Bytes moved: each
/// element is read once and written once, whichever axis lies dense in memory.
template <class T>
void pack(Context& context, const Strided<T>& from, std::span<std::remove_const_t<T>> to) {
  using Unit = TransposeUnit<std::remove_const_t<T>>;
  require_boundary<Unit>("pack", "from", from.data);
  require_boundary<Unit>("pack", "to", to.data());
  compiled::pack<Unit>(context,
                       {reinterpret_cast<const Unit*>(from.data), from.axes, from.extents, from.strides},
                       elements_as<Unit>(to));
}

}  // namespace scanlens
