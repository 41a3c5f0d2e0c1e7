#include <algorithm>

#include "core/reduce/cpu.h"
#include "core/sparse/vector_backends.h"

namespace scanlens::cpu {
namespace {

/// The products x[i] y[i] in double: exact for floats.
template <class T>
struct ProductSource {
  const T* x;
  const T* y;

  template <int N>
  const double* batch(std::int64_t first, double* room) const {
    for (int i = 0; i < N; ++i)
      room[i] = static_cast<double>(x[first + i]) * static_cast<double>(y[first + i]);
    return room;
  }
};

}  // namespace

template <class T>
void saxpy(Context&, Scalar<T> a, const T* x, T* y, std::int64_t n) {
  const T factor = a.memory ? *a.memory : a.value;
  auto one_chunk = [=](std::int64_t chunk) {
    const std::int64_t end = std::min(n, (chunk + 1) * kFoldChunk);
    for (std::int64_t i = chunk * kFoldChunk; i < end; ++i) y[i] = factor * x[i] + y[i];
  };
  for_each_index((n + kFoldChunk - 1) / kFoldChunk, one_chunk);
}

template <class T>
void dot(Context& context, const T* x, const T* y, std::int64_t n, double* result) {
  fold_array(context, ProductSource<T>{x, y}, n, make_fold<double, double>(Sum{}), result);
}

#define SCANLENS_INSTANTIATE(T)                                         \
  template void saxpy(Context&, Scalar<T>, const T*, T*, std::int64_t); \
  template void dot(Context&, const T*, const T*, std::int64_t, double*);
SCANLENS_INSTANTIATE(float)
SCANLENS_INSTANTIATE(double)

}  // namespace scanlens::cpu
