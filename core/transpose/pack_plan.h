// Strided arrays as the backends pack them. Plain arithmetic.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "core/context.h"
#include "core/strided.h"

namespace scanlens {

/// True if the elements of neighbouring axes lie as those of one: axis k + 1 fills each step of axis k.
template <class T>
bool is_one_axis(const Strided<T>& array, int k) {
  return array.strides[k] == array.extents[k + 1] * array.strides[k + 1];
}

/// The same array with as few axes as possible, at least one. No extent is 0.
template <class T>
Strided<T> merged(const Strided<T>& array) {
  Strided<T> fewer{array.data, 1, {1}, {1}};
  bool any = false;
  for (int k = 0; k < array.axes; ++k) {
    if (array.extents[k] == 1) continue;
    if (any) ++fewer.axes;
    any = true;
    const int last = fewer.axes - 1;
    fewer.extents[last] = array.extents[k];
    fewer.strides[last] = array.strides[k];
    if (last > 0 && is_one_axis(fewer, last - 1)) {
      fewer.extents[last - 1] *= fewer.extents[last];
      fewer.strides[last - 1] = fewer.strides[last];
      --fewer.axes;
    }
  }
  return fewer;
}

/// The array by elements of another size, `times` as large, if all that lies side by side allows it.
template <class To, class T>
bool widen(const Strided<const T>& array, const T* to, Strided<const To>& wide) {
  constexpr auto kTimes = static_cast<std::int64_t>(sizeof(To) / sizeof(T));
  const int last = array.axes - 1;
  const auto places = reinterpret_cast<std::uintptr_t>(array.data) | reinterpret_cast<std::uintptr_t>(to);
  bool fits = array.strides[last] == 1 && array.extents[last] % kTimes == 0 && places % sizeof(To) == 0;
  for (int k = 0; k < last; ++k) fits = fits && array.strides[k] % kTimes == 0;
  if (!fits) return false;
  wide = {reinterpret_cast<const To*>(array.data), array.axes, array.extents, array.strides};
  wide.extents[last] /= kTimes;
  for (int k = 0; k < last; ++k) wide.strides[k] /= kTimes;
  return true;
}

/// Returns how many elements there are.
template <class T>
std::int64_t count_of(const Strided<T>& array) {
  std::int64_t count = 1;
  for (int k = 0; k < array.axes; ++k) count *= array.extents[k];
  return count;
}

namespace cpu {
template <class Unit>
void pack(Context& context, const Strided<const Unit>& from, Unit* to);
}
namespace gpu {
template <class Unit>
void pack(Context& context, const Strided<const Unit>& from, Unit* to);
}

#define SCANLENS_FOR_EACH_PACKED(X) \
  X(std::uint8_t) X(std::uint16_t) X(std::uint32_t) X(std::uint64_t) X(Bytes16)

}  // namespace scanlens
