#include <algorithm>

#include "core/runtime/checks.h"
#include "core/runtime/count.h"
#include "core/runtime/dispatch.h"
#include "filters/bands.h"
#include "filters/bands/chain.h"
#include "filters/bands/transfer.h"
#include "filters/bands/work.h"

namespace scanlens {
namespace {

/// Bands higher than the picture take no more than the picture does.
std::int64_t clipped_band(const RowFormat& format, std::int64_t band_rows) {
  return std::min(band_rows, std::max<std::int64_t>(format.height, 1));
}

/// Returns the bytes of the larger of the bands that come and go.
std::size_t transfer_bytes(std::span<const FilterCall> calls, const RowFormat& format,
                           std::int64_t band_rows) {
  const BandShape made = shapes_of(calls, format, band_rows).back();
  return std::max(static_cast<std::size_t>(band_rows) * format.row_bytes(),
                  static_cast<std::size_t>(made.rows) * made.format.row_bytes());
}

}  // namespace

BandStream::BandStream(Context& context, std::span<const FilterCall> calls, const RowFormat& format,
                       std::int64_t band_rows)
    : format_(format), band_rows_(clipped_band(format, band_rows)) {
  SCANLENS_REQUIRE(!calls.empty(), "BandStream: no filter is given");
  SCANLENS_REQUIRE(format.channels == 1 || format.channels == 3 || format.channels == 4,
                   fmt::format("BandStream: {} channels are not supported", format.channels));
  SCANLENS_REQUIRE(format.sample_bytes == 1 || format.sample_bytes == 2 || format.sample_bytes == 4,
                   fmt::format("BandStream: samples of {} bytes are not supported", format.sample_bytes));
  SCANLENS_REQUIRE(format.width >= 0 && format.height >= 0 && format.width <= kMostFilterSide &&
                       format.height <= kMostFilterSide,
                   fmt::format("BandStream: {} x {} pixels, of at most {} a side", format.width,
                               format.height, kMostFilterSide));
  SCANLENS_REQUIRE(band_rows >= 1, fmt::format("BandStream: bands of {} rows", band_rows));
  refuse_capture(context, "BandStream");
  out_format_ = format;
  for (const FilterCall& call : calls) {
    require_fits(call, out_format_.width, out_format_.height);
    out_format_ = output_of(call, out_format_);
  }
  out_band_rows_ = shapes_of(calls, format, band_rows_).back().rows;
  if (format.width == 0 || format.height == 0) return;
  work_ = open_chain(context, calls, format, band_rows_);
  SCANLENS_DISPATCH(context, open_band_transfer, transfer_bytes(calls, format, band_rows_), transfer_);
}

BandStream::BandStream(BandStream&&) noexcept = default;
BandStream::~BandStream() = default;

std::span<const std::byte> BandStream::push(std::span<const std::byte> rows) {
  const std::int64_t count = std::min(band_rows_, format_.height - seen_);
  SCANLENS_REQUIRE(rows.size() == static_cast<std::size_t>(count) * format_.row_bytes(),
                   fmt::format("BandStream: {} bytes were given, {} rows of {} expected", rows.size(), count,
                               format_.row_bytes()));
  seen_ += count;
  if (rows.empty()) {
    done_ = seen_;  // rows without pixels are finished
    return {};
  }
  work_->take(transfer_->upload(rows), count);
  make_next();
  return transfer_->take(false);
}

std::span<const std::byte> BandStream::finish() {
  SCANLENS_REQUIRE(seen_ == format_.height,
                   fmt::format("BandStream: {} of {} rows were given", seen_, format_.height));
  std::span<const std::byte> rows;
  while (rows.empty() && (done_ < out_format_.height || (transfer_ && !transfer_->idle()))) {
    if (done_ < out_format_.height) make_next();
    rows = transfer_->take(done_ == out_format_.height);
  }
  return rows;
}

/// The result's next rows, as many as are ready and at most a band.
void BandStream::make_next() {
  const std::int64_t count = std::clamp<std::int64_t>(work_->ready() - done_, 0, out_band_rows_);
  if (count > 0) work_->make(done_, count, transfer_->room());
  transfer_->download(static_cast<std::size_t>(count) * out_format_.row_bytes());
  done_ += count;
}

std::int64_t band_stream_bytes(std::span<const FilterCall> calls, const RowFormat& format,
                               std::int64_t band_rows) {
  const std::int64_t rows = clipped_band(format, band_rows);
  const CallMemory memory = count_memory([&](Context& context) { open_chain(context, calls, format, rows); });
  // Objects of each filter, and the ends of blocks that are left over.
  constexpr std::int64_t kObjects = 4096;
  return memory.workspace + memory.beside + memory.kept + static_cast<std::int64_t>(calls.size()) * kObjects +
         kTransferBands * static_cast<std::int64_t>(transfer_bytes(calls, format, rows));
}

}  // namespace scanlens
