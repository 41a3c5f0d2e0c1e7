// Conjugate gradients on CUDA, all iterations in one launch.
//
// The vectors of what is solved here fit the L2, or nearly so, and an iteration takes microseconds: launches
// would cost more. So a grid that fills the device once stays, and its blocks meet three times an iteration
// (a cooperative launch). Each block takes tiles of rows (solve_order.h) in a fixed order:
//   1. q = A p, and the tile's sums of p q.                              All blocks meet.
//   2. alpha; x += alpha p; r -= alpha q; the tile's sums of r z.        All blocks meet.
//   3. beta; the end, if no |z| is large; p = z + beta p.                All blocks meet.
// Every block adds up the sums of all tiles by itself, which costs less than to wait for another's.
// A thread takes kSolveElements elements of a chunk of whole groups at once, so that their loads overlap. The
// terms of sums go to shared memory, where the group's order is kept.
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

inline constexpr int kSolveThreads = 1024;
inline constexpr int kSolveWarps = kSolveThreads / kWarp;
inline constexpr int kSolveElements = 2;
inline constexpr int kSolveChunk = kSolveThreads * kSolveElements;

/// Whole groups that a chunk holds. It has place for one of 64 columns, and two of one.
SCANLENS_HOST_DEVICE constexpr int groups_of_chunk(int columns) {
  return kSolveChunk / static_cast<int>(rows_of_group(columns)) / columns;
}
static_assert(groups_of_chunk(1) > 0 && groups_of_chunk(kMostColumns) > 0);

/// Memory of a solver.
template <class T, bool kOneColumn>
struct SolveArrays {
  const T* b;
  T* x;
  T *r, *p, *q, *inverse;
  double* pq;  ///< pq[c * tiles + tile], the tiles' sums of p q
  double* rz;  ///< likewise, of r z
  T* steps;    ///< likewise, their largest |z|
  Solved* result;
  std::int64_t tiles, halo;
  int all_columns;
  double step;
  int most;

  /// A constant where there is one, which spares registers and divisions.
  SCANLENS_HOST_DEVICE constexpr int columns() const { return kOneColumn ? 1 : all_columns; }
};

/// The state of all columns in a block.
template <class T>
struct SolveState {
  Way<T> ways[kMostColumns];
  T most[kMostColumns];
  double dots[kSolveChunk];     ///< what a chunk's elements add; then their |z|
  double groups[kMostColumns];  ///< the sums of a chunk's groups
};
static_assert(groups_of_chunk(2) * 2 <= kMostColumns && kSolveWarps <= kMostColumns);

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

/// Place of an element in its chunk.
struct InChunk {
  int row, column;
};

/// The elements of a chunk that are this thread's.
struct SolvePlaces {
  InChunk of[kSolveElements];

  __device__ explicit SolvePlaces(int columns) {
#pragma unroll
    for (int k = 0; k < kSolveElements; ++k) {
      const int e = k * kSolveThreads + static_cast<int>(threadIdx.x);
      of[k] = {e / columns, e % columns};
    }
  }
};

/// Adds up the groups of a chunk of `rows` rows: `dot` of thread c is column c's sum so far.
template <class T>
__device__ void add_groups(SolveState<T>& state, int rows, int columns, double& dot) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kWarp;
  const int of_group = static_cast<int>(rows_of_group(columns));
  const int groups = (rows + of_group - 1) / of_group;
  __syncthreads();
  if (columns == 1) {
    if (const int group = thread / kWarp; group < groups) {
      double sum = 0;
      for (int row = group * of_group + lane; row < min(rows, (group + 1) * of_group); row += kWarp)
        sum += state.dots[row];
      sum = joined(sum, [](double a, double b) { return a + b; });
      if (lane == 0) state.groups[group] = sum;
    }
  } else if (thread < groups * columns) {
    const int group = thread / columns;
    double sum = 0;
    for (int row = group * of_group; row < min(rows, (group + 1) * of_group); ++row)
      sum += state.dots[row * columns + thread % columns];
    state.groups[thread] = sum;
  }
  __syncthreads();
  if (thread < columns)
    for (int group = 0; group < groups; ++group) dot += state.groups[group * columns + thread];
}

