// Conjugate gradients on the CPU: tiles of rows on all threads, three times an iteration.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "core/context.h"
#include "core/sparse/csr_rows.h"
#include "core/sparse/solve_rows.h"

namespace scanlens::cpu {

/// Calls work(tile) for tiles 0 .. tiles - 1 on all threads.
void for_each_tile(std::int64_t tiles, const std::function<void(std::int64_t)>& work);

/// Adds the tiles' sums of column c, tiles[tile * stride + c].
double sum_of_tiles(const double* sums, std::int64_t tiles, int stride, int c);

template <class Operator>
std::int64_t halo_of(const Operator& a) {
  if constexpr (requires { a.halo(); })
    return a.halo();
  else
    return 0;
}

template <class Operator, class T>
void multiply_rows(const Operator& a, std::int64_t first, std::int64_t end, const T* x, int stride, T* y) {
  if constexpr (requires { a.multiply(first, end, x, stride, y); }) {
    a.multiply(first, end, x, stride, y);
  } else {
    for (std::int64_t row = first; row < end; ++row)
      for (int c = 0; c < stride; ++c) y[row * stride + c] = a.product(row, x, stride, c);
  }
}

/// As core/sparse.h has it, of an operator (csr_rows.h).
template <class Operator, class T = typename Operator::Element>
void solve(Context& context, const Operator& a, const T* b, T* x, int columns, Solved* result,
           const SolveOptions& options) {
  const int stride = stride_of(columns);
  const std::int64_t rows = a.rows, elements = rows * stride, halo = halo_of(a);
  const std::int64_t tiles = tiles_of(rows, columns), tile_rows = rows_of_tile(rows, columns);
  Workspace workspace(context);
  T* const r = workspace.take<T>(elements);
  T* const q = workspace.take<T>(elements);
  T* const p = workspace.take<T>(elements + 2 * halo) + halo;
  T* const own_x = stride == columns ? x : workspace.take<T>(elements);
  T* const inverse = workspace.take<T>(rows);
  double* const dots = workspace.take<double>(tiles * stride);
  T* const steps = workspace.take<T>(tiles * stride);

  Way<T> ways[kMostColumns] = {};
  T factors[kMostColumns] = {};
  const auto rows_of = [&](std::int64_t tile) {
    return SolveRows<T>{
        own_x, r, p, q, inverse, stride, tile * tile_rows, std::min(rows, (tile + 1) * tile_rows)};
  };
  const auto take_factors = [&](const auto& take) {
    for (int c = 0; c < columns; ++c) {
      take(ways[c], sum_of_tiles(dots, tiles, stride, c));
      factors[c] = ways[c].factor;
    }
  };
  const auto largest_step = [&] {
    T most = 0;
    for (int c = 0; c < columns; ++c)
      if (!ways[c].given_up())
        for (std::int64_t tile = 0; tile < tiles; ++tile) most = std::max(most, steps[tile * stride + c]);
    return most;
  };
  const auto step = [&](std::int64_t tile) {
    step_rows(rows_of(tile), factors, dots + tile * stride, steps + tile * stride);
  };
  const auto turn = [&](std::int64_t tile) { turn_rows(rows_of(tile), factors); };

  std::fill_n(p - halo, halo, T(0));
  std::fill_n(p + elements, halo, T(0));
  for_each_tile(tiles, [&](std::int64_t tile) {
    const SolveRows<T> mine = rows_of(tile);
    for (std::int64_t row = mine.first; row < mine.end; ++row) {
      inverse[row] = inverse_of(a.diagonal(row));
      for (int c = 0; c < stride; ++c) {
        const T value = c < columns ? x[row * columns + c] : T(0);
        p[row * stride + c] = own_x[row * stride + c] = value;
      }
    }
  });
  for_each_tile(tiles, [&](std::int64_t tile) {
    const SolveRows<T> mine = rows_of(tile);
    multiply_rows(a, mine.first, mine.end, std::as_const(p), stride, q);
    for (std::int64_t row = mine.first; row < mine.end; ++row)
      for (int c = 0; c < stride; ++c)
        r[row * stride + c] = c < columns ? b[row * columns + c] - q[row * stride + c] : T(0);
    step(tile);
  });
  take_factors([](Way<T>& way, double dot) { way.begin(dot); });
  for_each_tile(tiles, turn);

  Solved solved;
  while (solved.step = static_cast<double>(largest_step()),
         solved.iterations < options.most && solved.step > options.step) {
    for_each_tile(tiles, [&](std::int64_t tile) {
      const SolveRows<T> mine = rows_of(tile);
      multiply_rows(a, mine.first, mine.end, std::as_const(p), stride, q);
      dot_rows(mine, dots + tile * stride);
    });
    take_factors([](Way<T>& way, double dot) { way.step(dot); });
    for_each_tile(tiles, step);
    take_factors([](Way<T>& way, double dot) { way.turn(dot); });
    for_each_tile(tiles, turn);
    ++solved.iterations;
  }

  if (own_x != x)
    for (std::int64_t row = 0; row < rows; ++row)
      std::copy_n(own_x + row * stride, columns, x + row * columns);
  for (int c = 0; c < columns; ++c) solved.given_up += ways[c].given_up() ? 1 : 0;
  if (result) *result = solved;
}

}  // namespace scanlens::cpu
