// Conjugate gradients on CUDA, all iterations in one launch.
//
// The vectors of what is solved here fit the L2, or nearly so, and an iteration takes microseconds: launches
// would cost more. So a grid that fills the device once stays, and its blocks meet three times an iteration
// (a cooperative launch). Each block takes tiles of rows (solve_order.h) in a fixed order:
//   1. q = A p, and the tile's sums of p q.                              All blocks meet.
//   2. alpha; x += alpha p; r -= alpha q; the tile's sums of r z.        All blocks meet.
//   3. beta; the end, if no |z| is large; p = z + beta p.                All blocks meet.
// Every block adds up the sums of all tiles by itself, which costs less than to wait for another's.
// A warp takes a row of several columns, so that its lanes read neighbours; of one column, 32 rows.
//
// Source: Hestenes and Stiefel 1952; Rupp, Weinbub, Jüngel, Grasser, "Pipelined Iterative Solvers with Kernel
// Fusion for GPUs", ACM TOMS 43(2), 2016 (what an iteration costs is launches and passes over memory).
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <cstdint>

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "core/runtime/cuda_check.cuh"
#include "core/sparse/csr_rows.h"

namespace scanlens::gpu {

inline constexpr int kSolveThreads = kSolveWarps * kWarp;

/// Memory of a solver.
template <class T>
struct SolveArrays {
  const T* b;
  T* x;
  T *r, *p, *q, *inverse;
  double* pq;  ///< pq[c * tiles + tile], the tiles' sums of p q
  double* rz;  ///< likewise, of r z
  T* steps;    ///< likewise, their largest |z|
  Solved* result;
  std::int64_t tiles, halo;
  int columns;
  double step;
  int most;
};

/// The state of all columns in a block.
template <class T>
struct SolveState {
  Way<T> ways[kMostColumns];
  double sums[kSolveWarps][kMostColumns];
  T steps[kSolveWarps][kMostColumns];
  T most[kMostColumns];
};

/// The lanes' values joined pairwise, in lane 0, in the order of solve_order.h.
template <class T, class Join>
__device__ T joined(T value, const Join& join) {
#pragma unroll
  for (int half = kWarp / 2; half > 0; half /= 2)
    value = join(value, __shfl_down_sync(kAllLanes, value, half));
  return value;
}
template <class T>
__device__ T larger(T a, T b) {
  return a < b ? b : a;
}

/// Calls each(row, column, dot, most) for the tile's elements, where `dot` and `most` are what this lane adds
/// up and the largest that it has seen. The tile's sums go to `sums`, unless it is null.
template <class T, class Each>
__device__ void visit_tile(const SolveArrays<T>& arrays, SolveState<T>& state, std::int64_t tile,
                           std::int64_t rows, double* sums, const Each& each) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, columns = arrays.columns;
  const std::int64_t of_warp = rows_of_warp(columns);
  const std::int64_t first = tile * rows_of_tile(columns) + warp * of_warp;
  const std::int64_t end = min(rows, first + of_warp);
  if (columns == 1) {
    double dot = 0;
    T most = 0;
    for (std::int64_t row = first + lane; row < end; row += kWarp) each(row, 0, dot, most);
    if (!sums) return;
    dot = joined(dot, [](double a, double b) { return a + b; });
    most = joined(most, larger<T>);
    if (lane == 0) {
      state.sums[warp][0] = dot;
      state.steps[warp][0] = most;
    }
  } else {
    for (int c = lane; c < columns; c += kWarp) {
      double dot = 0;
      T most = 0;
      for (std::int64_t row = first; row < end; ++row) each(row, c, dot, most);
      if (!sums) continue;
      state.sums[warp][c] = dot;
      state.steps[warp][c] = most;
    }
    if (!sums) return;
  }
  __syncthreads();
  for (int c = threadIdx.x; c < columns; c += kSolveThreads) {
    double dot = 0;
    T most = 0;
    for (int w = 0; w < kSolveWarps; ++w) {
      dot += state.sums[w][c];
      most = larger(most, state.steps[w][c]);
    }
    sums[c * arrays.tiles + tile] = dot;
    if (sums == arrays.rz) arrays.steps[c * arrays.tiles + tile] = most;
  }
  __syncthreads();
}

/// Calls take(way, dot) with the sum of all tiles for every column, and finds the largest steps.
template <class T, class Take>
__device__ void take_sums(const SolveArrays<T>& arrays, SolveState<T>& state, const double* sums,
                          const Take& take) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  for (int c = warp; c < arrays.columns; c += kSolveWarps) {
    double dot = 0;
    T most = 0;
    for (std::int64_t tile = lane; tile < arrays.tiles; tile += kWarp) {
      dot += __ldcg(sums + c * arrays.tiles + tile);
      if (sums == arrays.rz) most = larger(most, __ldcg(arrays.steps + c * arrays.tiles + tile));
    }
    dot = joined(dot, [](double a, double b) { return a + b; });
    most = joined(most, larger<T>);
    if (lane == 0) {
      take(state.ways[c], dot);
      state.most[c] = most;
    }
  }
  __syncthreads();
}

template <class T>
__device__ double largest_step(const SolveArrays<T>& arrays, const SolveState<T>& state) {
  T most = 0;
  for (int c = 0; c < arrays.columns; ++c)
    if (!state.ways[c].given_up()) most = larger(most, state.most[c]);
  return static_cast<double>(most);
}

template <class T>
__device__ T difference(T a, T b) {
  if constexpr (sizeof(T) == 4)
    return __fsub_rn(a, b);
  else
    return __dsub_rn(a, b);
}
template <class T>
__device__ T sum_of(T a, T b) {
  if constexpr (sizeof(T) == 4)
    return __fadd_rn(a, b);
  else
    return __dadd_rn(a, b);
}
__device__ inline double exact_product(float a, float b) {
  return __dmul_rn(static_cast<double>(a), static_cast<double>(b));
}
__device__ inline double exact_product(double a, double b) {
  return __dmul_rn(a, b);
}

