#include "core/reduce/backends.h"
#include "core/reduce/cpu.h"
#include "core/runtime/dispatch.h"

namespace scanlens {
namespace cpu {

template <class In, class Out, class Op>
void reduce(Context& context, const In* in, std::int64_t n, Out* result, Op op) {
  fold_elements(context, std::span(in, static_cast<std::size_t>(n)), make_fold<In, Out>(op), result);
}

template <class T>
void locate_least(Context& context, const T* in, std::int64_t n, Located<T>* result) {
  fold_array(context, ArraySource<T>{in}, n, PlaceFold<T, true>{{}, in}, result);
}

template <class T>
void locate_greatest(Context& context, const T* in, std::int64_t n, Located<T>* result) {
  fold_array(context, ArraySource<T>{in}, n, PlaceFold<T, false>{{}, in}, result);
}

#define SCANLENS_INSTANTIATE(In, Out, Op) template void reduce(Context&, const In*, std::int64_t, Out*, Op);
SCANLENS_REDUCTIONS(SCANLENS_INSTANTIATE)
#define SCANLENS_INSTANTIATE_LOCATE(T)                                       \
  template void locate_least(Context&, const T*, std::int64_t, Located<T>*); \
  template void locate_greatest(Context&, const T*, std::int64_t, Located<T>*);
SCANLENS_FOR_EACH_LOCATED_TYPE(SCANLENS_INSTANTIATE_LOCATE)

}  // namespace cpu

template <class In, class Out, class Op>
void compiled::reduce(Context& context, std::span<const In> in, Out* result, Op op) {
  const std::int64_t n = checked_length("reduce", in, result);
  SCANLENS_DISPATCH(context, reduce, in.data(), n, result, op);
}

template <class T>
void compiled::argmin(Context& context, std::span<const T> in, Located<T>* result) {
  const std::int64_t n = checked_length("argmin", in, result);
  SCANLENS_DISPATCH(context, locate_least, in.data(), n, result);
}

template <class T>
void compiled::argmax(Context& context, std::span<const T> in, Located<T>* result) {
  const std::int64_t n = checked_length("argmax", in, result);
  SCANLENS_DISPATCH(context, locate_greatest, in.data(), n, result);
}

#define SCANLENS_INSTANTIATE_CALL(In, Out, Op) \
  template void compiled::reduce(Context&, std::span<const In>, Out*, Op);
SCANLENS_REDUCTIONS(SCANLENS_INSTANTIATE_CALL)
#define SCANLENS_INSTANTIATE_LOCATE_CALL(T)                                  \
  template void compiled::argmin(Context&, std::span<const T>, Located<T>*); \
  template void compiled::argmax(Context&, std::span<const T>, Located<T>*);
SCANLENS_FOR_EACH_LOCATED_TYPE(SCANLENS_INSTANTIATE_LOCATE_CALL)

}  // namespace scanlens
