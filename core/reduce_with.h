// reduce() of core/reduce.h under operators and of types of your own.
//
// Included from a .cu file it serves both backends; from a .cpp file the CPU alone, and a CUDA context is an
// error.
#pragma once

#include <span>
#include <type_traits>

#include "core/reduce/backends.h"
#include "core/reduce/cpu.h"
#include "core/runtime/dispatch_own.h"
#if defined(__CUDACC__)
#include "core/reduce/cuda.cuh"
#endif

namespace scanlens {
inline namespace SCANLENS_OWN_NAMESPACE {

/// Types and operators that the library does not hold compiled. core/reduce.h serves all others.
template <class In, class Out, class Op>
concept OwnReduction =
    ScanOperator<Op, Out> && std::is_trivially_copyable_v<In> && !ReduceInLibrary<In, Out, Op>;

/// As in core/reduce.h, for any commutative ScanOperator (core/operators.h); it may hold values. Out is made
/// from each element by static_cast. In and Out are trivially copyable and have a default constructor.
template <class In, class Out, class Op = Sum>
requires OwnReduction<In, Out, Op>
void reduce(Context& context, std::span<const In> in, Out* result, Op op = {}) {
  require_reducible("reduce", {"in", in}, {"result", std::span<Out>(result, 1)});
  const auto fold = make_fold<In, Out>(op);
  SCANLENS_DISPATCH_OWN("reduce", context, fold_elements, in, fold, result);
}

template <ContiguousArray In, class Out, class Op = Sum>
requires OwnReduction<ElementOf<In>, Out, Op>
void reduce(Context& context, const In& in, Out* result, Op op = {}) {
  reduce<ElementOf<In>, Out, Op>(context, in, result, op);
}

}  // namespace SCANLENS_OWN_NAMESPACE
}  // namespace scanlens
