// The scans of core/ranks.h for operators and types of your own. Included from a .cu file they serve both
// backends, from a .cpp file the CPU alone.
#pragma once

#include "core/held/own_ranks.h"

namespace scanlens {
inline namespace SCANLENS_OWN_NAMESPACE {

/// As in core/ranks.h, for any ScanOperator (core/operators.h), commutative or not; it may hold values.
template <class In, class Out, class Op = Sum>
requires OwnScan<In, Out, Op>
void inclusive_scan(Ranks& ranks, Parts<const In> in, Parts<Out> out, Op op = {}) {
  scan_own_parts<In, Out, Op>("inclusive_scan", ranks, in, out, true, op);
}
template <class In, class Out, class Op = Sum>
requires OwnScan<In, Out, Op>
void exclusive_scan(Ranks& ranks, Parts<const In> in, Parts<Out> out, Op op = {}) {
  scan_own_parts<In, Out, Op>("exclusive_scan", ranks, in, out, false, op);
}

}  // namespace SCANLENS_OWN_NAMESPACE
}  // namespace scanlens
