// Column scans on the CPU.
#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "core/cpu/pieces.h"
#include "core/cpu/running.h"
#include "core/rows/cpu.h"
#include "core/scan_axis.h"

namespace scanlens::cpu {
namespace {

/// Columns that are scanned side by side: they take 1 or 2 KiB of every row, and their running totals fit the
/// first-level cache.
constexpr std::int64_t kStrip = 256;

/// The total of what has been appended so far to each column of a strip.
template <class Total>
class StripTotals {
 public:
  explicit StripTotals(const Total& start) : StripTotals(start, std::make_index_sequence<kStrip>()) {}

  template <class In>
  void append(const In* row, std::int64_t width) {
    using Value = decltype(columns_[0].value());
    for (std::int64_t x = 0; x < width; ++x) columns_[x].append(static_cast<Value>(row[x]));
  }
  template <bool kInclusive, class In, class Out>
  void append(const In* row, std::int64_t width, Out* sums) {
    using Value = decltype(columns_[0].value());
    for (std::int64_t x = 0; x < width; ++x)
      sums[x] = append_next<kInclusive, Out>(columns_[x], static_cast<Value>(row[x]));
  }
  void append(const StripTotals& below) {
    for (std::int64_t x = 0; x < kStrip; ++x) columns_[x].append(below.columns_[x]);
  }

 private:
  template <std::size_t... I>
  StripTotals(const Total& start, std::index_sequence<I...>) : columns_{((void)I, start)...} {}

  std::array<Total, kStrip> columns_;
};

}  // namespace

template <class In, class Out, class Op>
void scan_columns(Context&, View<const In> in, View<Out> out, std::int64_t images, const ScanForm<Out>& form,
                  Op op) {
  using Total = Running<CombinedIn<Out>, Op>;
  using Totals = StripTotals<Total>;
  const Total start = start_of(form, op);
  const std::int64_t rows = in.height / images;
  const std::int64_t strips = (in.width + kStrip - 1) / kStrip;
  /// The place of the i-th row of an image in the order of the scan.
  const auto row_of = [&](std::int64_t strip, std::int64_t i) {
    return strip / strips * rows + (form.reverse ? rows - 1 - i : i);
  };

  /// Scans rows first … first + count - 1 of a strip of one image, below rows of the given totals.
  const auto scan_band_by = [&](auto kind, std::int64_t strip, std::int64_t first, std::int64_t count,
                                Totals totals) {
    const std::int64_t x = strip % strips * kStrip, width = std::min(kStrip, in.width - x);
    for (std::int64_t i = first; i < first + count; ++i) {
      const std::int64_t y = row_of(strip, i);
      totals.template append<kind>(in.row(y) + x, width, out.row(y) + x);
    }
  };
  const auto scan_band = [&](std::int64_t strip, std::int64_t first, std::int64_t count,
                             const Totals& totals) {
    if (form.inclusive)
      scan_band_by(std::true_type(), strip, first, count, totals);
    else
      scan_band_by(std::false_type(), strip, first, count, totals);
  };
  const auto measure_band = [&](std::int64_t strip, std::int64_t first, std::int64_t count) {
    const std::int64_t x = strip % strips * kStrip, width = std::min(kStrip, in.width - x);
    Totals totals{Total(op)};
    for (std::int64_t i = first; i < first + count; ++i) totals.append(in.row(row_of(strip, i)) + x, width);
    return totals;
  };

  if (images * strips >= thread_count()) {
    in_parallel(images * strips, [&](std::int64_t strip) { scan_band(strip, 0, rows, Totals(start)); });
    return;
  }
  const std::int64_t band = std::max<std::int64_t>(1, kScanPiece<Out> / std::min(kStrip, in.width));
  for (std::int64_t strip = 0; strip < images * strips; ++strip)
    for_each_piece(
        rows, band, Totals(start),
        [&](const Piece& piece) { return measure_band(strip, piece.first, piece.count); },
        [&](const Piece& piece, const Totals& above, const Totals&) {
          scan_band(strip, piece.first, piece.count, above);
        });
}

#define SCANLENS_INSTANTIATE(name, In, Out, Op) \
  template void scan_columns(Context&, View<const In>, View<Out>, std::int64_t, const ScanForm<Out>&, Op);
SCANLENS_AXIS_SCANS(SCANLENS_INSTANTIATE)

}  // namespace scanlens::cpu
