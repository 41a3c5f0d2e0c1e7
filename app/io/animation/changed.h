// The part of a frame that differs from the one before. Inside scanlens_files.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/view.h"

namespace scanlens {

/// A rectangle of pixels.
struct Region {
  std::int64_t x = 0, y = 0, width = 0, height = 0;
};

/// Returns the smallest region that holds all differences of both pictures; one pixel if they are equal.
inline Region changed(View<const std::uint8_t> before, View<const std::uint8_t> after) {
  std::int64_t left = after.width, right = 0, top = after.height, bottom = 0;
  for (std::int64_t y = 0; y < after.height; ++y) {
    const std::uint8_t *a = before.row(y), *b = after.row(y);
    const std::int64_t samples = after.row_samples();
    const std::int64_t first = std::mismatch(a, a + samples, b).first - a;
    if (first == samples) continue;
    std::int64_t end = samples;
    while (a[end - 1] == b[end - 1]) --end;
    left = std::min(left, first / 3);
    right = std::max(right, (end + 2) / 3);
    top = std::min(top, y);
    bottom = y + 1;
  }
  return bottom == 0 ? Region{0, 0, 1, 1} : Region{left, top, right - left, bottom - top};
}

inline void copy_rows(View<const std::uint8_t> from, View<std::uint8_t> to) {
  for (std::int64_t y = 0; y < to.height; ++y)
    std::memcpy(to.row(y), from.row(y), static_cast<std::size_t>(to.row_samples()));
}

}  // namespace scanlens
