#include "app/filtering/filtered_file.h"

#include <algorithm>
#include <span>
#include <utility>

#include "app/session/filter_maps.h"
#include "filters/bands.h"

namespace scanlens {
namespace {

/// Measured on 100,000 pixels a row: higher bands gain a CPU of 16 cores a tenth and cost a GPU a third.
constexpr std::int64_t kMostRows = 128;
/// What bands are made to fit, unless boxes reach farther.
constexpr std::int64_t kUsualMemory = std::int64_t{512} << 20;

std::int64_t row_bytes(const RowFormat& format) {
  return static_cast<std::int64_t>(format.row_bytes());
}

}  // namespace

FilteredFile::FilteredFile(const Filtering& filtering, std::filesystem::path input,
                           std::filesystem::path output, Context& context, const Session& session)
    : filtering_(filtering),
      input_(std::move(input)),
      output_(std::move(output)),
      context_(context),
      session_(session),
      calls_(filtering.calls) {}

void FilteredFile::open(const Admit& admit) {
  find_depth(calls_, input_, session_);
  Limits whole = session_.limits(), streamed = whole;
  streamed.max_bytes = SIZE_MAX;  // only bands of it are ever in memory
  if (!filtering_.limits_pixels) streamed.max_pixels = INT64_MAX;
  if (admit) whole.admit = [&](const RowFormat& format) { admit(all_host_bytes(format, true)); };
  reader_ = session_.timed("decode", [&] { return open_rows(input_, streamed, whole); });
  if (admit) admit(all_host_bytes(format(), false));
  session_.report(input_.string(), reader_->remarks());
  rows_ = std::min(filtering_.band > 0 ? filtering_.band : band_for(format()), format().height);
  const std::int64_t maps = map_bytes(calls_, format().width, format().height);
  session_.require_memory(context_, input_.string(), bands_bytes(format(), rows_) + maps,
                          stream_bytes(format(), rows_) + maps);
}

void FilteredFile::filter(const Show& show) {
  if (map_bytes(calls_, format().width, format().height) > 0)
    maps_ = session_.timed("maps", [&] { return load_maps(calls_, context_, *reader_, session_); });
  BandStream filtered(context_, calls_, format(), rows_);
  writer_ =
      create_rows(output_, format(), filtering_.write, reader_->metadata(), session_.remarks_on(output_));
  const Memory memory(Backend::cpu, static_cast<std::size_t>(rows_ * row_bytes(format())));
  const auto put = [&](std::span<const std::byte> next) {
    session_.timed("encode", [&] { writer_->write(next); });
  };
  const std::int64_t height = format().height;
  for (std::int64_t y = 0; y < height; y += rows_) {
    const std::span next(memory.data(),
                         static_cast<std::size_t>(std::min(rows_, height - y) * row_bytes(format())));
    session_.timed("decode", [&] { reader_->read(next); });
    put(session_.timed("filter", [&] { return filtered.push(next); }));
    show(static_cast<double>(std::min(y + rows_, height)) / static_cast<double>(height));
  }
  reader_->finish();
  const auto finish = [&] { return filtered.finish(); };
  for (std::span<const std::byte> last; !(last = session_.timed("filter", finish)).empty();) put(last);
}

void FilteredFile::commit() {
  session_.timed("encode", [&] { writer_->commit(); });
}

/// Returns the host's bytes beside the filters', with bands of `rows` rows.
std::int64_t FilteredFile::bands_bytes(const RowFormat& format, std::int64_t rows) const {
  // A band as it is read and one as it is written; on CUDA also two each way that the copy engines reach.
  const std::int64_t bands = context_.on_cuda() ? 6 : 2;
  return bands * rows * row_bytes(format) + row_writer_bytes(output_, format, filtering_.write);
}

/// Returns the context's bytes.
std::int64_t FilteredFile::stream_bytes(const RowFormat& format, std::int64_t rows) const {
  return band_stream_bytes(calls_, format, rows);
}

/// Returns the highest band, a power of two, that leaves filters and band within the usual memory and the
/// whole within the limit; at least one row.
std::int64_t FilteredFile::band_for(const RowFormat& format) const {
  const std::size_t limit = session_.limits().max_bytes;
  const auto is_too_high = [&](std::int64_t rows) {
    const std::int64_t memory = stream_bytes(format, rows);
    return memory + rows * row_bytes(format) > kUsualMemory ||
           static_cast<std::size_t>(memory + bands_bytes(format, rows)) > limit;
  };
  std::int64_t rows = kMostRows;
  while (rows > 1 && is_too_high(rows)) rows /= 2;
  return rows;
}

/// Returns the host's bytes of everything; of a picture that is had whole also its samples, twice where they
/// are turned, and its file, hardly larger than they are.
std::int64_t FilteredFile::all_host_bytes(const RowFormat& format, bool whole) const {
  const std::int64_t rows = std::min(filtering_.band > 0 ? filtering_.band : band_for(format), format.height);
  return bands_bytes(format, rows) + (context_.on_cuda() ? 0 : stream_bytes(format, rows)) +
         (context_.on_cuda() ? 1 : 2) * map_bytes(calls_, format.width, format.height) +
         map_fitting_bytes(calls_, format.width, format.height) +
         (whole ? 2 * format.height * row_bytes(format) : 0);
}

}  // namespace scanlens
