// Sums, means and variances over boxes, read from inclusive summed-area tables, on the host and on the
// device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "core/sat_box_formula.h"
#include "core/view.h"

namespace scanlens {

/// Pixels in the largest clipped_box of a picture of width x height, for boxes that reach so far.
inline std::int64_t most_box_pixels(std::int64_t reach, std::int64_t width, std::int64_t height) {
  return std::min(2 * reach + 1, width) * std::min(2 * reach + 1, height);
}

/// The sum over columns x0 .. x1 and rows y0 .. y1, both inclusive. The box must lie inside the table (see
/// clipped_box). Exact as long as the sum fits Sum, however large the table's entries.
template <class Sum>
SCANLENS_HOST_DEVICE std::remove_const_t<Sum> box_sum(const View<Sum>& table, std::int64_t x0,
                                                      std::int64_t y0, std::int64_t x1, std::int64_t y1,
                                                      int c) {
  using Entry = std::remove_const_t<Sum>;
  const auto plus = [](Entry a, Entry b) { return a + b; };
  const auto minus = [](Entry a, Entry b) { return a - b; };
  const Entry above = y0 > 0 ? table(x1, y0 - 1, c) : Entry{0};
  const Entry left = x0 > 0 ? table(x0 - 1, y1, c) : Entry{0};
  const Entry corner = x0 > 0 && y0 > 0 ? table(x0 - 1, y0 - 1, c) : Entry{0};
  return SCANLENS_BOX_SUM(plus, minus, table(x1, y1, c), above, left, corner);
}

/// The mean over the same pixels.
template <class Sum>
SCANLENS_HOST_DEVICE double box_mean(const View<Sum>& table, std::int64_t x0, std::int64_t y0,
                                     std::int64_t x1, std::int64_t y1, int c) {
  const auto count = static_cast<double>((x1 - x0 + 1) * (y1 - y0 + 1));
  return mean_of_sum(count, static_cast<double>(box_sum(table, x0, y0, x1, y1, c)));
}

/// The variance over the same pixels, of the population, from the tables of sums and of squares that
/// summed_area_tables makes. Never negative. Where the squares sum to 2^53 or more its error grows to about
/// 2^-53 of their mean; of tables of doubles it is that of the sums.
template <class Sum, class Square>
SCANLENS_HOST_DEVICE double box_variance(const View<Sum>& table, const View<Square>& squares, std::int64_t x0,
                                         std::int64_t y0, std::int64_t x1, std::int64_t y1, int c) {
  const auto count = static_cast<double>((x1 - x0 + 1) * (y1 - y0 + 1));
  return variance_of_sums(count, static_cast<double>(box_sum(table, x0, y0, x1, y1, c)),
                          static_cast<double>(box_sum(squares, x0, y0, x1, y1, c)));
}

}  // namespace scanlens
