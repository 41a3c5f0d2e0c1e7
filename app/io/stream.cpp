#include "app/io/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "app/io/codecs/codecs.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

class WholeReader : public RowReader {
 public:
  explicit WholeReader(Picture picture) : picture_(std::move(picture)) {
    metadata_ = std::move(picture_.metadata);
    remarks_ = std::move(picture_.remarks);
    format_.width = picture_.width();
    format_.height = picture_.height();
    format_.channels = picture_.channels();
    std::visit(
        [&]<class T>(const Image<T>& image) {
          format_.sample_bytes = sizeof(T);
          left_ =
              std::as_bytes(std::span(image.view().data, static_cast<std::size_t>(image.view().extent())));
        },
        picture_.samples);
  }

  void read(std::span<std::byte> rows) override {
    std::memcpy(rows.data(), left_.data(), rows.size());
    left_ = left_.subspan(rows.size());
  }

 private:
  Picture picture_;
  Bytes left_;
};

class WholeWriter : public RowWriter {
 public:
  WholeWriter(const fs::path& path, const RowFormat& format, const WriteOptions& options)
      : path_(path), options_(options) {
    if (format.sample_bytes == 1)
      picture_.samples = Image<std::uint8_t>(format.width, format.height, format.channels);
    else
      picture_.samples = Image<std::uint16_t>(format.width, format.height, format.channels);
    std::visit([&](auto& image) { at_ = reinterpret_cast<std::byte*>(image.view().data); }, picture_.samples);
  }

  void write(std::span<const std::byte> rows) override { at_ = std::copy(rows.begin(), rows.end(), at_); }
  void commit() override { write_picture(path_, picture_, options_); }

 private:
  fs::path path_;
  WriteOptions options_;
  Picture picture_;
  std::byte* at_ = nullptr;
};

/// Returns the format that rows are written in under this name; unknown where there is none.
Format row_format(const fs::path& path) {
  const Format format = format_by_name(path);
  const bool is_written = format == Format::jpeg || format == Format::png || format == Format::pnm ||
                          format == Format::pam;
  return is_written ? format : Format::unknown;
}

/// Where the channels of the picture are known: the name may announce others.
void require_channels(const fs::path& path, const RowFormat& format) {
  const std::string extension = extension_of(path);
  const bool fits = extension == ".pgm"               ? format.channels == 1
                    : extension == ".ppm"             ? format.channels == 3
                    : row_format(path) == Format::pnm  ? format.channels != 4
                    : row_format(path) == Format::jpeg ? format.channels != 4
                                                      : true;
  if (!fits)
    throw Error(fmt::format("{}: a {} file cannot hold a picture of {}; write a .png or .pam", path.string(),
                            extension,
                            format.channels == 1   ? "one channel"
                            : format.channels == 3 ? "three channels"
                                                   : "colours with alpha"));
}

}  // namespace

std::unique_ptr<RowReader> open_rows(const fs::path& path, const Limits& streamed, const Limits& whole) {
  std::byte magic[kMostMagic] = {};
  {
    const InputFile file(path);
    file.read(0, std::span(magic, std::min(kMostMagic, file.size())));
  }
  const Format format = sniff(magic, path);
  if (format == Format::pnm || format == Format::pam) return open_pnm_rows(path, streamed);
  if (format == Format::png)
    if (auto reader = open_png_rows(path, streamed)) return reader;
  Picture picture = read_picture(path, whole);
  if (std::holds_alternative<Image<float>>(picture.samples))
    throw Error(ErrorKind::usage, path.string() + ": filters take 8- and 16-bit pictures, not float samples");
  return std::make_unique<WholeReader>(std::move(picture));
}

void check_row_output(const fs::path& path, const fs::path& input) {
  if (row_format(path) == Format::unknown)
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: filtered pictures are written as .png, .pgm, .ppm, .pnm, .pam, .jpg or .jpeg, "
                    "not as '{}'",
                    path.string(), path.extension().string()));
  check_target(path, input);
}

std::unique_ptr<RowWriter> create_rows(const fs::path& path, const RowFormat& format,
                                       const WriteOptions& options) {
  require_channels(path, format);
  switch (row_format(path)) {
    case Format::png:
      return create_png_rows(path, format);
    case Format::pnm:
      return create_pnm_rows(path, format);
    case Format::pam:
      return create_pam_rows(path, format);
    default:
      return std::make_unique<WholeWriter>(path, format, options);
  }
}

std::int64_t row_writer_bytes(const fs::path& path, const RowFormat& format) {
  // The picture, at 16 bits also its 8-bit copy, and the JPEG, which is hardly larger than the 8-bit samples.
  const std::int64_t samples = format.width * format.height * format.channels;
  return row_format(path) == Format::jpeg ? samples * (format.sample_bytes + 2) : 0;
}

}  // namespace scanlens
