// Reductions on CUDA, but for moments: one kernel, core/reduce/cuda.cuh, under many folds.
#include "core/reduce/backends.h"
#include "core/reduce/cuda.cuh"

namespace scanlens::gpu {

template <class In, class Out, class Op>
void reduce(Context& context, const In* in, std::int64_t n, Out* result, Op op) {
  constexpr int kLoads =
      sizeof(Out) > sizeof(In) && std::is_floating_point_v<In> ? 4 : 8;  // as the registers allow
  fold_array(context, ArraySource<In, kLoads>{in}, n, make_fold<In, Out>(op), result);
}

template <class T>
void locate_least(Context& context, const T* in, std::int64_t n, Located<T>* result) {
  fold_array(context, ArraySource<T>{in}, n, LocateFold<T, true>{}, result);
}

template <class T>
void locate_greatest(Context& context, const T* in, std::int64_t n, Located<T>* result) {
  fold_array(context, ArraySource<T>{in}, n, LocateFold<T, false>{}, result);
}

#define SCANLENS_INSTANTIATE(In, Out, Op) template void reduce(Context&, const In*, std::int64_t, Out*, Op);
SCANLENS_REDUCTIONS(SCANLENS_INSTANTIATE)
#define SCANLENS_INSTANTIATE_LOCATE(T)                                       \
  template void locate_least(Context&, const T*, std::int64_t, Located<T>*); \
  template void locate_greatest(Context&, const T*, std::int64_t, Located<T>*);
SCANLENS_FOR_EACH_LOCATED_TYPE(SCANLENS_INSTANTIATE_LOCATE)

}  // namespace scanlens::gpu