template <class Operator, class T>
__global__ void __launch_bounds__(kSolveThreads)
    solve_kernel(const __grid_constant__ Operator a, const __grid_constant__ SolveArrays<T> arrays) {
  __shared__ SolveState<T> state;
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const std::int64_t rows = a.rows;
  const int columns = arrays.columns;
  T *const x = arrays.x, *const r = arrays.r, *const p = arrays.p, *const q = arrays.q;
  T* const inverse = arrays.inverse;
  const auto each_tile = [&](double* sums, const auto& each) {
    for (std::int64_t tile = blockIdx.x; tile < arrays.tiles; tile += gridDim.x)
      visit_tile(arrays, state, tile, rows, sums, each);
  };
  const auto size_of = [](T z) { return z < 0 ? -z : z; };
  const auto turn = [&](std::int64_t row, int c, double&, T&) {
    const std::int64_t i = row * columns + c;
    const T beta = state.ways[c].factor, z = rounded_product(inverse[row], r[i]);
    p[i] = sum_of(z, beta != 0 ? rounded_product(beta, p[i]) : T(0));
  };

  for (std::int64_t i = blockIdx.x * kSolveThreads + threadIdx.x; i < arrays.halo;
       i += std::int64_t{gridDim.x} * kSolveThreads)
    p[-1 - i] = p[rows * columns + i] = 0;
  each_tile(nullptr, [&](std::int64_t row, int c, double&, T&) {
    if (c == 0) inverse[row] = inverse_of(a.diagonal(row));
    p[row * columns + c] = x[row * columns + c];
  });
  for (int c = threadIdx.x; c < columns; c += kSolveThreads) state.ways[c] = {};
  grid.sync();
  each_tile(arrays.rz, [&](std::int64_t row, int c, double& dot, T& most) {
    const std::int64_t i = row * columns + c;
    const T left = difference(arrays.b[i], a.product(row, p, columns, c));
    const T z = rounded_product(inverse[row], left);
    r[i] = left;
    dot += exact_product(left, z);
    most = larger(most, size_of(z));
  });
  grid.sync();
  take_sums(arrays, state, arrays.rz, [](Way<T>& way, double dot) { way.begin(dot); });
  each_tile(nullptr, turn);

  Solved solved;
  while (solved.step = largest_step(arrays, state),
         solved.iterations < arrays.most && solved.step > arrays.step) {
    grid.sync();
    each_tile(arrays.pq, [&](std::int64_t row, int c, double& dot, T&) {
      const std::int64_t i = row * columns + c;
      const T product = a.product(row, p, columns, c);
      q[i] = product;
      dot += exact_product(p[i], product);
    });
    grid.sync();
    take_sums(arrays, state, arrays.pq, [](Way<T>& way, double dot) { way.step(dot); });
    each_tile(arrays.rz, [&](std::int64_t row, int c, double& dot, T& most) {
      const std::int64_t i = row * columns + c;
      const T alpha = state.ways[c].factor;
      T left = r[i];
      if (alpha != 0) {
        x[i] = sum_of(x[i], rounded_product(alpha, p[i]));
        r[i] = left = difference(left, rounded_product(alpha, q[i]));
      }
      const T z = rounded_product(inverse[row], left);
      dot += exact_product(left, z);
      most = larger(most, size_of(z));
    });
    grid.sync();
    take_sums(arrays, state, arrays.rz, [](Way<T>& way, double dot) { way.turn(dot); });
    each_tile(nullptr, turn);
    ++solved.iterations;
  }
  if (arrays.result && blockIdx.x == 0 && threadIdx.x == 0) {
    for (int c = 0; c < columns; ++c) solved.given_up += state.ways[c].given_up() ? 1 : 0;
    *arrays.result = solved;
  }
}

/// As core/sparse.h has it, of an operator (csr_rows.h).
template <class Operator, class T = typename Operator::Element>
void solve(Context& context, const Operator& a, const T* b, T* x, int columns, Solved* result,
           const SolveOptions& options) {
  SolveArrays<T> arrays = {};
  const std::int64_t elements = a.rows * columns;
  if constexpr (requires { a.halo(); }) arrays.halo = a.halo();
  arrays.tiles = tiles_of(a.rows, columns);
  Workspace workspace(context);
  arrays.b = b;
  arrays.x = x;
  arrays.r = workspace.take<T>(elements);
  arrays.q = workspace.take<T>(elements);
  arrays.p = workspace.take<T>(elements + 2 * arrays.halo) + arrays.halo;
  arrays.inverse = workspace.take<T>(a.rows);
  arrays.pq = workspace.take<double>(arrays.tiles * columns);
  arrays.rz = workspace.take<double>(arrays.tiles * columns);
  arrays.steps = workspace.take<T>(arrays.tiles * columns);
  arrays.result = result;
  arrays.columns = columns;
  arrays.step = options.step;
  arrays.most = options.most;

  const auto kernel = solve_kernel<Operator, T>;
  int at_once = 0;
  SCANLENS_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, kernel, kSolveThreads, 0));
  const std::int64_t most = std::int64_t{at_once} * traits_of(context).multiprocessors;
  const auto blocks = static_cast<unsigned>(std::max<std::int64_t>(1, std::min(arrays.tiles, most)));
  launch_early(context, kernel, Blocks::all_at_once, dim3(blocks), kSolveThreads, SharedBytes{}, a, arrays);
}

}  // namespace scanlens::gpu
