// The options of a scan, as the backends take them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/half.h"
#include "core/operators.h"
#include "core/scan_kinds.h"
#include "core/view.h"

namespace scanlens {

/// The type in which many values are totalled: sums of floats take double, in which roundings do not matter.
template <class Op, class Value>
using TotalOf = std::conditional_t<std::is_same_v<Op, Sum> && std::is_same_v<Value, float>, double, Value>;

/// The kind of scan and its options, resolved: without an initial value `initial` is the identity.
template <class T>
struct ScanForm {
  T initial;
  const T* initial_at = nullptr;  ///< read instead, if not null
  const std::uint64_t* length = nullptr;
  bool inclusive = true;
  bool reverse = false;
  bool begins = false;  ///< there is an initial value

  /// To be called where the backend's memory can be read.
  SCANLENS_HOST_DEVICE CombinedIn<T> begin() const {
    return static_cast<CombinedIn<T>>(initial_at ? *initial_at : initial);
  }
  /// Returns the number of elements that count, of n; on the CPU. CUDA's kernels read `length` by themselves.
  std::int64_t count_of(std::int64_t n) const {
    return length ? static_cast<std::int64_t>(std::min(*length, static_cast<std::uint64_t>(n))) : n;
  }
};

template <class Op, class T>
ScanForm<T> scan_form(bool inclusive, const ScanOptions<T>& options = {}) {
  const T none = static_cast<T>(Op::template identity<CombinedIn<T>>());
  return {options.initial ? *options.initial : none,
          options.initial_at,
          options.length,
          inclusive,
          options.reverse,
          options.initial || options.initial_at};
}

}  // namespace scanlens
