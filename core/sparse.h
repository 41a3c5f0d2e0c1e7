// Sparse matrices in compressed rows (CSR), and the vector operations that iterative solvers need.
#pragma once

#include <cstdint>
#include <span>

#include "core/array.h"
#include "core/context.h"

namespace scanlens {

/// Row r holds values[k] at column columns[k] for k = row_begin[r] … row_begin[r + 1] - 1.
template <class T>
struct CsrMatrix {
  std::int64_t rows = 0;
  std::int64_t width = 0;                    ///< columns of the matrix
  std::span<const std::uint32_t> row_begin;  ///< rows + 1 offsets, ascending from 0
  std::span<const std::uint32_t> columns;    ///< one for each stored value, less than `width`
  std::span<const T> values;
};

/// y = A x, by equal shares of the stored values, so that rows may be of any kind. Types, of all functions
/// here: float, double. Row and column numbers, and stored values, up to 2^32 - 1. Aliasing: y overlaps
/// nothing else. Determinism: the same bits every run, on any number of threads. Rounding: a row of n values
/// is off by at most n epsilon times the sum of its products' magnitudes. Bytes moved: values, columns and
/// row_begin once, y once, x once as far as the cache holds it. The offsets and columns of `a` are trusted:
/// check_csr looks at them. Source: Merrill and Garland, "Merge-based Parallel Sparse Matrix-Vector
/// Multiplication", SC 2016.
template <class T>
void spmv(Context& context, const CsrMatrix<T>& a, std::span<const T> x, std::span<T> y);

/// y[i] = a x[i] + y[i], with the scalar in memory of the backend (so that a solver need not wait) or by
/// value.
template <class T>
void saxpy(Context& context, T a, std::span<const T> x, std::span<T> y);
template <class T>
void saxpy(Context& context, const T* a, std::span<const T> x, std::span<T> y);

/// result[0] = x[0] y[0] + … in double, written to memory of the backend. Deterministic.
template <class T>
void dot(Context& context, std::span<const T> x, std::span<const T> y, double* result);

/// Throws Error unless the matrix, in host memory, is well formed; names the first row that is not.
template <class T>
void check_csr(const CsrMatrix<T>& a);

// The same for other arrays.
template <class T, ContiguousArray X, ContiguousArray Y>
void spmv(Context& context, const CsrMatrix<T>& a, const X& x, Y&& y) {
  spmv<T>(context, a, std::span<const T>(x), std::span<T>(y));
}
template <ContiguousArray X, ContiguousArray Y>
void saxpy(Context& context, ElementOf<X> a, const X& x, Y&& y) {
  saxpy<ElementOf<X>>(context, a, x, y);
}
template <ContiguousArray X, ContiguousArray Y>
void saxpy(Context& context, const ElementOf<X>* a, const X& x, Y&& y) {
  saxpy<ElementOf<X>>(context, a, x, y);
}
template <ContiguousArray X, ContiguousArray Y>
void dot(Context& context, const X& x, const Y& y, double* result) {
  dot<ElementOf<X>>(context, x, y, result);
}

/// Whether the library holds all of this compiled for the type.
template <class T>
inline constexpr bool kSparseInLibrary = kOneOf<T, float, double>;

namespace compiled {
template <class T>
void spmv(Context& context, const CsrMatrix<T>& a, std::span<const T> x, std::span<T> y);
template <class T>
void saxpy(Context& context, T a, std::span<const T> x, std::span<T> y);
template <class T>
void saxpy(Context& context, const T* a, std::span<const T> x, std::span<T> y);
template <class T>
void dot(Context& context, std::span<const T> x, std::span<const T> y, double* result);
template <class T>
void check_csr(const CsrMatrix<T>& a);
}  // namespace compiled

template <class T>
void spmv(Context& context, const CsrMatrix<T>& a, std::span<const T> x, std::span<T> y) {
  static_assert(kSparseInLibrary<T>, "spmv: not of the types that core/sparse.h names");
  compiled::spmv(context, a, x, y);
}
template <class T>
void saxpy(Context& context, T a, std::span<const T> x, std::span<T> y) {
  static_assert(kSparseInLibrary<T>, "saxpy: not of the types that core/sparse.h names");
  compiled::saxpy(context, a, x, y);
}
template <class T>
void saxpy(Context& context, const T* a, std::span<const T> x, std::span<T> y) {
  static_assert(kSparseInLibrary<T>, "saxpy: not of the types that core/sparse.h names");
  compiled::saxpy(context, a, x, y);
}
template <class T>
void dot(Context& context, std::span<const T> x, std::span<const T> y, double* result) {
  static_assert(kSparseInLibrary<T>, "dot: not of the types that core/sparse.h names");
  compiled::dot(context, x, y, result);
}
template <class T>
void check_csr(const CsrMatrix<T>& a) {
  static_assert(kSparseInLibrary<T>, "check_csr: not of the types that core/sparse.h names");
  compiled::check_csr(a);
}

}  // namespace scanlens
