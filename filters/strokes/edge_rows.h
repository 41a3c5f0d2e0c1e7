// The system of the last stage: diag(trust) and the Laplacian of the links, which is computed, not stored.
#pragma once

#include <cstdint>

#include "core/sparse/solve_order.h"
#include "core/view.h"

namespace scanlens::strokes {

struct EdgeRows {
  using Element = float;
  std::int64_t rows, width;
  const float *diagonals, *right, *down;

  std::int64_t halo() const { return width; }
  SCANLENS_HOST_DEVICE float diagonal(std::int64_t i) const { return diagonals[i]; }
  SCANLENS_HOST_DEVICE float product(std::int64_t i, const float* x, int, int) const {
    float sum = rounded_product(diagonals[i], x[i]);
    sum -= rounded_product(right[i], x[i + 1]);
    sum -= rounded_product(right[i - 1], x[i - 1]);
    sum -= rounded_product(down[i], x[i + width]);
    sum -= rounded_product(down[i - width], x[i - width]);
    return sum;
  }
  /// The same of rows first .. end - 1 on the CPU.
  void multiply(std::int64_t first, std::int64_t end, const float* x, int, float* y) const;
};

}  // namespace scanlens::strokes
