// Plain loops, compiled for several instruction sets; none fuses multiplication and addition
// (CMakeLists.txt), so that all have the same bits, and those of CUDA.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/sparse/solve_rows.cpp"
#include <hwy/foreach_target.h>  // must come first
//
#include <hwy/highway.h>

#include <algorithm>
#include <type_traits>

#include "core/sparse/solve_rows.h"

HWY_BEFORE_NAMESPACE();
namespace scanlens::cpu::HWY_NAMESPACE {
namespace {

/// Calls with(integral_constant) of the stride.
template <class With>
HWY_INLINE void with_stride(int stride, const With& with) {
  switch (stride) {
    case 8:
      return with(std::integral_constant<int, 8>());
    case 16:
      return with(std::integral_constant<int, 16>());
    case 24:
      return with(std::integral_constant<int, 24>());
    case 32:
      return with(std::integral_constant<int, 32>());
    case 40:
      return with(std::integral_constant<int, 40>());
    case 48:
      return with(std::integral_constant<int, 48>());
    case 56:
      return with(std::integral_constant<int, 56>());
    default:
      return with(std::integral_constant<int, 64>());
  }
}

/// Adds the lanes pairwise.
template <class T>
HWY_INLINE double joined(T* lanes) {
  for (int half = kSolveLanes / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

/// Calls take(i, lane) for the rows of a tile of one column and adds up what lane sums collect.
template <class Take>
HWY_INLINE double in_lanes(std::int64_t first, std::int64_t end, const Take& take) {
  double sum = 0;
  for (std::int64_t begin = first; begin < end; begin += rows_of_warp(1)) {
    const std::int64_t last = std::min(end, begin + rows_of_warp(1));
    double lanes[kSolveLanes] = {};
    std::int64_t i = begin;
    for (; i + kSolveLanes <= last; i += kSolveLanes)
      for (int lane = 0; lane < kSolveLanes; ++lane) lanes[lane] += take(i + lane);
    for (int lane = 0; i + lane < last; ++lane) lanes[lane] += take(i + lane);
    sum += joined(lanes);
  }
  return sum;
}

template <class T>
HWY_FLATTEN void dot(const SolveRows<T>& rows, double* HWY_RESTRICT dots) {
  const T* HWY_RESTRICT const p = rows.p;
  const T* HWY_RESTRICT const q = rows.q;
  if (rows.stride == 1) {
    dots[0] = in_lanes(rows.first, rows.end, [p, q](std::int64_t i) HWY_ATTR {
      return static_cast<double>(p[i]) * static_cast<double>(q[i]);
    });
    return;
  }
  with_stride(rows.stride, [&]<int kStride>(std::integral_constant<int, kStride>) HWY_ATTR {
    for (int c = 0; c < kStride; ++c) dots[c] = 0;
    for (std::int64_t begin = rows.first; begin < rows.end; begin += rows_of_warp(2)) {
      double sums[kStride] = {};
      for (std::int64_t row = begin; row < std::min(rows.end, begin + rows_of_warp(2)); ++row)
        for (int c = 0; c < kStride; ++c)
          sums[c] += static_cast<double>(p[row * kStride + c]) * static_cast<double>(q[row * kStride + c]);
      for (int c = 0; c < kStride; ++c) dots[c] += sums[c];
    }
  });
}

template <class T>
HWY_FLATTEN void step(const SolveRows<T>& rows, const T* HWY_RESTRICT alpha, double* HWY_RESTRICT dots,
                      T* HWY_RESTRICT steps) {
  T* HWY_RESTRICT const x = rows.x;
  T* HWY_RESTRICT const r = rows.r;
  const T* HWY_RESTRICT const p = rows.p;
  const T* HWY_RESTRICT const q = rows.q;
  const T* HWY_RESTRICT const inverse = rows.inverse;
  if (rows.stride == 1) {
    const T a = alpha[0];
    if (a != 0)
      for (std::int64_t i = rows.first; i < rows.end; ++i) {
        x[i] += a * p[i];
        r[i] -= a * q[i];
      }
    dots[0] = in_lanes(rows.first, rows.end, [r, inverse](std::int64_t i) HWY_ATTR {
      return static_cast<double>(r[i]) * static_cast<double>(inverse[i] * r[i]);
    });
    T most = 0;
    for (std::int64_t i = rows.first; i < rows.end; ++i) {
      const T z = inverse[i] * r[i], size = z < 0 ? -z : z;
      most = most < size ? size : most;
    }
    steps[0] = most;
    return;
  }
  with_stride(rows.stride, [&]<int kStride>(std::integral_constant<int, kStride>) HWY_ATTR {
    T most[kStride] = {};
    T a[kStride];
    for (int c = 0; c < kStride; ++c) {
      dots[c] = 0;
      a[c] = alpha[c];
    }
    for (std::int64_t begin = rows.first; begin < rows.end; begin += rows_of_warp(2)) {
      double sums[kStride] = {};
      for (std::int64_t row = begin; row < std::min(rows.end, begin + rows_of_warp(2)); ++row) {
        const T scale = inverse[row];
        for (int c = 0; c < kStride; ++c) {
          const std::int64_t i = row * kStride + c;
          x[i] = a[c] != 0 ? x[i] + a[c] * p[i] : x[i];
          const T left = a[c] != 0 ? r[i] - a[c] * q[i] : r[i];
          r[i] = left;
          const T z = scale * left, size = z < 0 ? -z : z;
          most[c] = most[c] < size ? size : most[c];
          sums[c] += static_cast<double>(left) * static_cast<double>(z);
        }
      }
      for (int c = 0; c < kStride; ++c) dots[c] += sums[c];
    }
    for (int c = 0; c < kStride; ++c) steps[c] = most[c];
  });
}

template <class T>
HWY_FLATTEN void turn(const SolveRows<T>& rows, const T* HWY_RESTRICT beta) {
  const T* HWY_RESTRICT const r = rows.r;
  T* HWY_RESTRICT const p = rows.p;
  const T* HWY_RESTRICT const inverse = rows.inverse;
  if (rows.stride == 1) {
    const T b = beta[0];
    for (std::int64_t i = rows.first; i < rows.end; ++i)
      p[i] = inverse[i] * r[i] + (b != 0 ? b * p[i] : T(0));
    return;
  }
  with_stride(rows.stride, [&]<int kStride>(std::integral_constant<int, kStride>) HWY_ATTR {
    T b[kStride];
    for (int c = 0; c < kStride; ++c) b[c] = beta[c];
    for (std::int64_t row = rows.first; row < rows.end; ++row) {
      const T scale = inverse[row];
      for (int c = 0; c < kStride; ++c) {
        const std::int64_t i = row * kStride + c;
        p[i] = scale * r[i] + (b[c] != 0 ? b[c] * p[i] : T(0));
      }
    }
  });
}

template <class T>
HWY_FLATTEN void csr(const CsrRows<T>& a, std::int64_t first, std::int64_t end, const T* HWY_RESTRICT x,
                     int stride, T* HWY_RESTRICT y) {
  if (stride == 1) {
    for (std::int64_t row = first; row < end; ++row) y[row] = a.product(row, x, 1, 0);
    return;
  }
  with_stride(stride, [&]<int kStride>(std::integral_constant<int, kStride>) HWY_ATTR {
    for (std::int64_t row = first; row < end; ++row) {
      T sums[kStride] = {};
      for (std::uint32_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k) {
        const T value = a.values[k];
        const T* HWY_RESTRICT const from = x + static_cast<std::int64_t>(a.columns[k]) * kStride;
        for (int c = 0; c < kStride; ++c) sums[c] += value * from[c];
      }
      for (int c = 0; c < kStride; ++c) y[row * kStride + c] = sums[c];
    }
  });
}

#define SCANLENS_DEFINE(name, T)        \
  constexpr auto& Dot##name = dot<T>;   \
  constexpr auto& Step##name = step<T>; \
  constexpr auto& Turn##name = turn<T>; \
  constexpr auto& Csr##name = csr<T>;
SCANLENS_DEFINE(Float, float)
SCANLENS_DEFINE(Double, double)
#undef SCANLENS_DEFINE

}  // namespace
}  // namespace scanlens::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace scanlens {

#define SCANLENS_DEFINE(name, T)                                                                        \
  namespace cpu {                                                                                       \
  HWY_EXPORT(Dot##name);                                                                                \
  HWY_EXPORT(Step##name);                                                                               \
  HWY_EXPORT(Turn##name);                                                                               \
  HWY_EXPORT(Csr##name);                                                                                \
  static void multiply_csr(const CsrRows<T>& a, std::int64_t first, std::int64_t end, const T* x,       \
                           int stride, T* y) {                                                          \
    HWY_DYNAMIC_DISPATCH(Csr##name)(a, first, end, x, stride, y);                                       \
  }                                                                                                     \
  template <>                                                                                           \
  void dot_rows(const SolveRows<T>& rows, double* dots) {                                               \
    HWY_DYNAMIC_DISPATCH(Dot##name)(rows, dots);                                                        \
  }                                                                                                     \
  template <>                                                                                           \
  void step_rows(const SolveRows<T>& rows, const T* alpha, double* dots, T* steps) {                    \
    HWY_DYNAMIC_DISPATCH(Step##name)(rows, alpha, dots, steps);                                         \
  }                                                                                                     \
  template <>                                                                                           \
  void turn_rows(const SolveRows<T>& rows, const T* beta) {                                             \
    HWY_DYNAMIC_DISPATCH(Turn##name)(rows, beta);                                                       \
  }                                                                                                     \
  }                                                                                                     \
  template <>                                                                                           \
  void CsrRows<T>::multiply(std::int64_t first, std::int64_t end, const T* x, int stride, T* y) const { \
    cpu::multiply_csr(*this, first, end, x, stride, y);                                                 \
  }
SCANLENS_DEFINE(Float, float)
SCANLENS_DEFINE(Double, double)
#undef SCANLENS_DEFINE

}  // namespace scanlens
#endif  // HWY_ONCE
