#include "core/reduce/cpu.h"

#include <tbb/parallel_for.h>

#include "core/reduce/backends.h"
#include "core/reduce/folds_moments.h"

namespace scanlens::cpu {

void for_each_index(std::int64_t count, void (*body)(const void* object, std::int64_t i),
                    const void* object) {
  if (count == 1) return body(object, 0);  // not worth another thread
  tbb::parallel_for(std::int64_t{0}, count, [=](std::int64_t i) { body(object, i); });
}

template <class In, class Out, class Op>
void reduce(Context& context, const In* in, std::int64_t n, Out* result, Op op) {
  fold_array(context, ArraySource<In>{in}, n, make_fold<In, Out>(op), result);
}

template <class T>
void locate_least(Context& context, const T* in, std::int64_t n, Located<T>* result) {
  fold_array(context, ArraySource<T>{in}, n, LocateFold<T, true>{}, result);
}

template <class T>
void locate_greatest(Context& context, const T* in, std::int64_t n, Located<T>* result) {
  fold_array(context, ArraySource<T>{in}, n, LocateFold<T, false>{}, result);
}

template <class T>
void moments(Context& context, const T* in, std::int64_t n, Moments* result) {
  fold_array(context, ArraySource<T>{in}, n, MomentsFoldOf<T>{}, result);
}

#define SCANLENS_INSTANTIATE_REDUCE(In, Out, Op) \
  template void reduce(Context&, const In*, std::int64_t, Out*, Op);
#define SCANLENS_INSTANTIATE_LOCATE(T)                                       \
  template void locate_least(Context&, const T*, std::int64_t, Located<T>*); \
  template void locate_greatest(Context&, const T*, std::int64_t, Located<T>*);
#define SCANLENS_INSTANTIATE_MOMENTS(T) template void moments(Context&, const T*, std::int64_t, Moments*);
SCANLENS_FOR_EACH_REDUCTION(SCANLENS_INSTANTIATE_REDUCE)
SCANLENS_FOR_EACH_LOCATED_TYPE(SCANLENS_INSTANTIATE_LOCATE)
SCANLENS_FOR_EACH_MOMENTS_TYPE(SCANLENS_INSTANTIATE_MOMENTS)

}  // namespace scanlens::cpu
