// saxpy and dot of core/sparse.h.
#include "core/reduce/backends.h"
#include "core/runtime/array_checks.h"
#include "core/runtime/dispatch.h"
#include "core/sparse.h"
#include "core/sparse/vector_backends.h"

namespace scanlens {
namespace {
template <class T>
void checked_saxpy(Context& context, Scalar<T> a, std::span<const T> x, std::span<T> y) {
  require_same_length("saxpy", {"x", x}, {"y", y});
  require_apart_or_same("saxpy", {"x", x}, {"y", y});
  if (x.empty()) return;
  SCANLENS_DISPATCH(context, saxpy, a, x.data(), y.data(), std::ssize(x));
}
}  // namespace

template <class T>
void compiled::saxpy(Context& context, T a, std::span<const T> x, std::span<T> y) {
  checked_saxpy(context, {a}, x, y);
}

template <class T>
void compiled::saxpy(Context& context, const T* a, std::span<const T> x, std::span<T> y) {
  require_reducible("saxpy", {"y", y}, {"a", std::span<const T>(a, 1)});
  checked_saxpy(context, {0, a}, x, y);
}

template <class T>
void compiled::dot(Context& context, std::span<const T> x, std::span<const T> y, double* result) {
  require_same_length("dot", {"x", x}, {"y", y});
  require_reducible("dot", {"x", x}, {"result", std::span<double>(result, 1)});
  require_reducible("dot", {"y", y}, {"result", std::span<double>(result, 1)});
  SCANLENS_DISPATCH(context, dot, x.data(), y.data(), std::ssize(x), result);
}

#define SCANLENS_INSTANTIATE(T)                                                        \
  template void compiled::saxpy(Context&, T, std::span<const T>, std::span<T>);        \
  template void compiled::saxpy(Context&, const T*, std::span<const T>, std::span<T>); \
  template void compiled::dot(Context&, std::span<const T>, std::span<const T>, double*);
SCANLENS_INSTANTIATE(float)
SCANLENS_INSTANTIATE(double)

}  // namespace scanlens
