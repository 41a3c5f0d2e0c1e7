// Reductions of an array to one value.
#pragma once

#include "core/held/own_reductions.h"
#include "core/moments.h"

namespace scanlens {
inline namespace SCANLENS_OWN_NAMESPACE {

/// result[0] = in[0] op … op in[n - 1]; the identity for an empty array. The operator must be commutative.
/// `in` may be computed (core/computed.h). Types and operators: those of SCANLENS_REDUCTIONS are compiled in
/// the library. All others are compiled here: any commutative ScanOperator (core/operators.h), which may hold
/// values. Out is made from each element by static_cast; both are trivially copyable and have a default
/// constructor. A float sum is off by no more than (24 + log2 n) * epsilon * (|in[0]| + … + |in[n - 1]|);
/// Half and BFloat16 are rounded at the end. Bytes moved and determinism are as in core/moments.h.
template <Readable In, class Out, class Op = Sum>
void reduce(Context& context, const In& in, Out* result, Op op = {}) {
  reduce_by_kind(context, elements_of(in), result, op);
}

}  // namespace SCANLENS_OWN_NAMESPACE
}  // namespace scanlens
