#include "app/filtering/filtered_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "app/color/profile.h"
#include "app/io/gain_map.h"
#include "app/io/turned_jpeg.h"
#include "core/error.h"
#include "filters/bands.h"
#include "filters/tones.h"
#include "filters/turns.h"

namespace scanlens {
namespace {

/// Measured on 100,000 pixels a row: higher bands gain a CPU of 16 cores a tenth and cost a GPU a third.
constexpr std::int64_t kMostRows = 128;
constexpr int kMostChannels = 4;  // of pictures; a decoder that announces more holds memory of its own
/// Memory that bands are made to fit, unless boxes reach farther.
constexpr std::int64_t kUsualMemory = std::int64_t{512} << 20;

std::int64_t row_bytes(const RowFormat& format) {
  return static_cast<std::int64_t>(format.row_bytes());
}

}  // namespace

FilteredFile::FilteredFile(const Filtering& filtering, std::filesystem::path input,
                           std::filesystem::path output, bool on_cuda, Talk& talk)
    : filtering_(filtering),
      input_(std::move(input)),
      output_(std::move(output)),
      on_cuda_(on_cuda),
      talk_(talk),
      calls_(filtering.calls) {}

void FilteredFile::open(Admit admit) {
  admit_ = std::move(admit);
  find_depth(calls_, input_, filtering_.photo, talk_);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(input_, error);
  file_bytes_ = error ? 0 : static_cast<std::int64_t>(size);
  Limits whole = talk_.settings.limits(), streamed = whole;
  streamed.max_bytes = SIZE_MAX;  // only bands of it are ever in memory
  if (!filtering_.limits_pixels) streamed.max_pixels = INT64_MAX;
  const auto fit = [this, asked = calls_](const RowFormat& format) { calls_ = at_size(asked, format); };
  whole.admit = [&](const RowFormat& format) {
    is_whole_ = true;
    if (format.channels > kMostChannels)
      return admit_memory({format.height * row_bytes(format) + file_bytes_, 0});
    fit(format);
    take_memory(format, true);
  };
  reader_ = talk_.timed("decode", [&] { return open_rows(input_, streamed, whole, may_be_turned()); });
  about(input_, [&] { fit(format()); });
  take_memory(format(), is_whole_);
  talk_.report(input_.string(), reader_->remarks());
  made_ = output_of(calls_, format());
  require_pixels(whole);
  take_tones();
}

void FilteredFile::admit_memory(const HostMemory& memory) {
  memory_ = memory;
  talk_.settings.require_host_memory(input_.string(), memory.most);
  admit_(memory);
}

/// Finds the height of bands, and gets the memory for all of the work.
void FilteredFile::take_memory(const RowFormat& format, bool whole) {
  rows_ = std::min(filtering_.band > 0 ? filtering_.band : band_for(format, whole), format.height);
  admit_memory(host_memory(format, rows_, whole));
}

/// Refuses results of too many pixels, where the limit is meant for them: pictures that are larger than the
/// one that was read.
void FilteredFile::require_pixels(const Limits& whole) const {
  const bool by_rows = is_written_by_rows(output_, made_, filtering_.write) && !filtering_.limits_pixels;
  if (by_rows || made_.width * made_.height <= std::max(whole.max_pixels, format().width * format().height))
    return;
  throw Error(fmt::format("{}: becomes {} x {} pixels, more than the limit of {} (--max-pixels)",
                          input_.string(), made_.width, made_.height, whole.max_pixels));
}

/// Gives the picture's tone curves to filters that work in light, where they are not sRGB's.
void FilteredFile::take_tones() {
  const std::vector<std::byte>& icc = reader_->metadata().icc;
  const auto takes = [](const FilterCall& call) { return call.filter->takes_tones; };
  if (icc.empty() || format().sample_bytes > 2 || std::none_of(calls_.begin(), calls_.end(), takes)) return;
  const Profile profile(icc, format().channels);
  if (!profile.has_curves())
    talk_.assume(fmt::format("{}: its colour profile has no tone curves; light is taken by those of sRGB",
                             input_.string()));
  if (!profile.has_curves() || profile.has_srgb_curves()) return;
  const auto tones =
      std::make_shared<const Tones>(make_tones(profile.light_of_codes(), format().sample_bytes));
  for (FilterCall& call : calls_)
    if (takes(call)) call.tones = tones;
}

bool FilteredFile::only_filters() const {
  return is_whole_ && map_bytes(calls_, format()) == 0 &&
         !is_written_by_rows(output_, made_, filtering_.write);
}

void FilteredFile::filter(Context& context, const Show& show) {
  if (context.on_cuda())
    talk_.settings.require_memory(
        context, input_.string(), 0,
        map_bytes(calls_, format()) +
            std::max(stream_bytes(format(), rows_), map_fitting_bytes(calls_, format())));
  if (map_bytes(calls_, format()) > 0)
    maps_ = talk_.timed("maps", [&] {
      return load_maps(calls_, context, *reader_, input_, filtering_.photo, limits_of_maps(), talk_);
    });
  Metadata metadata = reader_->metadata();
  if (takes_light(metadata, output_, filtering_.write)) metadata.light = filtered_light(context);
  if ((writer_ = turned_without_loss(metadata))) return show(1);
  writer_ = create_rows(output_, made_, filtering_.write, metadata, talk_.remarks_on(output_));
  pass(
      context, *reader_, calls_, [&](Bytes next) { talk_.timed("encode", [&] { writer_->write(next); }); },
      show);
}

void FilteredFile::pass(Context& context, RowReader& reader, const std::vector<FilterCall>& calls,
                        const std::function<void(Bytes)>& take, const Show& show) {
  const RowFormat& from = reader.format();
  std::optional<BandStream> filtered;
  if (!calls.empty()) filtered.emplace(context, calls, from, rows_);
  const Memory memory(Backend::cpu, static_cast<std::size_t>(rows_ * row_bytes(from)));
  const auto put = [&](std::span<const std::byte> next) {
    if (!next.empty()) take(next);
  };
  for (std::int64_t y = 0; y < from.height; y += rows_) {
    const std::span next(memory.data(),
                         static_cast<std::size_t>(std::min(rows_, from.height - y) * row_bytes(from)));
    talk_.timed("decode", [&] { reader.read(next); });
    put(filtered ? talk_.timed("filter", [&] { return filtered->push(next); }) : next);
    show(static_cast<double>(std::min(y + rows_, from.height)) / static_cast<double>(from.height));
  }
  reader.finish();
  if (!filtered) return;
  const auto finish = [&] { return filtered->finish(); };
  for (std::span<const std::byte> last; !(last = talk_.timed("filter", finish)).empty();) put(last);
}

/// Returns true if filters only turn a picture that becomes a JPEG.
bool FilteredFile::may_be_turned() const {
  return orientation_of(calls_) && takes_blocks(output_, filtering_.write);
}

/// Returns what writes a JPEG whose filters only turn it, where its blocks can be turned as they are.
std::unique_ptr<RowWriter> FilteredFile::turned_without_loss(const Metadata& metadata) {
  if (reader_->encoded().empty()) return nullptr;
  // Coefficients take two bytes a sample, as they are and as they become.
  admit_memory({memory_.most + 4 * format().height * row_bytes(format()), memory_.kept});
  std::unique_ptr<RowWriter> writer =
      turn_jpeg(*reader_, orientation_of_both(reader_->orientation(), *orientation_of(calls_)), output_,
                made_, filtering_.write, metadata, talk_.remarks_on(output_));
  if (writer) talk_.say(fmt::format("{}: turned without loss", output_name(output_)));
  return writer;
}

/// Takes the light above white through the same filters as the codes.
std::shared_ptr<const Image<float>> FilteredFile::filtered_light(Context& context) {
  const std::int64_t pixels = format().width * format().height + made_.width * made_.height;
  admit_memory({memory_.most + light_bytes(pixels * format().channels), memory_.kept});
  const std::unique_ptr<RowReader> reader = talk_.timed("decode", [&] { return reader_->light(); });
  std::vector<FilterCall> calls = calls_;
  for (FilterCall& call : calls) call.tones = nullptr;
  Image<float> light(made_.width, made_.height, made_.channels);
  auto* to = reinterpret_cast<std::byte*>(light.view().data);
  pass(
      context, *reader, calls, [&](Bytes next) { to = std::copy(next.begin(), next.end(), to); },
      [](double) {});
  return std::make_shared<const Image<float>>(std::move(light));
}

void FilteredFile::commit() {
  talk_.timed("encode", [&] { writer_->commit(); });
}

/// Returns the host's bytes beside the filters', with bands of `rows` rows.
std::int64_t FilteredFile::bands_bytes(const RowFormat& format, std::int64_t rows) const {
  // A band as it is read and one as it is written; on CUDA also two each way that the copy engines reach.
  const RowFormat made = output_of(calls_, format);
  const std::int64_t band = rows * row_bytes(format);
  const std::int64_t made_band =
      std::min(made.height, rows * made.height / std::max<std::int64_t>(format.height, 1) + 2) *
      row_bytes(made);
  return (on_cuda_ ? 6 : 2) * std::max(band, made_band) + row_writer_bytes(output_, made, filtering_.write);
}

/// Returns the context's bytes.
std::int64_t FilteredFile::stream_bytes(const RowFormat& format, std::int64_t rows) const {
  return calls_.empty() ? 0 : band_stream_bytes(calls_, format, rows);
}

/// Returns the highest band, a power of two, that leaves filters and band within the usual memory and the
/// whole within the limit; at least one row.
std::int64_t FilteredFile::band_for(const RowFormat& format, bool whole) const {
  const std::size_t limit = talk_.settings.limits().max_bytes;
  const auto is_too_high = [&](std::int64_t rows) {
    return stream_bytes(format, rows) + rows * row_bytes(format) > kUsualMemory ||
           static_cast<std::size_t>(host_memory(format, rows, whole).most) > limit;
  };
  std::int64_t rows = kMostRows;
  while (rows > 1 && is_too_high(rows)) rows /= 2;
  return rows;
}

/// A picture that is decoded whole is there together with its file, and again where it is turned. After that
/// its maps are brought to its size, and then it is filtered.
FilteredFile::HostMemory FilteredFile::host_memory(const RowFormat& format, std::int64_t rows,
                                                   bool whole) const {
  const std::int64_t samples = whole ? format.height * row_bytes(format) : 0;
  const std::int64_t maps = map_bytes(calls_, format), on_host = on_cuda_ ? 0 : maps;
  const std::int64_t filters = on_cuda_ ? 0 : stream_bytes(format, rows);
  const std::int64_t bands = bands_bytes(format, rows);
  HostMemory memory;
  // Nothing is kept that would be there beside what the maps take.
  memory.kept = on_cuda_ ? 4 * bands / 6 : maps > 0 ? 0 : filters;
  memory.most =
      std::max({memory.kept + (whole ? 2 * samples + file_bytes_ : 0),
                samples + maps + map_fitting_bytes(calls_, format), samples + on_host + filters + bands});
  return memory;
}

/// Returns limits that ask for more memory before a map is decoded that is larger than the picture.
Limits FilteredFile::limits_of_maps() {
  Limits limits = talk_.settings.limits();
  limits.admit = [this](const RowFormat& map) {
    const RowFormat& picture = format();
    const std::int64_t samples = picture.height * row_bytes(picture) + map_bytes(calls_, picture);
    const std::int64_t bytes = samples + map_decoding_bytes(map);
    if (bytes > memory_.most) admit_memory({bytes, memory_.kept});
  };
  return limits;
}

}  // namespace scanlens