/// Finds the largest |z| of every column: `most` are those of the thread's places.
template <class T, bool kOneColumn>
__device__ void join_most(const SolveArrays<T, kOneColumn>& arrays, SolveState<T>& state,
                          const T (&most)[kSolveElements], std::int64_t tile) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp, columns = arrays.columns();
  const int rows = groups_of_chunk(columns) * static_cast<int>(rows_of_group(columns));
  T* const sizes = reinterpret_cast<T*>(state.dots);
#pragma unroll
  for (int k = 0; k < kSolveElements; ++k) sizes[k * kSolveThreads + threadIdx.x] = most[k];
  __syncthreads();
  for (int c = warp; c < columns; c += kSolveWarps) {
    T largest = 0;
    for (int row = lane; row < rows; row += kWarp) largest = larger(largest, sizes[row * columns + c]);
    largest = joined(largest, larger<T>);
    if (lane == 0) arrays.steps[c * arrays.tiles + tile] = largest;
  }
  __syncthreads();
}

/// visit_tile() of one column where every warp has a group: it needs no shared memory for what
/// a group adds.
template <class T, bool kOneColumn, class Compute, class Put>
__device__ void visit_groups(const SolveArrays<T, kOneColumn>& arrays, SolveState<T>& state,
                             std::int64_t tile, std::int64_t first, std::int64_t end, double* sums,
                             const Compute& compute, const Put& put) {
  using Value = decltype(compute(std::int64_t{}, int{}, std::int64_t{}));
  constexpr int kAtOnce = 2;
  constexpr std::int64_t kGroup = rows_of_group(1);
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  double dot = 0;
  T most = 0;
  for (; first < end; first += kSolveWarps * kGroup) {
    const std::int64_t last = min(end, first + (warp + 1) * kGroup);
    double of_lane = 0;
    for (std::int64_t row = first + warp * kGroup + lane; row < last; row += kAtOnce * kWarp) {
      Value values[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        if (row + k * kWarp < last) values[k] = compute(row + k * kWarp, 0, row + k * kWarp);
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k)
        if (row + k * kWarp < last) {
          double adds = 0;
          put(row + k * kWarp, values[k], adds, most);
          of_lane += adds;
        }
    }
    if (!sums) continue;
    of_lane = joined(of_lane, [](double a, double b) { return a + b; });
    if (lane == 0) state.groups[warp] = of_lane;
    __syncthreads();
    if (threadIdx.x == 0)
      for (int group = 0; group < kSolveWarps && first + group * kGroup < end; ++group)
        dot += state.groups[group];
    __syncthreads();
  }
  if (!sums) return;
  most = joined(most, larger<T>);
  if (lane == 0) state.most[warp] = most;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < kSolveWarps; ++w) most = larger(most, state.most[w]);
    sums[tile] = dot;
    if (sums == arrays.rz) arrays.steps[tile] = most;
  }
  __syncthreads();
}

