// spmm and conjugate_gradients on CUDA.
#include <cstdint>

#include "core/sparse/solve_backends.h"
#include "core/sparse/solve_cuda.cuh"

namespace scanlens::gpu {
namespace {

constexpr int kRowsOfBlock = 8;

/// A warp takes a row of the result, so that its lanes read neighbours of X; of fewer columns than 32 it
/// takes several rows, `lanes` lanes each.
template <class T>
__global__ void __launch_bounds__(kRowsOfBlock* kWarp)
    spmm_kernel(const __grid_constant__ CsrRows<T> a, const T* x, int columns, int lanes, T* y) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * (kRowsOfBlock * kWarp) + threadIdx.x;
  const std::int64_t row = thread / lanes;
  if (row >= a.rows) return;
  for (int c = static_cast<int>(thread % lanes); c < columns; c += lanes)
    y[row * columns + c] = a.product(row, x, columns, c);
}

}  // namespace

template <class T>
void spmm(Context& context, const CsrMatrix<T>& a, const T* x, int columns, T* y) {
  int lanes = 1;
  while (lanes < kWarp && lanes < columns) lanes *= 2;
  const std::int64_t rows_of_block = kRowsOfBlock * kWarp / lanes;
  const auto blocks = static_cast<unsigned>((a.rows + rows_of_block - 1) / rows_of_block);
  SCANLENS_CUDA_CHECK(launch_kernel(spmm_kernel<T>, blocks, kRowsOfBlock * kWarp, 0, stream_of(context),
                                    CsrRows<T>(a), x, columns, lanes, y));
}

template <class T>
void conjugate_gradients(Context& context, const CsrMatrix<T>& a, const T* b, T* x, int columns,
                         Solved* result, const SolveOptions& options) {
  solve(context, CsrRows<T>(a), b, x, columns, result, options);
}

#define SCANLENS_INSTANTIATE(T)                                                                \
  template void spmm(Context&, const CsrMatrix<T>&, const T*, int, T*);                        \
  template void conjugate_gradients(Context&, const CsrMatrix<T>&, const T*, T*, int, Solved*, \
                                    const SolveOptions&);
SCANLENS_INSTANTIATE(float)
SCANLENS_INSTANTIATE(double)

}  // namespace scanlens::gpu
