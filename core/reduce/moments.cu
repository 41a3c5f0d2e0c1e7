// Moments on CUDA.
#include "core/reduce/backends.h"
#include "core/reduce/cuda.cuh"
#include "core/reduce/folds_moments.h"

namespace scanlens::gpu {

template <class T>
void moments(Context& context, const T* in, std::int64_t n, Moments* result) {
  constexpr int kBatch =
      sizeof(T) == 8 ? 8 : 4;  // 16 elements: fewer wait for one another, more are no faster
  fold_array(context, ArraySource<T, 8, kBatch>{in}, n, MomentsFoldOf<T>{}, result);
}

#define SCANLENS_INSTANTIATE(T) template void moments(Context&, const T*, std::int64_t, Moments*);
SCANLENS_FOR_EACH_MOMENTS_TYPE(SCANLENS_INSTANTIATE)

}  // namespace scanlens::gpu
