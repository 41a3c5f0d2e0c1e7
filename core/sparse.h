// Sparse matrices in compressed rows (CSR), and the vector operations that iterative solvers need.
#pragma once

#include <cstdint>
#include <span>

#include "core/array.h"
#include "core/context.h"

namespace scanlens {

/// True of the types that the library holds all of this compiled for.
template <class T>
concept SparseInLibrary = kOneOf<T, float, double>;

/// Row r holds values[k] at column columns[k] for k = row_begin[r] … row_begin[r + 1] - 1.
template <class T>
struct CsrMatrix {
  std::int64_t rows = 0;
  std::int64_t width = 0;                    ///< columns of the matrix
  std::span<const std::uint32_t> row_begin;  ///< rows + 1 offsets, ascending from 0
  std::span<const std::uint32_t> columns;    ///< one for each stored value, less than `width`
  std::span<const T> values;
};

namespace compiled {
template <class T>
void saxpy(Context& context, T a, std::span<const T> x, std::span<T> y);
template <class T>
void saxpy(Context& context, const T* a, std::span<const T> x, std::span<T> y);
template <class T>
void dot(Context& context, std::span<const T> x, std::span<const T> y, double* result);
}  // namespace compiled

/// y = A x, by equal shares of the stored values, so that rows may be of any kind. Types, of all functions
/// here: float, double. Row and column numbers, and stored values, up to 2^32 - 1. Rounding: a row of n
/// values is off by at most n epsilon times the sum of its products' magnitudes. Bytes moved: values, columns
/// and row_begin once, y once, x once as far as the cache holds it. The offsets and columns of `a` are
/// trusted: check_csr looks at them. Source: Merrill and Garland, "Merge-based Parallel Sparse Matrix-Vector
/// Multiplication", SC 2016.
template <SparseInLibrary T>
void spmv(Context& context, const CsrMatrix<T>& a, std::span<const std::type_identity_t<T>> x,
          std::span<std::type_identity_t<T>> y);

/// y[i] = a x[i] + y[i], with the scalar by value, or in memory of the backend so that a solver need not
/// wait.
template <ContiguousArray X, ContiguousArray Y>
void saxpy(Context& context, ElementOf<X> a, const X& x, Y&& y) {
  static_assert(SparseInLibrary<ElementOf<X>>, "saxpy: not of the types that core/sparse.h names");
  compiled::saxpy(context, a, elements_of(x), room_of(y));
}
template <ContiguousArray X, ContiguousArray Y>
void saxpy(Context& context, const ElementOf<X>* a, const X& x, Y&& y) {
  static_assert(SparseInLibrary<ElementOf<X>>, "saxpy: not of the types that core/sparse.h names");
  compiled::saxpy(context, a, elements_of(x), room_of(y));
}

/// result[0] = x[0] y[0] + … in double.
template <ContiguousArray X, ContiguousArray Y>
void dot(Context& context, const X& x, const Y& y, double* result) {
  static_assert(SparseInLibrary<ElementOf<X>>, "dot: not of the types that core/sparse.h names");
  compiled::dot(context, elements_of(x), elements_of(y), result);
}

/// The most columns that spmm and conjugate_gradients take.
inline constexpr int kMostColumns = 64;

/// Y = A X for `columns` vectors at once, 1 to kMostColumns. Shapes: x has a.width rows of `columns` elements
/// and y has a.rows, both row by row: vector c of row r is x[r * columns + c]. Determinism: every element is
/// a sum in the order of the row's stored values, each product and each sum rounded; of more than 256 values
/// every 256 are summed first. So the bits are the same every run, on any number of threads, on the CPU and
/// on CUDA. Rounding: as spmv. Bytes moved: as spmv, with rows of `columns` elements for single ones. Rows
/// are handed out whole, on CUDA to a block: one row that holds most of the matrix is slow here, and not in
/// spmv. The matrix is trusted. Errors: usage, for sizes that do not fit. Source: Yang, Buluc, Owens, "Design
/// Principles for Sparse Matrix Multiplication on the GPU", Euro-Par 2018 (row-major X, a row for each warp).
template <SparseInLibrary T>
void spmm(Context& context, const CsrMatrix<T>& a, std::span<const std::type_identity_t<T>> x, int columns,
          std::span<std::type_identity_t<T>> y);

/// The end of conjugate_gradients.
struct SolveOptions {
  double step = 1e-3;  ///< no preconditioned residual is larger than this, in the units of x
  int most = 300;      ///< iterations
};

/// Says how conjugate_gradients ended. In memory of the backend.
struct Solved {
  std::int32_t iterations = 0;
  std::int32_t given_up = 0;  ///< columns in which the matrix or a value turned out unfit
  double step = 0;            ///< the largest preconditioned residual at the end, of the other columns
};

/// Solves A X = B for `columns` right-hand sides at once (1 to kMostColumns) by conjugate gradients with the
/// diagonal as preconditioner; every column has step lengths of its own, and all go on until none has a
/// preconditioned residual r / diag(A) above options.step. `x` holds where to begin and then the solution.
/// Shapes: A is square, b and x are as spmm has them. `result` may be null.
///
/// A has to be symmetric and positive definite. Symmetry is trusted. A row without a positive, finite sum of
/// diagonal values (an empty row too) is left out: x keeps its values there, and all other unknowns are
/// solved with them. A column is given up when p A p is not positive or a number is not finite: it keeps what
/// it has reached, and is counted in Solved::given_up.
///
/// Aliasing: x and result overlap nothing else. Determinism: dots are sums in double in an order that
/// depends on the sizes alone, and all else is rounded step by step: the same bits every run, on any number
/// of threads, on the CPU and on CUDA. On CUDA all iterations are one launch, which meets itself between the
/// steps: nothing waits for the device, and the call can be captured in a graph. On the CPU it takes all
/// cores. Workspace: 3 arrays like x, and on the CPU a fourth where there are several columns; rows elements
/// more. Bytes moved in an iteration: the matrix, and 12 arrays like x. Errors: usage, for sizes that do not
/// fit and options that are not positive.
/// Source: Hestenes and Stiefel, "Methods of Conjugate Gradients for Solving Linear Systems", 1952.
template <SparseInLibrary T>
void conjugate_gradients(Context& context, const CsrMatrix<T>& a, std::span<const std::type_identity_t<T>> b,
                         std::span<std::type_identity_t<T>> x, int columns, Solved* result = nullptr,
                         const SolveOptions& options = {});

/// Throws Error unless the matrix, in host memory, is well formed; names the first row that is not.
template <SparseInLibrary T>
void check_csr(const CsrMatrix<T>& a);

}  // namespace scanlens
