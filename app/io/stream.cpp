#include "app/io/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "app/color/profile.h"
#include "app/io/background.h"
#include "app/io/codecs/codec.h"
#include "app/io/gain_map.h"
#include "app/io/prepare.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

class WholeReader : public RowReader {
 public:
  explicit WholeReader(Picture picture) : picture_(std::move(picture)) {
    metadata_ = std::move(picture_.metadata);
    remarks_ = std::move(picture_.remarks);
    orientation_ = picture_.orientation;
    format_.width = picture_.width();
    format_.height = picture_.height();
    format_.channels = picture_.channels();
    std::visit(
        [&]<class T>(const Image<T>& image) {
          format_.sample_bytes = sizeof(T);
          all_ = std::as_bytes(std::span(image.view().data, static_cast<std::size_t>(image.view().extent())));
        },
        picture_.samples);
    left_ = all_;
  }

  void rewind() override { left_ = all_; }

  std::unique_ptr<RowReader> light() const override {
    return std::make_unique<WholeReader>(light_of(picture_.samples, metadata_));
  }

  void read(std::span<std::byte> rows) override {
    std::memcpy(rows.data(), left_.data(), rows.size());
    left_ = left_.subspan(rows.size());
  }

 private:
  Picture picture_;
  Bytes all_, left_;
};

/// A JPEG whose samples are decoded with the first row.
class LateJpeg : public RowReader {
 public:
  LateJpeg(Memory file, const Source& source, const RowFormat& stored)
      : file_(std::move(file)), source_(source) {
    constexpr int kFirstOnItsSide = 5;  // of EXIF's orientations
    FileExtras extras = read_extras(source.bytes, Format::jpeg);
    if (const auto& exif = extras.carried.exif; !exif.empty()) orientation_ = orientation_of(exif);
    format_ = stored;
    if (orientation_ >= kFirstOnItsSide) std::swap(format_.width, format_.height);
    complete_metadata(std::move(extras), {format_.width, format_.height, format_.channels, false}, metadata_,
                      remarks_);
    source_.limits.admit = {};  // it has
  }

  Bytes encoded() const override { return source_.bytes; }
  void rewind() override {
    if (decoded_) decoded_->rewind();
  }
  void read(std::span<std::byte> rows) override {
    if (!decoded_) decoded_ = std::make_unique<WholeReader>(decode(source_, Format::jpeg));
    decoded_->read(rows);
  }

 private:
  Memory file_;
  Source source_;
  std::unique_ptr<WholeReader> decoded_;
};

class WholeWriter : public RowWriter {
 public:
  WholeWriter(const fs::path& path, const RowFormat& format, const WriteOptions& options,
              const Metadata& metadata, const Remarks& say)
      : path_(path), options_(options), say_(say) {
    picture_.metadata = metadata;
    if (format.sample_bytes == 1)
      picture_.samples = Image<std::uint8_t>(format.width, format.height, format.channels);
    else if (format.sample_bytes == 2)
      picture_.samples = Image<std::uint16_t>(format.width, format.height, format.channels);
    else
      picture_.samples = Image<float>(format.width, format.height, format.channels);
    std::visit([&](auto& image) { at_ = reinterpret_cast<std::byte*>(image.view().data); }, picture_.samples);
  }

  void write(std::span<const std::byte> rows) override { at_ = std::copy(rows.begin(), rows.end(), at_); }
  void commit() override { write_picture(path_, picture_, options_, say_); }

 private:
  fs::path path_;
  WriteOptions options_;
  Remarks say_;
  Picture picture_;
  std::byte* at_ = nullptr;
};

/// Converts rows to sRGB on their way to a writer.
class ToSrgbWriter : public RowWriter {
 public:
  ToSrgbWriter(std::unique_ptr<RowWriter> to, const Profile& profile, const RowFormat& format)
      : to_(std::move(to)),
        convert_(profile, format.channels, format.sample_bytes, false),
        pixel_bytes_(static_cast<std::size_t>(format.channels * format.sample_bytes)) {}

  void write(std::span<const std::byte> rows) override {
    converted_.resize(rows.size());
    convert_.convert(rows.data(), converted_.data(), static_cast<std::int64_t>(rows.size() / pixel_bytes_));
    to_->write(converted_);
  }
  void commit() override { to_->commit(); }

 private:
  std::unique_ptr<RowWriter> to_;
  ToSrgb convert_;
  std::size_t pixel_bytes_;
  std::vector<std::byte> converted_;
};

