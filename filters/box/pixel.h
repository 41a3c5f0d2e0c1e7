// One pixel of the box filter, for the CPU's and CUDA's loops alike.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/sat.h"
#include "core/view.h"

namespace scanlens {

/// Rows of an inclusive table, the latest ones at least, in a ring of bands. Each band has one row more, its
/// first, for the last row of the band before.
template <class Sum>
struct TableRing {
  Sum* data = nullptr;
  std::int64_t pitch = 0;
  // Rows are counted in 32 bits: a division of 64 costs CUDA more than a pixel does.
  std::uint32_t band_rows = 0, bands = 0;

  /// Row 0 of the band that holds row y.
  SCANLENS_HOST_DEVICE Sum* band(std::uint32_t y) const {
    return data + std::int64_t{y / band_rows % bands} * (std::int64_t{band_rows} + 1) * pitch;
  }
  SCANLENS_HOST_DEVICE Sum* row(std::uint32_t y) const {
    return band(y) + std::int64_t{1 + y % band_rows} * pitch;
  }
};

/// Four channels are colours times alpha, and alpha.
template <class T, class Sum>
struct BoxTask {
  TableRing<Sum> table;
  int width = 0, height = 0;  ///< of the picture
  int radius = 0;
  std::int64_t first = 0;  ///< the row of the picture that is row 0 of `out`
  View<T> out;
  View<const T> own;    ///< of four channels: the picture's pixels beside `out`, which may be the same
  bool packed = false;  ///< the table has one entry a pixel, of packed terms; on CUDA only
};

/// The rows of the table that a row of the result is made of.
template <class T, class Sum>
struct BoxRow {
  const Sum* last;
  const Sum* above;  ///< null at the upper edge
  int y;
  T* out;
  const T* own;  ///< null but for four channels
};

template <class T, class Sum>
SCANLENS_HOST_DEVICE BoxRow<T, Sum> box_row(const BoxTask<T, Sum>& task, std::int64_t i) {
  const int y = static_cast<int>(task.first + i);
  const Box box = clipped_box(0, y, task.radius, task.width, task.height);
  return {task.table.row(static_cast<std::uint32_t>(box.y1)),
          box.y0 > 0 ? task.table.row(static_cast<std::uint32_t>(box.y0 - 1)) : nullptr, y, task.out.row(i),
          task.own.empty() ? nullptr : task.own.row(i)};
}

/// The sum over a box of entry c of those that a pixel has in the table.
template <class T, class Sum>
SCANLENS_HOST_DEVICE Sum box_entry(const BoxRow<T, Sum>& row, const Box& box, int entries, int c) {
  const auto plus = [](Sum a, Sum b) { return a + b; };
  const auto minus = [](Sum a, Sum b) { return a - b; };
  const std::int64_t last = std::int64_t{box.x1} * entries + c,
                     before = std::int64_t{box.x0 - 1} * entries + c;
  const Sum above = row.above ? row.above[last] : Sum{0};
  const Sum left = box.x0 > 0 ? row.last[before] : Sum{0};
  const Sum corner = row.above && box.x0 > 0 ? row.above[before] : Sum{0};
  return SCANLENS_BOX_SUM(plus, minus, row.last[last], above, left, corner);
}

/// A pixel of one or three channels.
template <class T, class Sum>
SCANLENS_HOST_DEVICE void box_pixel(const BoxTask<T, Sum>& task, const BoxRow<T, Sum>& row, int x) {
  const Box box = clipped_box(x, row.y, task.radius, task.width, task.height);
  const Sum count = static_cast<Sum>(box.x1 - box.x0 + 1) * static_cast<Sum>(box.y1 - box.y0 + 1);
  const auto sum_at = [&](int entries, int c) { return box_entry(row, box, entries, c); };
  const int channels = task.out.channels;
  T* const out = row.out + std::int64_t{x} * channels;
  if constexpr (std::is_same_v<T, std::uint8_t> && std::is_same_v<Sum, std::uint64_t>)
    if (task.packed) {
      // (sum + half) / count is at least 0.5 / count from a whole number when 0.5 is added. That is more than
      // two roundings of at most 256, as long as a count fits packed terms.
      const Sum sums = sum_at(1, 0);
      const float inverse = 1.f / static_cast<float>(count), half = static_cast<float>(count / 2) + 0.5f;
      for (int c = 0; c < 3; ++c)
        out[c] = static_cast<T>((static_cast<float>(unpacked(sums, c)) + half) * inverse);
      return;
    }
  for (int c = 0; c < channels; ++c) out[c] = static_cast<T>((sum_at(channels, c) + count / 2) / count);
}

/// A pixel of three colours and alpha.
template <class T, class Sum>
SCANLENS_HOST_DEVICE void weighed_box_pixel(const BoxTask<T, Sum>& task, const BoxRow<T, Sum>& row, int x) {
  const Box box = clipped_box(x, row.y, task.radius, task.width, task.height);
  const Sum count = static_cast<Sum>(box.x1 - box.x0 + 1) * static_cast<Sum>(box.y1 - box.y0 + 1);
  const Sum alpha = box_entry(row, box, 4, 3);
  const T* const own = row.own + std::int64_t{x} * 4;
  T* const out = row.out + std::int64_t{x} * 4;
  for (int c = 0; c < 3; ++c)
    out[c] = alpha > 0 ? static_cast<T>((box_entry(row, box, 4, c) + alpha / 2) / alpha) : own[c];
  out[3] = static_cast<T>((alpha + count / 2) / count);
}

}  // namespace scanlens
