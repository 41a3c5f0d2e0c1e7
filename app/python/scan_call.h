// Parameters that calls of scans take from Python: numbers, and an axis of an array in whatever order it
// lies.
#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include "app/python/arrays.h"
#include "core/scan_rows.h"

namespace scanlens::python {

/// A number of Python's, for whatever type the call is of.
struct Number {
  bool given = false;
  double real = 0;
  std::uint64_t whole = 0;

  template <class T>
  std::optional<T> as() const {
    if (!given) return {};
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(whole);
    else if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(real);
    else
      return T(static_cast<float>(real));
  }
};

bool is_real(Type type);

/// Throws TypeError or OverflowError if the type does not hold the number.
Number number_of(nb::handle object, Type type);

/// An axis, and the order of all axes by which memory goes on.
struct AxisInOrder {
  std::vector<int> order;
  Axis axis;
};

/// The axis of a result. Throws ValueError where `in` has another shape, BufferError where the result is not
/// dense.
AxisInOrder axis_in_order(const In& in, const Out& out, int axis);

/// Throws as axis_in_order(), where another array of the call does not lie as the result does.
void require_same_order(const Out& other, const Out& out, const AxisInOrder& in_order);

}  // namespace scanlens::python
