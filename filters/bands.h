// Filters on a picture of any height that comes from host memory, and goes there, in bands of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "core/context.h"
#include "filters/filter.h"

namespace scanlens {

class BandTransfer;  // filters/bands/transfer.h

/// Runs filters one after the other. Only as many rows are kept as each one's reach asks for. On CUDA the
/// upload of a band, the work on the one before and the download of the one before that overlap. The rows are
/// those of run_filters, floats up to their rounding. The calls' maps are those of the whole picture. The
/// context and the maps must outlive the stream; the context must not be moved.
class BandStream {
 public:
  /// For a picture of this format that comes in bands of `band_rows` rows. Throws Error (usage) for arguments
  /// that run_filters would not take, and for no filter at all.
  BandStream(Context& context, std::span<const FilterCall> calls, const RowFormat& format,
             std::int64_t band_rows);
  BandStream(Context& context, const FilterCall& call, const RowFormat& format, std::int64_t band_rows)
      : BandStream(context, std::span(&call, 1), format, band_rows) {}
  BandStream(BandStream&&) noexcept;
  ~BandStream();

  /// Takes the next rows, packed: `band_rows` of them, only the last ones may be fewer. Gives rows that are
  /// finished, in order, packed and at most `band_rows`, or as many more as the result is higher: maybe none
  /// yet. They stay valid until the next call.
  std::span<const std::byte> push(std::span<const std::byte> rows);

  /// After the last row: the next finished rows, and none when all have been given.
  std::span<const std::byte> finish();

 private:
  void make_next();

  RowFormat format_, out_format_;
  std::int64_t band_rows_, out_band_rows_;
  std::unique_ptr<BandWork> work_;
  std::unique_ptr<BandTransfer> transfer_;  ///< waits, when destroyed, for what uses the work's memory
  std::int64_t seen_ = 0;                   ///< rows that have been given to push
  std::int64_t done_ = 0;                   ///< rows of the result that have been made
};

/// Bytes that such a stream takes, at most, where its context works, beside the maps.
std::int64_t band_stream_bytes(std::span<const FilterCall> calls, const RowFormat& format,
                               std::int64_t band_rows);
inline std::int64_t band_stream_bytes(const FilterCall& call, const RowFormat& format,
                                      std::int64_t band_rows) {
  return band_stream_bytes(std::span(&call, 1), format, band_rows);
}

}  // namespace scanlens
