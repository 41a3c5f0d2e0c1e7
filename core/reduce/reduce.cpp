#include "core/reduce.h"

#include <string>

#include "core/error.h"
#include "core/reduce/backends.h"
#include "core/runtime/dispatch.h"

namespace scanlens {

void require_reducible(const char* call, const ArrayArgument& in, const ArrayArgument& result) {
  require_same_length(call, in, in);
  require_same_length(call, result, result);
  require_apart(call, in, result);
}

namespace {
template <class T, class Result>
std::int64_t checked_length(const char* call, std::span<const T> in, Result* result) {
  require_reducible(call, {"in", in}, {"result", std::span<Result>(result, 1)});
  return static_cast<std::int64_t>(in.size());
}
}  // namespace

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

template <class T>
void compiled::moments(Context& context, std::span<const T> in, Moments* result) {
  const std::int64_t n = checked_length("moments", in, result);
  SCANLENS_DISPATCH(context, moments, in.data(), n, result);
}

#define SCANLENS_INSTANTIATE_REDUCE(In, Out, Op) \
  static_assert(kReduceInLibrary<In, Out, Op>);  \
  template void compiled::reduce(Context&, std::span<const In>, Out*, Op);
#define SCANLENS_INSTANTIATE_LOCATE(T)                                       \
  static_assert(kLocateInLibrary<T>);                                        \
  template void compiled::argmin(Context&, std::span<const T>, Located<T>*); \
  template void compiled::argmax(Context&, std::span<const T>, Located<T>*);
#define SCANLENS_INSTANTIATE_MOMENTS(T) \
  static_assert(kMomentsInLibrary<T>);  \
  template void compiled::moments(Context&, std::span<const T>, Moments*);
SCANLENS_FOR_EACH_REDUCTION(SCANLENS_INSTANTIATE_REDUCE)
SCANLENS_FOR_EACH_LOCATED_TYPE(SCANLENS_INSTANTIATE_LOCATE)
SCANLENS_FOR_EACH_MOMENTS_TYPE(SCANLENS_INSTANTIATE_MOMENTS)

}  // namespace scanlens
