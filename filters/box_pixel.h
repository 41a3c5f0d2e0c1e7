// One pixel of the box filter, for the CPU's and CUDA's loops alike.
#pragma once

#include <cstdint>

#include "core/sat_box_formula.h"
#include "core/view.h"

namespace scanlens {

/// Rows of an inclusive table, the latest ones at least, in a ring of bands. Each band has one row more, its
/// first, for the last row of the band before.
template <class Sum>
struct TableRing {
  Sum* data = nullptr;
  std::int64_t pitch = 0;
  std::int64_t band_rows = 0;
  std::int64_t bands = 0;

  /// Row 0 of the band that holds row y.
  SCANLENS_HOST_DEVICE Sum* band(std::int64_t y) const {
    return data + y / band_rows % bands * (band_rows + 1) * pitch;
  }
  SCANLENS_HOST_DEVICE Sum* row(std::int64_t y) const { return band(y) + (1 + y % band_rows) * pitch; }
};

template <class T, class Sum>
struct BoxTask {
  TableRing<Sum> table;
  int width = 0, height = 0;  ///< of the picture
  int radius = 0;
  std::int64_t first = 0;  ///< the row of the picture that is row 0 of `out`
  View<T> out;
};

/// The rows of the table that a row of the result is made of.
template <class T, class Sum>
struct BoxRow {
  const Sum* last;
  const Sum* above;  ///< null at the upper edge
  int y;
  T* out;
};

template <class T, class Sum>
SCANLENS_HOST_DEVICE BoxRow<T, Sum> box_row(const BoxTask<T, Sum>& task, std::int64_t i) {
  const int y = static_cast<int>(task.first + i);
  const Box box = clipped_box(0, y, task.radius, task.width, task.height);
  return {task.table.row(box.y1), box.y0 > 0 ? task.table.row(box.y0 - 1) : nullptr, y, task.out.row(i)};
}

template <class T, class Sum>
SCANLENS_HOST_DEVICE void box_pixel(const BoxTask<T, Sum>& task, const BoxRow<T, Sum>& row, int x) {
  const auto plus = [](Sum a, Sum b) { return a + b; };
  const auto minus = [](Sum a, Sum b) { return a - b; };
  const Box box = clipped_box(x, row.y, task.radius, task.width, task.height);
  const Sum count = static_cast<Sum>(box.x1 - box.x0 + 1) * static_cast<Sum>(box.y1 - box.y0 + 1);
  const int channels = task.out.channels;
  const std::int64_t last = std::int64_t{box.x1} * channels, before = std::int64_t{box.x0 - 1} * channels;
  for (int c = 0; c < channels; ++c) {
    const Sum above = row.above ? row.above[last + c] : Sum{0};
    const Sum left = box.x0 > 0 ? row.last[before + c] : Sum{0};
    const Sum corner = row.above && box.x0 > 0 ? row.above[before + c] : Sum{0};
    const Sum sum = SCANLENS_BOX_SUM(plus, minus, row.last[last + c], above, left, corner);
    row.out[std::int64_t{x} * channels + c] = static_cast<T>((sum + count / 2) / count);
  }
}

}  // namespace scanlens