/// Lays rows over a background on their way to a writer.
class OverBackgroundWriter : public RowWriter {
 public:
  OverBackgroundWriter(std::unique_ptr<RowWriter> to, const Background& background, int sample_bytes,
                       Remarks say)
      : to_(std::move(to)),
        over_(background, sample_bytes),
        sample_bytes_(static_cast<std::size_t>(sample_bytes)),
        say_(std::move(say)) {}

  void write(std::span<const std::byte> rows) override {
    const std::size_t pixels = rows.size() / (4 * sample_bytes_);
    laid_.resize(pixels * 3 * sample_bytes_);
    over_.convert(rows.data(), laid_.data(), static_cast<std::int64_t>(pixels));
    to_->write(laid_);
  }
  void commit() override {
    over_.tell(say_);
    to_->commit();
  }

 private:
  std::unique_ptr<RowWriter> to_;
  OverBackground over_;
  std::size_t sample_bytes_;
  Remarks say_;
  std::vector<std::byte> laid_;
};

/// True if pictures are written row by row; floats become codes as a whole.
bool goes_by_rows(Format format, const RowFormat& rows) {
  return rows.sample_bytes < 4 && codec_of(format).create_rows;
}

}  // namespace

std::unique_ptr<RowReader> open_rows(const fs::path& path, const Limits& streamed, const Limits& whole,
                                     bool late) {
  auto file = std::make_unique<InputFile>(path, most_file_bytes(whole));
  std::byte magic[kMostMagic] = {};
  file->read(0, std::span(magic, std::min(kMostMagic, file->size())));
  const Format format = sniff(magic, path);
  const auto open = format == Format::unknown ? nullptr : codec_of(format).open_rows;
  if (open)
    if (auto reader = open(file, streamed)) return reader;
  if (late && format == Format::jpeg) {
    Memory bytes = read_file(*file, most_file_bytes(whole));
    const Source source{file->name(), {bytes.data(), bytes.bytes()}, whole};
    if (const std::optional<RowFormat> stored = jpeg_format(source))
      return std::make_unique<LateJpeg>(std::move(bytes), source, *stored);
  }
  return std::make_unique<WholeReader>(read_picture(*file, path, whole));
}

std::unique_ptr<RowWriter> create_rows(const fs::path& path, const RowFormat& format,
                                       const WriteOptions& options, const Metadata& metadata,
                                       const Remarks& say) {
  check_output(path, {}, options, format.channels);
  const Format name = output_format(path, options);
  if (!goes_by_rows(name, format)) return std::make_unique<WholeWriter>(path, format, options, metadata, say);

  const FormatTraits& traits = traits_of(name);
  Metadata kept = fitted(metadata, traits, options, format.width, format.height, say);
  std::optional<Profile> profile;
  if (becomes_srgb(kept, traits, options)) {
    profile.emplace(kept.icc, format.channels);
    kept.icc.clear();
  }
  RowFormat written = format;
  const bool is_over = is_laid_over(format.channels, traits, options);
  if (is_over) written.channels = 3;
  std::unique_ptr<RowWriter> writer = codec_of(name).create_rows(path, written, kept, options);
  if (is_over)
    writer = std::make_unique<OverBackgroundWriter>(std::move(writer), *options.background,
                                                    format.sample_bytes, say);
  if (!profile || profile->is_srgb()) return writer;
  say_becomes_srgb(*profile, traits, options, say);
  return std::make_unique<ToSrgbWriter>(std::move(writer), *profile, format);
}

bool is_written_by_rows(const fs::path& path, const RowFormat& format, const WriteOptions& options) {
  return goes_by_rows(output_format(path, options), format);
}

std::int64_t row_writer_bytes(const fs::path& path, const RowFormat& format, const WriteOptions& options) {
  const Format name = output_format(path, options);
  if (goes_by_rows(name, format)) {
    // Rows as they came, filtered and compressed, and what the compression takes by itself.
    constexpr std::int64_t kTimes = 4, kLeast = 512 << 10;
    const std::int64_t waiting =
        std::min(codec_of(name).most_waiting, format.height * static_cast<std::int64_t>(format.row_bytes()));
    return waiting > 0 ? kTimes * waiting + kLeast : 0;
  }
  // The picture, as float where the format holds nothing else, and the file, hardly larger than the samples.
  const std::int64_t samples = format.width * format.height * format.channels;
  const FormatTraits& traits = traits_of(name);
  const bool floats = !(traits.samples & (kHolds8 | kHolds16));
  const int work =
      options.quality == 100 ? std::max(traits.work_bytes, traits.lossless_work_bytes) : traits.work_bytes;
  return samples * (work + (floats ? format.sample_bytes + 8 : 2 * format.sample_bytes + 1));
}

}  // namespace scanlens
