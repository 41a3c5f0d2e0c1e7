// The scans of core/ranks.h for operators and types of your own. Included from a .cu file they serve both
// backends, from a .cpp file the CPU alone.
#pragma once

#include "core/ranks.h"
#include "core/ranks/cpu.h"
#include "core/ranks/group.h"
#include "core/ranks/scan_parts.h"
#include "core/scan.h"
#if defined(__CUDACC__)
#include "core/ranks/folds.cuh"
#include "core/ranks/scan.cuh"
#endif

namespace scanlens {
inline namespace SCANLENS_OWN_NAMESPACE {

template <class In, class Out, class Op>
void scan_own_parts(const char* call, Ranks& ranks, Parts<const In> in, Parts<Out> out, bool inclusive,
                    Op op) {
  Ranks::Impl& impl = ranks.impl();
  require_parts(impl, call, in.size(), "in");
  require_parts(impl, call, out.size(), "out");
  for (std::size_t i = 0; i < in.size(); ++i) require_scannable(call, {"in", in[i]}, {"out", out[i]});
  require_agreement(impl, call, names_of_types<In, Out, Op>());
  const auto fold = [&](Context& context, const Out* all, int count, Out* result) {
    SCANLENS_DISPATCH_OWN("a scan over ranks", context, fold_gathered, all, count, result, op);
  };
  scan_parts<Out, Out, In, Out>(
      impl, in, out,
      [&](Context& context, std::span<const In> part, Out* total) {
        if (part.empty()) return fold(context, nullptr, 0, total);
        SCANLENS_DISPATCH_OWN("a scan over ranks", context, total_in_order, part.data(), std::ssize(part),
                              total, op);
      },
      fold,
      [&](Context& context, std::span<const In> from, std::span<Out> to, const Out* start) {
        SCANLENS_DISPATCH_OWN("a scan over ranks", context, continue_scan, from.data(), to.data(),
                              std::ssize(from), inclusive, op, start);
      });
}

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
