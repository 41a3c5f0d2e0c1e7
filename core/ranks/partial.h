// The type of a rank's total while it travels, for each operator.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/operators.h"

namespace scanlens {

template <class Out, class Op>
inline constexpr bool kSumsFloats = std::is_same_v<Op, Sum>&& std::is_same_v<Out, float>;

/// The type of a rank's total. Sums of floats travel as doubles, so that the number of ranks costs no
/// precision; short integers as the longest, which core/reduce.h adds them up in.
template <class In, class Out, class Op>
using PartialOf = std::conditional_t<
    kSumsFloats<Out, Op>, double,
    std::conditional_t<std::is_same_v<Op, Sum> && (sizeof(In) < sizeof(Out)) && std::is_integral_v<In>,
                       std::uint64_t, Out>>;

/// The type of what stands before a rank's first element.
template <class Out, class Op>
using StartOf = std::conditional_t<kSumsFloats<Out, Op>, double, Out>;

}  // namespace scanlens
