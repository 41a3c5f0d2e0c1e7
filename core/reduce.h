// Reductions of an array to one value.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "core/moments.h"
#include "core/reduce/backends.h"
#include "core/reduce/cpu.h"
#include "core/runtime/dispatch_own.h"
#if defined(__CUDACC__)
#include "core/reduce/cuda.cuh"
#endif

namespace scanlens {
inline namespace SCANLENS_OWN_NAMESPACE {

/// result[0] = in[0] op … op in[n - 1]; the identity for an empty array. The operator must be commutative.
/// Types and operators: those of SCANLENS_REDUCTIONS are compiled in the library. All others are compiled
/// here, in a .cu file for both backends and elsewhere for the CPU alone: any commutative ScanOperator
/// (core/operators.h), which may hold values. Out is made from each element by static_cast; both are
/// trivially copyable and have a default constructor. Integers wrap around. A float sum is off by no more
/// than (24 + log2 n) * epsilon * (|in[0]| + … + |in[n - 1]|); Half and BFloat16 are added in float, and
/// rounded at the end. Memory, lengths, bytes moved and determinism are as in core/moments.h.
template <ContiguousArray In, class Out, class Op = Sum>
void reduce(Context& context, const In& in, Out* result, Op op = {}) {
  using T = ElementOf<In>;
  const std::span<const T> from(in);
  if constexpr (ReduceInLibrary<T, Out, Op>) {
    using As = SameBits<Out, Op>;
    compiled::reduce(context, elements_as<compiled::ReducedIn<T, Out, Op>>(from),
                     reinterpret_cast<As*>(result), op);
  } else if constexpr (!ScanOperator<Op, Out> || !std::is_trivially_copyable_v<T>) {
    static_assert(std::is_trivially_copyable_v<T>, "reduce: elements have to be trivially copyable");
    static_assert(Combines<Op, Out>, SCANLENS_DOES_NOT_COMBINE);
    static_assert(HasIdentity<Op, Out>, SCANLENS_NEEDS_IDENTITY);
  } else {
    require_reducible("reduce", {"in", from}, {"result", std::span<Out>(result, 1)});
    const auto fold = make_fold<T, Out>(op);
    SCANLENS_DISPATCH_OWN("reduce", context, fold_elements, from, fold, result);
  }
}

}  // namespace SCANLENS_OWN_NAMESPACE
}  // namespace scanlens
