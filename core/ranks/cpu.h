// The work of ranks between their exchanges on the CPU. Ranks are simulated there: speed does not matter.
#pragma once

#include "core/ranks/backends.h"
#include "core/scan/backends.h"

namespace scanlens::cpu {

template <class Part, class Result, class Op>
void fold_gathered(Context&, const Part* all, int count, Result* result, Op op) {
  using Value = CombinedIn<Part>;
  Value total = Op::template identity<Value>();
  for (int i = 0; i < count; ++i) total = op(total, static_cast<Value>(all[i]));
  *result = static_cast<Result>(total);
}

template <class In, class Out, class Op>
void continue_scan(Context& context, const In* in, Out* out, std::int64_t n, bool inclusive, Op op,
                   const StartOf<Out, Op>* start) {
  scan(context, in, out, n, scan_form<Op, Out>(inclusive), op);
  for (std::int64_t i = 0; i < n; ++i) {
    if constexpr (kSumsFloats<Out, Op>)
      out[i] = static_cast<Out>(*start + out[i]);
    else
      out[i] = op(*start, out[i]);
  }
}

/// *total = in[0] op … op in[n - 1].
template <class In, class Out, class Op>
void total_in_order(Context&, const In* in, std::int64_t n, Out* total, Op op) {
  Out result = Op::template identity<Out>();
  for (std::int64_t i = 0; i < n; ++i) result = op(result, static_cast<Out>(in[i]));
  *total = result;
}

}  // namespace scanlens::cpu
