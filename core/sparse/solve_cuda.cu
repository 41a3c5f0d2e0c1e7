// spmm and conjugate_gradients on CUDA.
#include <cstdint>

#include "core/sparse/solve_backends.h"
#include "core/sparse/solve_cuda.cuh"

namespace scanlens::gpu {
namespace {

constexpr int kProductThreads = 256;

template <class T>
__device__ bool is_long(const CsrRows<T>& a, std::int64_t row) {
  return row < a.rows && a.row_begin[row + 1] - a.row_begin[row] > kPiece;
}

/// A warp takes a row of the result, so that its lanes read neighbours of X; of fewer columns than 32 it
/// takes several rows, `lanes` lanes each. Long rows are left to long_rows_kernel.
template <class T>
__global__ void __launch_bounds__(kProductThreads)
    spmm_kernel(const __grid_constant__ CsrRows<T> a, const T* x, int columns, int lanes, T* y) {
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kProductThreads + threadIdx.x;
  const std::int64_t row = thread / lanes;
  if (row >= a.rows || is_long(a, row)) return;
  for (int c = static_cast<int>(thread % lanes); c < columns; c += lanes)
    y[row * columns + c] = a.product(row, x, columns, c);
}

/// Sums a row of many stored values by all threads of a block: each `lanes` of them take a piece, and thread
/// c adds the pieces of column c.
template <class T>
__device__ void long_row(const CsrRows<T>& a, std::int64_t row, const T* x, int columns, int lanes, T* y,
                         T* parts) {
  const int at_once = kProductThreads / lanes, mine = static_cast<int>(threadIdx.x) / lanes;
  const std::uint32_t begin = a.row_begin[row], end = a.row_begin[row + 1];
  const std::uint32_t pieces = (end - begin - 1) / kPiece + 1;
  for (int left = 0; left < columns; left += lanes) {
    const int c = left + static_cast<int>(threadIdx.x) % lanes;
    T sum = 0;
    for (std::uint32_t piece = 0; piece < pieces; piece += at_once) {
      __syncthreads();
      if (const std::uint32_t first = begin + (piece + mine) * kPiece; piece + mine < pieces && c < columns)
        parts[threadIdx.x] = a.part(first, first + min(kPiece, end - first), x, columns, c);
      __syncthreads();
      if (threadIdx.x < lanes)
        for (std::uint32_t k = 0; k < at_once && piece + k < pieces; ++k)
          sum += parts[k * lanes + threadIdx.x];
    }
    if (threadIdx.x < lanes && c < columns) y[row * columns + c] = sum;
  }
}

/// Each block looks for long rows among kProductThreads, and takes them one after the other.
template <class T>
__global__ void __launch_bounds__(kProductThreads)
    long_rows_kernel(const __grid_constant__ CsrRows<T> a, const T* x, int columns, int lanes, T* y) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kProductThreads + threadIdx.x;
  const bool mine = is_long(a, row);
  if (!__syncthreads_or(mine)) return;
  __shared__ int waiting;
  __shared__ std::int64_t rows[kProductThreads];
  __shared__ T parts[kProductThreads];
  if (threadIdx.x == 0) waiting = 0;
  __syncthreads();
  if (mine) rows[atomicAdd(&waiting, 1)] = row;
  __syncthreads();
  for (int k = 0; k < waiting; ++k) long_row(a, rows[k], x, columns, lanes, y, parts);
}

}  // namespace

template <class T>
void spmm(Context& context, const CsrMatrix<T>& a, const T* x, int columns, T* y) {
  int lanes = 1;
  while (lanes < kWarp && lanes < columns) lanes *= 2;
  const CsrRows<T> rows(a);
  const cudaStream_t stream = stream_of(context);
  const auto blocks_of = [](std::int64_t rows_of_block, std::int64_t count) {
    return static_cast<unsigned>((count + rows_of_block - 1) / rows_of_block);
  };
  SCANLENS_CUDA_CHECK(launch_kernel(spmm_kernel<T>, blocks_of(kProductThreads / lanes, a.rows),
                                    kProductThreads, 0, stream, rows, x, columns, lanes, y));
  SCANLENS_CUDA_CHECK(launch_kernel(long_rows_kernel<T>, blocks_of(kProductThreads, a.rows), kProductThreads,
                                    0, stream, rows, x, columns, lanes, y));
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
