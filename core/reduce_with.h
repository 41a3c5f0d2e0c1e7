// reduce() of core/reduce.h under operators and of types of your own.
//
// Included from a .cu file it serves both backends; from a .cpp file the CPU alone, and a CUDA context is an
// error.
#pragma once

#include <span>
#include <type_traits>

#include "core/error.h"
#include "core/reduce/backends.h"
#include "core/reduce/cpu.h"
#if defined(__CUDACC__)
#include "core/reduce/cuda.cuh"
#endif

namespace scanlens {

// A program may reduce the same types under the same operator in both kinds of file. The names below make
// that two functions, instead of one of which the linker keeps the copy it likes.
#if defined(__CUDACC__)
inline namespace for_both_backends {
#else
inline namespace for_the_cpu {
#endif

/// For any commutative ScanOperator (core/operators.h); it may hold values. Out is made from each element by
/// static_cast. In and Out are trivially copyable and have a default constructor.
template <class In, class Out, class Op>
requires(ScanOperator<Op, Out> && !kReducesInLibrary<In, Out, Op>) void reduce(Context& context,
                                                                               std::span<const In> in,
                                                                               Out* result, Op op = {}) {
  static_assert(std::is_trivially_copyable_v<In>);
  require_reducible("reduce", {"in", in}, {"result", std::span<Out>(result, 1)});
  const auto n = static_cast<std::int64_t>(in.size());
  const auto fold = make_fold<In, Out>(op);
  if (!context.on_cuda()) return cpu::fold_array(context, cpu::ArraySource<In>{in.data()}, n, fold, result);
#if defined(__CUDACC__)
  const gpu::DeviceGuard device(context);
  gpu::fold_array(context, gpu::ArraySource<In>{in.data()}, n, fold, result);
#else
  throw Error(ErrorKind::usage,
              "reduce: an operator of your own was compiled without nvcc and runs on the CPU only; call it "
              "from a .cu "
              "file");
#endif
}

}  // namespace for_both_backends or for_the_cpu
}  // namespace scanlens
