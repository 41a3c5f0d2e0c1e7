// The operators of scans and reductions, and the predicates of compactions, by name. An operator of your own
// is a type of the same shape.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/view.h"

namespace scanlens {

/// The operator of a scan or a reduction combines two values. It is associative: op(a, op(b, c)) == op(op(a,
/// b), c). It has a neutral element: op(identity, a) == op(a, identity) == a. It need not be commutative,
/// except for core/reduce.h: scans combine operands in the order of the array. On CUDA both functions have to
/// be __host__ __device__ (SCANLENS_HOST_DEVICE). T is trivially copyable. A lambda, std::plus<> and
/// cuda::std::plus<> become operators by with_identity.
template <class Op, class T>
concept Combines = std::is_trivially_copyable_v<T> && requires(const Op op, const T a, const T b) {
  { op(a, b) } -> std::convertible_to<T>;
};
template <class Op, class T>
concept HasIdentity = requires {
  { Op::template identity<T>() } -> std::convertible_to<T>;
};
template <class Op, class T>
concept ScanOperator = Combines<Op, T> && HasIdentity<Op, T>;

// Messages about operators that do not serve.
#define SCANLENS_DOES_NOT_COMBINE                                                                           \
  "the operator does not combine two elements of this trivially copyable type; give it `T operator()(T a, " \
  "T b) const`"
#define SCANLENS_NEEDS_IDENTITY                                                             \
  "the operator has no identity(); write with_identity<0>(op), or give it the four lines: " \
  "template <class T>  SCANLENS_HOST_DEVICE static T identity() {  return T{0};  }"

/// An operator whose neutral element is stated: with_identity<1>([](float a, float b) { return a * b; }).
template <auto kNeutral, class Op>
struct WithIdentity {
  Op op;

  template <class T>
  SCANLENS_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return static_cast<T>(op(a, b));
  }
  template <class T>
  SCANLENS_HOST_DEVICE static constexpr T identity() {
    return static_cast<T>(kNeutral);
  }
};
template <auto kNeutral, class Op>
constexpr WithIdentity<kNeutral, Op> with_identity(Op op) {
  return {op};
}

/// Integers wrap around, signed ones too.
struct Sum {
  template <class T>
  SCANLENS_HOST_DEVICE constexpr T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(1u * std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
    else
      return a + b;
  }
  template <class T>
  SCANLENS_HOST_DEVICE static constexpr T identity() {
    return T{0};
  }
};

struct Product {
  template <class T>
  SCANLENS_HOST_DEVICE constexpr T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(1u * std::make_unsigned_t<T>(a) * std::make_unsigned_t<T>(b));
    else
      return a * b;
  }
  template <class T>
  SCANLENS_HOST_DEVICE static constexpr T identity() {
    return T{1};
  }
};

/// The type that stands for T under Op, with the same bits: sums and products of int32_t are those of
/// uint32_t, and those of int64_t of uint64_t.
template <class T, class Op>
using SameBits = std::conditional_t<
    std::is_same_v<Op, Sum> || std::is_same_v<Op, Product>,
    std::conditional_t<std::is_same_v<T, std::int32_t>, std::uint32_t,
                       std::conditional_t<std::is_same_v<T, std::int64_t>, std::uint64_t, T>>,
    T>;

/// The greatest and the least value of a type: constants, because device code cannot call the functions of
/// std::numeric_limits without a flag of nvcc's.
template <class T>
inline constexpr T kGreatestOf = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                                      : std::numeric_limits<T>::max();
template <class T>
inline constexpr T kLeastOf = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                   : std::numeric_limits<T>::lowest();

/// The least of two values. NaN stays wherever it stands, as IEEE 754's minimum has it.
struct Min {
  template <class T>
  SCANLENS_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return b < a || b != b ? b : a;
  }
  template <class T>
  SCANLENS_HOST_DEVICE static constexpr T identity() {
    return kGreatestOf<T>;
  }
};

struct Max {
  template <class T>
  SCANLENS_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return a < b || b != b ? b : a;
  }
  template <class T>
  SCANLENS_HOST_DEVICE static constexpr T identity() {
    return kLeastOf<T>;
  }
};

/// The least and the greatest number: NaN is passed over, and an array of nothing else comes to the identity.
struct MinNumber : Min {
  template <class T>
  SCANLENS_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return b < a || a != a ? b : a;
  }
};
struct MaxNumber : Max {
  template <class T>
  SCANLENS_HOST_DEVICE constexpr T operator()(T a, T b) const {
    return a < b || a != a ? b : a;
  }
};

/// A predicate by name: value `relation` bound. As everywhere, NaN is not_equal to all and nothing else.
template <class T>
struct Compare {
  /// A bit for each way in which two values can stand to each other, so that no element needs a branch.
  enum Relation : std::uint8_t {
    less = 1,
    equal = 2,
    greater = 4,
    unordered = 8,
    less_equal = less | equal,
    greater_equal = greater | equal,
    not_equal = less | greater | unordered,
  };
  Relation relation;
  T bound;

  SCANLENS_HOST_DEVICE bool operator()(T value) const {
    const unsigned stands = (value < bound ? unsigned{less} : 0) | (value == bound ? unsigned{equal} : 0) |
                            (value > bound ? unsigned{greater} : 0);
    return (relation & (stands != 0 ? stands : unsigned{unordered})) != 0;
  }
};

}  // namespace scanlens