/// Calls compute(row, column, i) for the elements i of a tile, and then put(i, value, dot, most) with what it
/// returned. There put sets `dot`, which the column's sum takes, and raises `most`. The tile's sums go to
/// `sums`, unless it is null.
template <class T, bool kOneColumn, class Compute, class Put>
__device__ void visit_tile(const SolveArrays<T, kOneColumn>& arrays, SolveState<T>& state,
                           const SolvePlaces& places, std::int64_t tile, std::int64_t rows, double* sums,
                           const Compute& compute, const Put& put) {
  using Value = decltype(compute(std::int64_t{}, int{}, std::int64_t{}));
  const int columns = arrays.columns();
  const int chunk = groups_of_chunk(columns) * static_cast<int>(rows_of_group(columns));
  const std::int64_t of_tile = rows_of_tile(rows, columns);
  const std::int64_t end = min(rows, (tile + 1) * of_tile);
  if constexpr (kOneColumn)
    if (of_tile >= kSolveWarps * rows_of_group(1))
      return visit_groups(arrays, state, tile, tile * of_tile, end, sums, compute, put);
  double dot = 0;
  T most[kSolveElements] = {};
  for (std::int64_t first = tile * of_tile; first < end; first += chunk) {
    const int here = static_cast<int>(min(end - first, std::int64_t{chunk}));
    const std::int64_t base = first * columns + threadIdx.x;
    Value values[kSolveElements];
#pragma unroll
    for (int k = 0; k < kSolveElements; ++k)
      if (places.of[k].row < here)
        values[k] = compute(first + places.of[k].row, places.of[k].column, base + k * kSolveThreads);
#pragma unroll
    for (int k = 0; k < kSolveElements; ++k)
      if (places.of[k].row < here) {
        double adds = 0;
        put(base + k * kSolveThreads, values[k], adds, most[k]);
        if (sums) state.dots[k * kSolveThreads + threadIdx.x] = adds;
      }
    if (sums) add_groups(state, here, columns, dot);
  }
  if (!sums) return;
  if (threadIdx.x < columns) sums[threadIdx.x * arrays.tiles + tile] = dot;
  if (sums == arrays.rz) join_most(arrays, state, most, tile);
}

