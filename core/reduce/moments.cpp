#include "core/moments.h"

#include <tbb/parallel_for.h>

#include "core/cpu/interruption.h"
#include "core/reduce/backends.h"
#include "core/reduce/cpu.h"
#include "core/reduce/folds_moments.h"
#include "core/runtime/dispatch.h"

namespace scanlens {

void require_reducible(const char* call, const ArrayArgument& in, const ArrayArgument& result) {
  require_same_length(call, in, in);
  require_same_length(call, result, result);
  require_apart(call, in, result);
}

namespace cpu {

void for_each_index(std::int64_t count, void (*body)(const void* object, std::int64_t i),
                    const void* object) {
  if (count == 1) return body(object, 0);  // not worth another thread
  tbb::parallel_for(std::int64_t{0}, count, [=](std::int64_t i) {
    Interruption::poll();
    body(object, i);
  });
}

template <class T>
void moments(Context& context, const T* in, std::int64_t n, Moments* result) {
  fold_array(context, ArraySource<T>{in}, n, MomentsFoldOf<T>{}, result);
}

#define SCANLENS_INSTANTIATE(T) template void moments(Context&, const T*, std::int64_t, Moments*);
SCANLENS_FOR_EACH_MOMENTS_TYPE(SCANLENS_INSTANTIATE)

}  // namespace cpu

template <class T>
void compiled::moments(Context& context, std::span<const T> in, Moments* result) {
  const std::int64_t n = checked_length("moments", in, result);
  SCANLENS_DISPATCH(context, moments, in.data(), n, result);
}

#define SCANLENS_INSTANTIATE_CALL(T) template void compiled::moments(Context&, std::span<const T>, Moments*);
SCANLENS_FOR_EACH_MOMENTS_TYPE(SCANLENS_INSTANTIATE_CALL)

}  // namespace scanlens
