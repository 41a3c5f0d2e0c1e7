#include "filters/depth/fill.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace scanlens {
namespace {

std::int64_t fill_row(float* row, std::int64_t width) {
  std::int64_t unknown = 0;
  for (std::int64_t x = 0; x < width;) {
    if (!std::isnan(row[x])) {
      ++x;
      continue;
    }
    const std::int64_t first = x;
    while (x < width && std::isnan(row[x])) ++x;
    unknown += x - first;
    if (first == 0 && x == width) break;
    const float left = first > 0 ? row[first - 1] : row[x];
    const float right = x < width ? row[x] : left;
    std::fill(row + first, row + x, std::min(left, right));
  }
  return unknown;
}

}  // namespace

std::int64_t fill_unknown(View<float> disparity) {
  std::int64_t unknown = 0;
  std::vector<std::int64_t> known_rows;
  for (std::int64_t y = 0; y < disparity.height; ++y) {
    unknown += fill_row(disparity.row(y), disparity.width);
    if (disparity.width > 0 && !std::isnan(disparity(0, y))) known_rows.push_back(y);
  }
  if (known_rows.empty()) return unknown;
  for (std::int64_t y = 0; y < disparity.height; ++y) {
    if (!std::isnan(disparity(0, y))) continue;
    const auto below = std::lower_bound(known_rows.begin(), known_rows.end(), y);
    std::int64_t nearest = below != known_rows.end() ? *below : known_rows.back();
    if (below != known_rows.begin() && y - below[-1] <= std::abs(nearest - y)) nearest = below[-1];
    std::copy_n(disparity.row(nearest), disparity.width, disparity.row(y));
  }
  return unknown;
}

}  // namespace scanlens