/// Calls take(way, dot) with the sum of all tiles for every column, and finds the largest
/// steps.
template <class T, bool kOneColumn, class Take>
__device__ void take_sums(const SolveArrays<T, kOneColumn>& arrays, SolveState<T>& state, const double* sums,
                          const Take& take) {
  const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  for (int c = warp; c < arrays.columns(); c += kSolveWarps) {
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

template <class T, bool kOneColumn>
__device__ double largest_step(const SolveArrays<T, kOneColumn>& arrays, const SolveState<T>& state) {
  T most = 0;
  for (int c = 0; c < arrays.columns(); ++c)
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

/// One element of the vectors that a step changes.
template <class T>
struct Stepped {
  T x, r, inverse;
};

template <bool kOneColumn, class Operator, class T>
__global__ void __launch_bounds__(kSolveThreads)
    solve_kernel(const __grid_constant__ Operator a,
                 const __grid_constant__ SolveArrays<T, kOneColumn> arrays) {
  __shared__ SolveState<T> state;
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const std::int64_t rows = a.rows;
  const int columns = arrays.columns();
  const SolvePlaces places(columns);
  T *const x = arrays.x, *const r = arrays.r, *const p = arrays.p, *const q = arrays.q;
  T* const inverse = arrays.inverse;
  const auto each_tile = [&](double* sums, const auto& compute, const auto& put) {
    for (std::int64_t tile = blockIdx.x; tile < arrays.tiles; tile += gridDim.x)
      visit_tile(arrays, state, places, tile, rows, sums, compute, put);
  };
  const auto size_of = [](T z) { return z < 0 ? -z : z; };
  const auto turn = [&] {
    each_tile(
        nullptr,
        [&](std::int64_t row, int c, std::int64_t i) {
          const T beta = state.ways[c].factor, z = rounded_product(inverse[row], r[i]);
          return sum_of(z, beta != 0 ? rounded_product(beta, p[i]) : T(0));
        },
        [&](std::int64_t i, T value, double&, T&) { p[i] = value; });
  };

  for (std::int64_t i = blockIdx.x * kSolveThreads + threadIdx.x; i < arrays.halo;
       i += std::int64_t{gridDim.x} * kSolveThreads)
    p[-1 - i] = p[rows * columns + i] = 0;
  each_tile(
      nullptr,
      [&](std::int64_t row, int c, std::int64_t i) {
        if (c == 0) inverse[row] = inverse_of(a.diagonal(row));
        return x[i];
      },
      [&](std::int64_t i, T value, double&, T&) { p[i] = value; });
  for (int c = threadIdx.x; c < columns; c += kSolveThreads) state.ways[c] = {};
  grid.sync();
  each_tile(
      arrays.rz,
      [&](std::int64_t row, int c, std::int64_t i) {
        return Stepped<T>{0, difference(arrays.b[i], a.product(row, p, columns, c)), inverse[row]};
      },
      [&](std::int64_t i, const Stepped<T>& value, double& adds, T& most) {
        const T z = rounded_product(value.inverse, value.r);
        r[i] = value.r;
        adds = exact_product(value.r, z);
        most = larger(most, size_of(z));
      });
  grid.sync();
  take_sums(arrays, state, arrays.rz, [](Way<T>& way, double dot) { way.begin(dot); });
  turn();

  Solved solved;
  while (solved.step = largest_step(arrays, state),
         solved.iterations < arrays.most && solved.step > arrays.step) {
    grid.sync();
    each_tile(
        arrays.pq,
        [&](std::int64_t row, int c, std::int64_t i) {
          return Stepped<T>{p[i], a.product(row, p, columns, c), 0};
        },
        [&](std::int64_t i, const Stepped<T>& value, double& adds, T&) {
          q[i] = value.r;
          adds = exact_product(value.x, value.r);
        });
    grid.sync();
    take_sums(arrays, state, arrays.pq, [](Way<T>& way, double dot) { way.step(dot); });
    each_tile(
        arrays.rz,
        [&](std::int64_t row, int c, std::int64_t i) {
          const T alpha = state.ways[c].factor;
          if (alpha == 0) return Stepped<T>{x[i], r[i], inverse[row]};
          return Stepped<T>{sum_of(x[i], rounded_product(alpha, p[i])),
                            difference(r[i], rounded_product(alpha, q[i])), inverse[row]};
        },
        [&](std::int64_t i, const Stepped<T>& value, double& adds, T& most) {
          x[i] = value.x;
          r[i] = value.r;
          const T z = rounded_product(value.inverse, value.r);
          adds = exact_product(value.r, z);
          most = larger(most, size_of(z));
        });
    grid.sync();
    take_sums(arrays, state, arrays.rz, [](Way<T>& way, double dot) { way.turn(dot); });
    turn();
    ++solved.iterations;
  }
  if (arrays.result && blockIdx.x == 0 && threadIdx.x == 0) {
    for (int c = 0; c < columns; ++c) solved.given_up += state.ways[c].given_up() ? 1 : 0;
    *arrays.result = solved;
  }
}

/// As core/sparse.h has it, of an operator (csr_rows.h); kOneColumn says whether `columns` is 1.
template <bool kOneColumn, class Operator, class T>
void solve_columns(Context& context, const Operator& a, const T* b, T* x, int columns, Solved* result,
                   const SolveOptions& options) {
  SolveArrays<T, kOneColumn> arrays = {};
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
  arrays.all_columns = columns;
  arrays.step = options.step;
  arrays.most = options.most;

  const auto kernel = solve_kernel<kOneColumn, Operator, T>;
  int at_once = 0;
  SCANLENS_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, kernel, kSolveThreads, 0));
  const std::int64_t most = std::int64_t{at_once} * traits_of(context).multiprocessors;
  const auto blocks = static_cast<unsigned>(std::max<std::int64_t>(1, std::min(arrays.tiles, most)));
  launch_early(context, kernel, Blocks::all_at_once, dim3(blocks), kSolveThreads, SharedBytes{}, a, arrays);
}

template <class Operator, class T = typename Operator::Element>
void solve(Context& context, const Operator& a, const T* b, T* x, int columns, Solved* result,
           const SolveOptions& options) {
  // An operator with a halo takes one column only.
  if constexpr (requires { a.halo(); })
    solve_columns<true>(context, a, b, x, columns, result, options);
  else if (columns == 1)
    solve_columns<true>(context, a, b, x, columns, result, options);
  else
    solve_columns<false>(context, a, b, x, columns, result, options);
}

}  // namespace scanlens::gpu
