// PNG row by row, through libspng's progressive decoder and the project's own encoder.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "app/io/codecs/codecs.h"
#include "app/io/codecs/png.h"
#include "app/io/metadata/containers.h"
#include "app/io/metadata/metadata.h"
#include "app/io/png_chunks.h"
#include "app/io/stream.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

/// Reads what the chunks' places tell before any is decoded: throws Error when there is no end mark. Returns
/// a file of the header, the metadata, an empty chunk of pixels, and what stands behind the file's end mark.
std::vector<std::byte> survey(const InputFile& file) {
  std::vector<std::byte> small(std::min(file.size(), kPngHeaderEnd));
  file.read(0, small);
  bool pixels = false;
  for (std::size_t at = kPngSignature; at + kPngChunkFrame <= file.size();) {
    std::byte frame[8];
    file.read(at, frame);
    std::size_t length = 0;
    for (int i = 0; i < 4; ++i) length = length << 8 | std::to_integer<std::size_t>(frame[i]);
    const std::string_view kind(reinterpret_cast<const char*>(frame) + 4, 4);
    if (length > file.size() - at - kPngChunkFrame) break;
    const std::size_t end = small.size();
    if (kind == "IDAT" && !pixels) {
      pixels = true;
      small.resize(end + kPngChunkFrame);
      std::copy_n(frame + 4, 4, small.begin() + static_cast<std::ptrdiff_t>(end + 4));
    } else if ((kind != "IDAT" && kind != "fdAT" &&
                length <= kMostExtra - std::min(small.size(), kMostExtra)) ||
               kind == "IEND") {
      small.resize(end + length + kPngChunkFrame);
      file.read(at, std::span(small).subspan(end));
    }
    at += length + kPngChunkFrame;
    if (kind != "IEND") continue;
    const std::size_t length_of_small = small.size();
    small.resize(length_of_small + std::min(file.size() - at, kMostExtra));
    file.read(at, std::span(small).subspan(length_of_small));
    return small;
  }
  throw Error(fmt::format("{}: the PNG data is truncated (it has no end mark)", file.name()));
}

/// The exception that a callback threw. None may pass through libspng, which calls it: it is kept until
/// libspng has returned.
class Thrown {
 public:
  /// Does a callback's work and gives its status.
  template <class Work>
  int keep(const Work& work) {
    try {
      work();
    } catch (...) {
      exception_ = std::current_exception();
      return SPNG_IO_ERROR;
    }
    return SPNG_OK;
  }

  /// After every call of libspng's.
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::exception_ptr exception_;
};

class PngReader : public RowReader {
 public:
  PngReader(InputPtr file, const Limits& limits) : owner_(std::move(file)), file_(*owner_) {
    const spng_ihdr header = begin();
    check_gate(file_.name(), file_.size(), limits, header.width, header.height, 1, 1, kAnyExpansion);
    const std::vector<std::byte> small = survey(file_);
    streams_ = exif_orientation(small) == 1 && header.interlace_method == SPNG_INTERLACE_NONE;
    const PngLayout layout = layout_of(header);
    check_gate(file_.name(), file_.size(), limits, header.width, header.height, layout.channels,
               layout.sample_bytes);
    format_ = {header.width, header.height, layout.channels, layout.sample_bytes};
    if (!streams_) return;
    complete_metadata(png_extras(small), {format_.width, format_.height, format_.channels, false}, metadata_,
                      remarks_);
    begin_rows(layout);
  }

  void rewind() override { begin_rows(layout_of(begin())); }

  InputPtr take_file() { return std::move(owner_); }

  /// True if the rows come in order and the right way up.
  bool streams() const { return streams_; }

  void read(std::span<std::byte> rows) override {
    for (; !rows.empty(); rows = rows.subspan(format_.row_bytes())) {
      const int status = spng_decode_row(png_.get(), rows.data(), format_.row_bytes());
      if (status != SPNG_EOI) check(status);  // that the last row was read
    }
  }

  void finish() override { check(spng_decode_chunks(png_.get())); }

 private:
  /// Opens a decoder at the beginning of the file.
  spng_ihdr begin() {
    at_ = 0;
    png_ = open_png_decoder(file_.name());
    check_png_read(spng_set_png_stream(png_.get(), &PngReader::give, this), file_.name());
    spng_ihdr header = {};
    check(spng_get_ihdr(png_.get(), &header));
    return header;
  }

  PngLayout layout_of(const spng_ihdr& header) const {
    return png_layout(png_.get(), header, [this](int status) { check(status); });
  }

  void begin_rows(const PngLayout& layout) {
    check(spng_decode_image(png_.get(), nullptr, 0, layout.format, layout.flags | SPNG_DECODE_PROGRESSIVE));
  }

  /// The callback that libspng reads by.
  static int give(spng_ctx*, void* self, void* bytes, std::size_t count) {
    auto& reader = *static_cast<PngReader*>(self);
    if (count > reader.file_.size() - reader.at_) return SPNG_IO_EOF;
    return reader.thrown_.keep([&] {
      reader.file_.read(reader.at_, {static_cast<std::byte*>(bytes), count});
      reader.at_ += count;
    });
  }

  void check(int status) const {
    thrown_.rethrow();
    check_png_read(status, file_.name());
  }

  InputPtr owner_;
  const InputFile& file_;
  PngPtr png_;
  std::size_t at_ = 0;
  bool streams_ = false;
  Thrown thrown_;
};

class PngWriter : public RowWriter {
 public:
  PngWriter(const fs::path& path, const RowFormat& format, const Metadata& metadata,
            const WriteOptions& options)
      : file_(path, AtomicFile::Temporary::nameless, options.overwrite),
        png_(output_name(path), format, metadata, options.compression,
             [this](Bytes bytes) { file_.write(bytes); }) {}

  void write(std::span<const std::byte> rows) override { png_.write(rows); }
  void commit() override { file_.commit(); }

 private:
  AtomicFile file_;
  PngEncoder png_;
};

}  // namespace

std::unique_ptr<RowReader> open_png_rows(InputPtr& file, const Limits& limits) {
  auto reader = std::make_unique<PngReader>(std::move(file), limits);
  if (reader->streams()) return reader;
  file = reader->take_file();
  return nullptr;
}

std::unique_ptr<RowWriter> create_png_rows(const fs::path& path, const RowFormat& format,
                                           const Metadata& metadata, const WriteOptions& options) {
  return std::make_unique<PngWriter>(path, format, metadata, options);
}

}  // namespace scanlens
