// saxpy, and dot as a reduction of products, on CUDA.
#include "core/reduce/cuda.cuh"
#include "core/sparse/vector_backends.h"

namespace scanlens::gpu {
namespace {

constexpr int kThreads = 256;
constexpr int kLoads = 4;  ///< vectors of each array on their way, per thread

template <class T>
std::uint64_t before_vectors(const T* array) {
  return -reinterpret_cast<std::uintptr_t>(array) % 16 / sizeof(T);
}

/// The products x[i] y[i] in double: exact for floats. When the arrays' 16-byte boundaries lie at different
/// elements, a "vector" is one element.
template <class T, bool kPacks>
struct ProductSource {
  static constexpr int kVector = kPacks ? 16 / sizeof(T) : 1;
  static constexpr int kLoads = 4;
  static constexpr int kBatch = kLoads;
  using Element = double;
  using Packed = std::conditional_t<kPacks, uint4, T>;
  struct Raw {
    Packed x, y;
  };
  const T* x;
  const T* y;
  std::uint64_t before;

  __device__ std::uint64_t before_vectors() const { return before; }
  __device__ Raw load(std::uint64_t first) const {
    return {__ldcs(reinterpret_cast<const Packed*>(x + first)),
            __ldcs(reinterpret_cast<const Packed*>(y + first))};
  }
  __device__ static void unpack(const Raw& raw, double* products) {
    T a[kVector], b[kVector];
    memcpy(a, &raw.x, sizeof(a));
    memcpy(b, &raw.y, sizeof(b));
#pragma unroll
    for (int i = 0; i < kVector; ++i) products[i] = static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  __device__ double element(std::uint64_t i) const {
    return static_cast<double>(x[i]) * static_cast<double>(y[i]);
  }
};

/// Rounds twice, as the CPU does.
__device__ float axpy(float a, float x, float y) {
  return __fadd_rn(__fmul_rn(a, x), y);
}
__device__ double axpy(double a, double x, double y) {
  return __dadd_rn(__dmul_rn(a, x), y);
}

/// A Vector is 16 bytes of elements, or one element, and `x` and `y` are aligned to it. The first threads see
/// to the elements around the vectors, `before` in front of them and the rest behind: they are fewer than a
/// block has threads.
template <class T, class Vector>
__global__ void __launch_bounds__(kThreads)
    saxpy_kernel(Scalar<T> a, const T* x, T* y, std::uint64_t n, std::uint64_t before) {
  constexpr int kVector = sizeof(Vector) / sizeof(T);
  const T factor = a.memory ? *a.memory : a.value;
  const std::uint64_t vectors = (n - before) / kVector;
  const auto* from = reinterpret_cast<const Vector*>(x + before);
  auto* to = reinterpret_cast<Vector*>(y + before);

  const std::uint64_t first = static_cast<std::uint64_t>(blockIdx.x) * kThreads * kLoads + threadIdx.x;
  Vector of_x[kLoads], of_y[kLoads];
#pragma unroll
  for (int j = 0; j < kLoads; ++j)
    if (first + j * kThreads < vectors) {
      of_x[j] = __ldcs(from + first + j * kThreads);
      of_y[j] = __ldcs(to + first + j * kThreads);
    }
#pragma unroll
  for (int j = 0; j < kLoads; ++j)
    if (first + j * kThreads < vectors) {
      T s[kVector], t[kVector];
      memcpy(s, &of_x[j], sizeof(Vector));
      memcpy(t, &of_y[j], sizeof(Vector));
#pragma unroll
      for (int i = 0; i < kVector; ++i) t[i] = axpy(factor, s[i], t[i]);
      Vector sum;
      memcpy(&sum, t, sizeof(Vector));
      __stcs(to + first + j * kThreads, sum);
    }

  if (blockIdx.x > 0) return;
  const std::uint64_t edge = threadIdx.x < before ? threadIdx.x : threadIdx.x + vectors * kVector;
  if (edge < n) y[edge] = axpy(factor, x[edge], y[edge]);
}

template <class Vector, class T>
void launch_saxpy(Context& context, Scalar<T> a, const T* x, T* y, std::uint64_t n, std::uint64_t before) {
  constexpr std::uint64_t kTile = kThreads * kLoads * sizeof(Vector) / sizeof(T);
  const auto blocks = static_cast<unsigned>((n + kTile - 1) / kTile);
  SCANLENS_CUDA_CHECK(
      launch_kernel(saxpy_kernel<T, Vector>, blocks, kThreads, 0, stream_of(context), a, x, y, n, before));
}

}  // namespace

template <class T>
void saxpy(Context& context, Scalar<T> a, const T* x, T* y, std::int64_t n) {
  const auto count = static_cast<std::uint64_t>(n);
  if (const std::uint64_t before = before_vectors(x); before == before_vectors(y))
    launch_saxpy<uint4>(context, a, x, y, count, std::min(before, count));
  else
    launch_saxpy<T>(context, a, x, y, count, 0);
}

template <class T>
void dot(Context& context, const T* x, const T* y, std::int64_t n, double* result) {
  const auto sum = make_fold<double, double>(Sum{});
  if (const std::uint64_t before = before_vectors(x); before == before_vectors(y))
    fold_array(context, ProductSource<T, true>{x, y, before}, n, sum, result);
  else
    fold_array(context, ProductSource<T, false>{x, y, 0}, n, sum, result);
}

#define SCANLENS_INSTANTIATE(T)                                         \
  template void saxpy(Context&, Scalar<T>, const T*, T*, std::int64_t); \
  template void dot(Context&, const T*, const T*, std::int64_t, double*);
SCANLENS_INSTANTIATE(float)
SCANLENS_INSTANTIATE(double)

}  // namespace scanlens::gpu
