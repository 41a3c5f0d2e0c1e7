// Folds the results of ranks into one on CUDA: a few values, by one thread.
#pragma once

#include "core/cuda/launch.cuh"
#include "core/ranks/backends.h"

namespace scanlens::gpu {

template <class Part, class Result, class Op>
__global__ void fold_kernel(const Part* all, int count, Result* result, Op op) {
  let_next_kernel_begin();
  await_previous_kernel();
  using Value = CombinedIn<Part>;
  Value total = Op::template identity<Value>();
#pragma unroll 8
  for (int i = 0; i < count; ++i) total = op(total, static_cast<Value>(all[i]));
  *result = static_cast<Result>(total);
}

template <class Kernel, class... Arguments>
void launch_one(Context& context, Kernel kernel, const Arguments&... arguments) {
  launch_early(context, kernel, Blocks::independent, 1, 1, {}, arguments...);
}

template <class Part, class Result, class Op>
void fold_gathered(Context& context, const Part* all, int count, Result* result, Op op) {
  launch_one(context, fold_kernel<Part, Result, Op>, all, count, result, op);
}

}  // namespace scanlens::gpu
