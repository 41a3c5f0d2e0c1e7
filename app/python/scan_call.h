// Parameters that calls of scans take from Python: numbers, and an axis of an array in whatever order it
// lies.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/python/arrays.h"
#include "core/log_sum_exp.h"
#include "core/scan_axis.h"

namespace scanlens::python {

/// The operator of a call.
enum class Kind { sum, product, least, greatest, log_sum };
template <class Op>
inline constexpr Kind kKindOf = Kind::sum;
template <>
inline constexpr Kind kKindOf<Product> = Kind::product;
template <>
inline constexpr Kind kKindOf<Min> = Kind::least;
template <>
inline constexpr Kind kKindOf<Max> = Kind::greatest;
template <>
inline constexpr Kind kKindOf<LogSumExp> = Kind::log_sum;

/// The types by which the library holds a call: sums and products go by the unsigned types of the same bits.
std::pair<Type, Type> types_of(Kind kind, Type from, Type to);

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

/// The type holds the number, which Python has checked.
Number number_of(nb::handle object, Type type);

/// An axis, and the order of all axes by which memory goes on.
struct AxisInOrder {
  std::vector<int> order;
  Axis axis;
};

/// The axis of an array in C order; all axes joined where it is below 0.
Axis axis_of(const In& in, int axis);

/// The axis of a result. Throws ValueError where `in` has another shape, BufferError where the result is not
/// dense.
AxisInOrder axis_in_order(const In& in, const Out& out, int axis);

/// Throws as axis_in_order(), where another array of the call does not lie as the result does.
void require_same_order(const Out& other, const Out& out, const AxisInOrder& in_order);

}  // namespace scanlens::python
