// The fill's table on the CPU, some rows of it at a time.
#pragma once

#include <bit>
#include <cstdint>

#include "core/context.h"
#include "filters/dof/fill.h"

namespace scanlens::cpu {

/// Rows of cells of the fill's table, as many as a band needs at a time.
template <int kLight>
class FillRows {
 public:
  static constexpr int kTerms = kLight + 1;

  FillRows(Workspace& workspace, std::int64_t width, int reach)
      : width_(fill_cells(static_cast<int>(width))),
        rows_(ring_rows(reach)),
        table_(workspace.take<std::uint32_t>(rows_ * width_ * kTerms)) {}

  /// Begins before row `first`.
  void start(int first) { next_ = first_ = first; }
  int next() const { return next_; }
  /// The next row's terms, to be summed in place by finish().
  std::uint32_t* open() { return row(next_); }
  void finish() {
    std::uint32_t* const terms = row(next_);
    const std::uint32_t* const above = next_ > first_ ? row(next_ - 1) : nullptr;
    std::uint32_t along[kTerms] = {};
    for (std::int64_t i = 0; i < width_ * kTerms; i += kTerms)
      for (int c = 0; c < kTerms; ++c) {
        along[c] += terms[i + c];
        terms[i + c] = along[c] + (above ? above[i + c] : 0);
      }
    ++next_;
  }

  /// The sums over the cells of a box, which lies in the table.
  void sums(const Box& box, float* sums) const {
    const std::uint32_t *last = row(box.y1), *above = box.y0 > first_ ? row(box.y0 - 1) : nullptr;
    for (int c = 0; c < kTerms; ++c) sums[c] = sum(box, last, above, c);
  }
  /// The sum of one term over them.
  float sum(const Box& box, int term) const {
    return sum(box, row(box.y1), box.y0 > first_ ? row(box.y0 - 1) : nullptr, term);
  }

 private:
  static float sum(const Box& box, const std::uint32_t* last, const std::uint32_t* above, int term) {
    const auto plus = [](std::uint32_t a, std::uint32_t b) { return a + b; };
    const auto minus = [](std::uint32_t a, std::uint32_t b) { return a - b; };
    const auto at = [&](const std::uint32_t* in, std::int64_t x) {
      return in && x >= 0 ? in[x * kTerms + term] : 0u;
    };
    return static_cast<float>(SCANLENS_BOX_SUM(plus, minus, at(last, box.x1), at(above, box.x1),
                                               at(last, box.x0 - 1), at(above, box.x0 - 1)));
  }

  /// A power of two: to divide takes longer than to read a box.
  static std::int64_t ring_rows(int reach) {
    return static_cast<std::int64_t>(std::bit_ceil(2 * static_cast<std::uint64_t>(reach) + 2));
  }
  std::uint32_t* row(std::int64_t y) const { return table_ + (y & (rows_ - 1)) * width_ * kTerms; }

  std::int64_t width_, rows_;
  std::uint32_t* table_;
  int first_ = 0, next_ = 0;
};

}  // namespace scanlens::cpu
