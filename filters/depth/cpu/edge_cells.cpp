#include "filters/depth/cpu/edge_cells.h"

#include <algorithm>
#include <cstddef>

namespace scanlens::cpu {

EdgeCells::EdgeCells(View<const float> map, float range)
    : map_(map),
      range_(range),
      low_(static_cast<std::size_t>(map.width + 2 * kBeyond)),
      high_(low_),
      bend_(low_) {}

/// Takes in the bends of a row, along it and down its columns.
void EdgeCells::add_bends(std::int64_t v, bool first) {
  const float* const here = map_.row(v);
  float* const bend = bend_.data() + kBeyond;
  if (first) std::fill_n(bend, map_.width, 0.f);  // the least bend
  for (std::int64_t u = 1; u + 1 < map_.width; ++u)
    bend[u] = more_of(bend[u], bend_of(here[u - 1], here[u], here[u + 1]));
  if (v == 0 || v + 1 == map_.height) return;
  const float *const above = map_.row(v - 1), *const below = map_.row(v + 1);
  for (std::int64_t u = 0; u < map_.width; ++u)
    bend[u] = more_of(bend[u], bend_of(above[u], here[u], below[u]));
}

void EdgeCells::add_values(std::int64_t v, bool first) {
  const float* const here = map_.row(v);
  float *const low = low_.data() + kBeyond, *const high = high_.data() + kBeyond;
  if (first) {
    std::copy_n(here, map_.width, low);
    std::copy_n(here, map_.width, high);
    return;
  }
  for (std::int64_t u = 0; u < map_.width; ++u) {
    low[u] = less_of(low[u], here[u]);
    high[u] = more_of(high[u], here[u]);
  }
}

void EdgeCells::repeat_ends(Row& row) const {
  std::fill_n(row.begin(), kBeyond, row[kBeyond]);
  std::fill_n(row.end() - kBeyond, kBeyond, row[row.size() - kBeyond - 1]);
}

const std::vector<JumpCell>& EdgeCells::row(std::int64_t v) {
  if (v == row_) return cells_;
  row_ = v;
  cells_.clear();
  for (int j = 0; j < kEdgeSide; ++j) {
    const std::int64_t y = within(v - 1 + j, map_.height);
    add_values(y, j == 0);
    add_bends(y, j == 0);
  }
  for (Row* row : {&low_, &high_, &bend_}) repeat_ends(*row);
  const float least = kNoJump * range_;
  for (std::int64_t u = -1; u < map_.width; ++u) {
    const auto at = static_cast<std::size_t>(u + kBeyond - 1);
    const auto of_four = [at](const Row& row, auto pick) {
      return pick(pick(row[at], row[at + 1]), pick(row[at + 2], row[at + 3]));
    };
    const float bend = of_four(bend_, more_of);
    if (bend <= least) continue;
    const EdgeCell cell = edge_cell(of_four(low_, less_of), of_four(high_, more_of), bend, range_);
    if (cell.jumps > 0) cells_.push_back({u, cell});
  }
  return cells_;
}

}  // namespace scanlens::cpu
