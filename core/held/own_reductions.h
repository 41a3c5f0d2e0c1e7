// Reductions of any kind: the library's, or compiled where they are called.
#pragma once

#include <span>
#include <type_traits>

#include "core/computed.h"
#include "core/held/reductions.h"
#include "core/reduce/backends.h"
#include "core/reduce/cpu.h"
#include "core/runtime/dispatch_own.h"
#if defined(__CUDACC__)
#include "core/moves/computed.cuh"
#include "core/reduce/cuda.cuh"
#endif

#if defined(__CUDACC__)
namespace scanlens::gpu {
template <class At, class Fold>
void fold_computed(Context& context, const Computed<At>& in, const Fold& fold,
                   typename Fold::Result* result) {
  Workspace workspace(context);
  fold_array(context, ArraySource<ValueOf<Computed<At>>>{compute_elements(workspace, context, in)}, in.count,
             fold, result);
}
}  // namespace scanlens::gpu
#endif

namespace scanlens {
inline namespace SCANLENS_OWN_NAMESPACE {

template <class T, class Out, class Op>
constexpr void check_reduction() {
  static_assert(std::is_trivially_copyable_v<T>, "reduce: elements have to be trivially copyable");
  static_assert(Combines<Op, Out>, SCANLENS_DOES_NOT_COMBINE);
  static_assert(HasIdentity<Op, Out>, SCANLENS_NEEDS_IDENTITY);
}

template <class T, class Out, class Op>
void reduce_by_kind(Context& context, std::span<const T> in, Out* result, Op op) {
  if constexpr (ReduceInLibrary<T, Out, Op>) {
    using As = SameBits<Out, Op>;
    compiled::reduce(context, elements_as<compiled::ReducedIn<T, Out, Op>>(in), reinterpret_cast<As*>(result),
                     op);
  } else if constexpr (!ScanOperator<Op, Out> || !std::is_trivially_copyable_v<T>) {
    check_reduction<T, Out, Op>();
  } else {
    require_reducible("reduce", {"in", in}, {"result", std::span<Out>(result, 1)});
    const auto fold = make_fold<T, Out>(op);
    SCANLENS_DISPATCH_OWN("reduce", context, fold_elements, in, fold, result);
  }
}

/// The same of computed elements.
template <class At, class Out, class Op>
void reduce_by_kind(Context& context, const Computed<At>& in, Out* result, Op op) {
  using T = ValueOf<Computed<At>>;
  if constexpr (!ScanOperator<Op, Out> || !std::is_trivially_copyable_v<T>) {
    check_reduction<T, Out, Op>();
  } else {
    require_reducible("reduce", {"in", in.count}, {"result", std::span<Out>(result, 1)});
    const auto fold = make_fold<T, Out>(op);
    SCANLENS_DISPATCH_OWN("reduce", context, fold_computed, in, fold, result);
  }
}

}  // namespace SCANLENS_OWN_NAMESPACE
}  // namespace scanlens
