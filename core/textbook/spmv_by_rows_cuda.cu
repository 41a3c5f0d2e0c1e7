// The text-book's two products, one thread per row: good while rows are short and alike. A warp waits for its
// longest row, and neighbouring threads read values that lie a row apart.
//
// Source: Nickolls, Buck, Garland, Skadron, "Scalable Parallel Programming with CUDA", ACM Queue, March 2008.
#include "core/runtime/cuda_check.cuh"
#include "core/textbook/backends.h"

namespace scanlens::gpu {
namespace {

constexpr int kThreads = 128;  // threads, and so rows, per block: figure 8

/// Each thread multiplies one row: figure 7.
template <class T>
__global__ void __launch_bounds__(kThreads) multiply_row_kernel(CsrMatrix<T> a, const T* x, T* y) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (row >= a.rows) return;
  T sum = 0;
  for (std::int64_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k) sum += a.values[k] * x[a.columns[k]];
  y[row] = sum;
}

/// Figure 9: on a grid, for example, mostly rows near row i use x[i]. So the block keeps the elements of x
/// with its rows' numbers in shared memory.
template <class T>
__global__ void __launch_bounds__(kThreads) multiply_row_cached_kernel(CsrMatrix<T> a, const T* x, T* y) {
  __shared__ T cache[kThreads];
  const std::int64_t block_begin = static_cast<std::int64_t>(blockIdx.x) * kThreads;
  const std::int64_t row = block_begin + threadIdx.x;
  if (row < a.width) cache[threadIdx.x] = x[row];
  __syncthreads();
  if (row >= a.rows) return;

  T sum = 0;
  for (std::int64_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k) {
    const std::int64_t column = a.columns[k];
    const bool near = column >= block_begin && column < block_begin + kThreads;
    sum += a.values[k] * (near ? cache[column - block_begin] : x[column]);
  }
  y[row] = sum;
}

}  // namespace

template <class T>
void spmv_by_rows(Context& context, const CsrMatrix<T>& a, std::span<const T> x, std::span<T> y,
                  bool cached) {
  const auto blocks = static_cast<unsigned>((a.rows + kThreads - 1) / kThreads);
  SCANLENS_CUDA_CHECK(launch_kernel(cached ? multiply_row_cached_kernel<T> : multiply_row_kernel<T>, blocks,
                                    kThreads, 0, stream_of(context), a, x.data(), y.data()));
}

template void spmv_by_rows(Context&, const CsrMatrix<float>&, std::span<const float>, std::span<float>, bool);
template void spmv_by_rows(Context&, const CsrMatrix<double>&, std::span<const double>, std::span<double>,
                           bool);

}  // namespace scanlens::gpu
