// The folds of the library's types on CUDA.
#include "core/ranks/folds.cuh"
#include "core/ranks/folds.h"
#include "core/reduce/backends.h"

namespace scanlens::gpu {
namespace {

template <class T, bool kLeast>
__global__ void located_kernel(const LocatedPart<T>* all, int count, Located<T>* result) {
  let_next_kernel_begin();
  await_previous_kernel();
  *result = located_of_all<T, kLeast>(all, count);
}

__global__ void moments_kernel(const Moments* all, int count, Moments* result) {
  let_next_kernel_begin();
  await_previous_kernel();
  *result = moments_of_all(all, count);
}

__global__ void add_rows_kernel(const std::uint64_t* all, int count, std::int64_t width,
                                std::uint64_t* result) {
  let_next_kernel_begin();
  await_previous_kernel();
  const std::int64_t x = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (x >= width) return;
  std::uint64_t sum = 0;
  for (int i = 0; i < count; ++i) sum += all[i * width + x];
  result[x] = sum;
}

__global__ void set_count_kernel(std::uint64_t* where, std::uint64_t count) {
  let_next_kernel_begin();
  await_previous_kernel();
  *where = count;
}

}  // namespace

template <class T, bool kLeast>
void fold_located(Context& context, const LocatedPart<T>* all, int count, Located<T>* result) {
  launch_one(context, located_kernel<T, kLeast>, all, count, result);
}

void fold_moments(Context& context, const Moments* all, int count, Moments* result) {
  launch_one(context, moments_kernel, all, count, result);
}

void add_rows(Context& context, const std::uint64_t* all, int count, std::int64_t width,
              std::uint64_t* result) {
  constexpr int kThreads = 256;
  launch_early(context, add_rows_kernel, Blocks::independent,
               static_cast<unsigned>((width + kThreads - 1) / kThreads), kThreads, {}, all, count, width,
               result);
}

void set_count(Context& context, std::uint64_t* where, std::uint64_t count) {
  launch_one(context, set_count_kernel, where, count);
}

#define SCANLENS_INSTANTIATE_FOLD(Part, Result, Op) \
  template void fold_gathered(Context&, const Part*, int, Result*, Op);
SCANLENS_FOR_EACH_RANK_FOLD(SCANLENS_INSTANTIATE_FOLD)
#define SCANLENS_INSTANTIATE_LOCATED(T)                                                   \
  template void fold_located<T, true>(Context&, const LocatedPart<T>*, int, Located<T>*); \
  template void fold_located<T, false>(Context&, const LocatedPart<T>*, int, Located<T>*);
SCANLENS_FOR_EACH_LOCATED_TYPE(SCANLENS_INSTANTIATE_LOCATED)

}  // namespace scanlens::gpu
