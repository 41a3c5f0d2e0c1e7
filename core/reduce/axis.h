// Reductions along an axis on the CPU.
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/moments.h"
#include "core/scan_axis.h"

namespace scanlens::cpu {

/// out[o][i] = in[o][0][i] op … op in[o][length - 1][i]; the identity where the axis is empty. Types and
/// operators: those of SCANLENS_AXIS_REDUCTIONS. The shape alone decides how operands pair up.
template <class In, class Out, class Op>
void reduce_axis(Context& context, const In* in, const Axis& axis, Out* out, Op op);

/// places[o][i] = the first k at which in[o][k][i] is the least, or the greatest, of its line; NaN comes
/// before all. The axis is not empty. Types: integers, float, double.
template <class T, bool kLeast>
void locate_axis(Context& context, const T* in, const Axis& axis, std::int64_t* places);

/// X(In, Out, Op)
#define SCANLENS_AXIS_REDUCTIONS(X)  \
  SCANLENS_REDUCTIONS(X)             \
  SCANLENS_EXTREMES(X, std::uint8_t) \
  SCANLENS_EXTREMES(X, std::int8_t) SCANLENS_EXTREMES(X, std::uint16_t) SCANLENS_EXTREMES(X, std::int16_t)

}  // namespace scanlens::cpu
