// A Compare (core/compact.h) as a range of values: two instructions per element, whatever the relation, where
// the Compare itself takes eight.
#pragma once

#include <limits>
#include <type_traits>

#include "core/held/compactions.h"

namespace scanlens {

/// Keeps the integers from `least` on, `span` + 1 of them; or, if `outside`, all others.
template <class T, bool = std::is_integral_v<T>>
struct CompareRange {
  using Unsigned = std::make_unsigned_t<T>;
  Unsigned least = 0, span = 0;
  bool outside = false;

  /// U: T, or the signed integer of its size.
  template <class U>
  explicit CompareRange(const Compare<U>& compare) {
    static_assert(std::is_same_v<std::make_unsigned_t<U>, Unsigned>);
    constexpr auto kMin = static_cast<Unsigned>(std::numeric_limits<U>::min());
    constexpr auto kMax = static_cast<Unsigned>(std::numeric_limits<U>::max());
    const auto bound = static_cast<Unsigned>(compare.bound);
    const unsigned kept = compare.relation & (Compare<U>::less | Compare<U>::equal | Compare<U>::greater);
    // Half of the relations are the other half's complements. Integers are never unordered.
    outside = (kept & Compare<U>::equal) == 0;
    const unsigned inside = outside ? ~kept : kept;
    least = (inside & Compare<U>::less) != 0 ? kMin : bound;
    span = static_cast<Unsigned>(((inside & Compare<U>::greater) != 0 ? kMax : bound) - least);
  }
  SCANLENS_HOST_DEVICE bool contains(T value) const {
    return static_cast<Unsigned>(static_cast<Unsigned>(value) - least) <= span;
  }
};

/// Keeps the numbers from `least` to `greatest`, and NaN if `nan`; or, if `outside`, all others.
template <class T>
struct CompareRange<T, false> {
  T least = 0, greatest = 0;
  bool nan = false, outside = false;

  explicit CompareRange(const Compare<T>& compare) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    const unsigned relation = compare.relation;
    outside = (relation & Compare<T>::equal) == 0;
    const unsigned inside = outside ? ~relation : relation;
    least = (inside & Compare<T>::less) != 0 ? -kInfinity : compare.bound;
    greatest = (inside & Compare<T>::greater) != 0 ? kInfinity : compare.bound;
    nan = (inside & Compare<T>::unordered) != 0;
    if (compare.bound != compare.bound) {  // everything is unordered
      outside = (relation & Compare<T>::unordered) != 0;
      least = greatest = compare.bound;
      nan = false;
    }
  }
  SCANLENS_HOST_DEVICE bool contains(T value) const {
    return (value >= least && value <= greatest) || (nan && value != value);
  }
};

}  // namespace scanlens
