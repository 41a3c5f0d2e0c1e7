// The cells of a small map: what its 4 x 4 pixels around a place show. Inside filters/depth/cpu.
#pragma once

#include <cstdint>
#include <vector>

#include "core/view.h"
#include "filters/depth/edges_formula.h"

namespace scanlens::cpu {

/// Cell u of a row, whose second pixel is u; it jumps.
struct JumpCell {
  std::int64_t u;
  EdgeCell cell;
};

/// Finds the cells of one row after the other.
class EdgeCells {
 public:
  /// Takes a map whose values span `range`.
  EdgeCells(View<const float> map, float range);

  /// Returns the cells that jump, of those whose second pixels are row v, from -1 on.
  const std::vector<JumpCell>& row(std::int64_t v);

 private:
  static constexpr int kBeyond = 2;  ///< pixels repeated beyond the map's sides
  using Row = std::vector<float>;

  void add_bends(std::int64_t v, bool first);
  void add_values(std::int64_t v, bool first);
  void repeat_ends(Row& row) const;

  View<const float> map_;
  float range_;
  Row low_, high_, bend_;  ///< of four rows
  std::vector<JumpCell> cells_;
  std::int64_t row_ = -2;
};

}  // namespace scanlens::cpu
