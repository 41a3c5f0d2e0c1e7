// Column scans on the CPU.
#include <algorithm>
#include <array>
#include <utility>

#include "core/cpu/pieces.h"
#include "core/cpu/running.h"
#include "core/rows/cpu.h"
#include "core/scan_rows.h"

namespace scanlens::cpu {
namespace {

/// Columns that are scanned side by side: they take 1 or 2 KiB of every row, and their running totals fit the
/// first-level cache.
constexpr std::int64_t kStrip = 256;

/// The total of what has been appended so far to each column of a strip.
template <class T, class Op>
class StripTotals {
 public:
  explicit StripTotals(Op op) : StripTotals(op, std::make_index_sequence<kStrip>()) {}

  void append(const T* row, std::int64_t width) {
    for (std::int64_t x = 0; x < width; ++x) columns_[x].append(row[x]);
  }
  void append(const T* row, std::int64_t width, T* sums) {
    for (std::int64_t x = 0; x < width; ++x) {
      columns_[x].append(row[x]);
      sums[x] = columns_[x].value();
    }
  }
  void append(const StripTotals& below) {
    for (std::int64_t x = 0; x < kStrip; ++x) columns_[x].append(below.columns_[x]);
  }

 private:
  template <std::size_t... I>
  StripTotals(Op op, std::index_sequence<I...>) : columns_{((void)I, Running<T, Op>(op))...} {}

  std::array<Running<T, Op>, kStrip> columns_;
};

}  // namespace

template <class T, class Op>
void scan_columns(Context&, View<const T> in, View<T> out, std::int64_t images, Op op) {
  using Totals = StripTotals<T, Op>;
  const std::int64_t rows = in.height / images;
  const std::int64_t strips = (in.width + kStrip - 1) / kStrip;

  /// Scans rows first … first + count - 1 of a strip of one image, below rows of the given totals.
  const auto scan_band = [&](std::int64_t strip, std::int64_t first, std::int64_t count, Totals totals) {
    const std::int64_t x = strip % strips * kStrip, y = strip / strips * rows + first;
    const std::int64_t width = std::min(kStrip, in.width - x);
    for (std::int64_t i = y; i < y + count; ++i) totals.append(in.row(i) + x, width, out.row(i) + x);
  };
  const auto measure_band = [&](std::int64_t strip, std::int64_t first, std::int64_t count) {
    const std::int64_t x = strip % strips * kStrip, y = strip / strips * rows + first;
    const std::int64_t width = std::min(kStrip, in.width - x);
    Totals totals(op);
    for (std::int64_t i = y; i < y + count; ++i) totals.append(in.row(i) + x, width);
    return totals;
  };

  if (images * strips >= thread_count()) {
    in_parallel(images * strips, [&](std::int64_t strip) { scan_band(strip, 0, rows, Totals(op)); });
    return;
  }
  const std::int64_t band = std::max<std::int64_t>(1, kScanPiece<T> / std::min(kStrip, in.width));
  for (std::int64_t strip = 0; strip < images * strips; ++strip)
    for_each_piece(
        rows, band, Totals(op),
        [&](const Piece& piece) { return measure_band(strip, piece.first, piece.count); },
        [&](const Piece& piece, const Totals& above, const Totals&) {
          scan_band(strip, piece.first, piece.count, above);
        });
}

#define SCANLENS_INSTANTIATE(T, Op) \
  template void scan_columns(Context&, View<const T>, View<T>, std::int64_t, Op);
SCANLENS_ROW_SCANS(SCANLENS_INSTANTIATE)

}  // namespace scanlens::cpu
