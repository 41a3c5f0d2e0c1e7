// Scans over ranks of any kind, compiled where they are called.
#pragma once

#include <cstddef>
#include <span>

#include "core/held/own_scans.h"
#include "core/ranks.h"
#include "core/ranks/cpu.h"
#include "core/ranks/group.h"
#include "core/ranks/scan_parts.h"
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

}  // namespace SCANLENS_OWN_NAMESPACE
}  // namespace scanlens
