// PNG row by row, through libspng's progressive decoder and encoder.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "app/io/codecs/png.h"
#include "app/io/codecs/codecs.h"
#include "app/io/stream.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kSignature = 8;
constexpr std::size_t kChunkFrame = 12;  // length, name, checksum
constexpr std::size_t kHeaderEnd = kSignature + kChunkFrame + 13;
constexpr std::size_t kMostExif = std::size_t{1} << 20;

/// What the chunks' places tell before any is decoded: throws Error when there is no end mark, and gives the
/// picture's orientation.
int survey(const InputFile& file) {
  std::vector<std::byte> small(std::min(file.size(), kHeaderEnd));  // header, orientation and no pixels
  file.read(0, small);
  for (std::size_t at = kSignature; at + kChunkFrame <= file.size();) {
    std::byte frame[8];
    file.read(at, frame);
    std::size_t length = 0;
    for (int i = 0; i < 4; ++i) length = length << 8 | std::to_integer<std::size_t>(frame[i]);
    const std::string_view kind(reinterpret_cast<const char*>(frame) + 4, 4);
    if (length > file.size() - at - kChunkFrame) break;
    if ((kind == "eXIf" && length <= kMostExif) || kind == "IEND") {
      const std::size_t end = small.size();
      small.resize(end + length + kChunkFrame);
      file.read(at, std::span(small).subspan(end));
    }
    if (kind == "IEND") return exif_orientation(small);
    at += length + kChunkFrame;
  }
  throw Error(fmt::format("{}: the PNG data is truncated (it has no end mark)", file.name()));
}

/// What a callback threw. No exception may pass through libspng, which calls it: it is kept until libspng
/// has returned.
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
  PngReader(const fs::path& path, const Limits& limits) : file_(path), png_(open_png_decoder(file_.name())) {
    check_png_read(spng_set_png_stream(png_.get(), &PngReader::give, this), file_.name());
    spng_ihdr header = {};
    check(spng_get_ihdr(png_.get(), &header));
    check_gate(file_.name(), file_.size(), limits, header.width, header.height, 1, 1);
    streams_ = survey(file_) == 1 && header.interlace_method == SPNG_INTERLACE_NONE;
    const PngLayout layout = png_layout(png_.get(), header, [this](int status) { check(status); });
    check_gate(file_.name(), file_.size(), limits, header.width, header.height, layout.channels,
               layout.sample_bytes);
    format_ = {header.width, header.height, layout.channels, layout.sample_bytes};
    if (streams_)
      check(spng_decode_image(png_.get(), nullptr, 0, layout.format, layout.flags | SPNG_DECODE_PROGRESSIVE));
  }

  /// Whether the rows come in order and the right way up.
  bool streams() const { return streams_; }

  void read(std::span<std::byte> rows) override {
    for (; !rows.empty(); rows = rows.subspan(format_.row_bytes())) {
      const int status = spng_decode_row(png_.get(), rows.data(), format_.row_bytes());
      if (status != SPNG_EOI) check(status);  // that the last row was read
    }
  }

  void finish() override { check(spng_decode_chunks(png_.get())); }

 private:
  /// What libspng asks for.
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

  InputFile file_;
  PngPtr png_;
  std::size_t at_ = 0;
  bool streams_ = false;
  Thrown thrown_;
};

class PngWriter : public RowWriter {
 public:
  PngWriter(const fs::path& path, const RowFormat& format, Overwrite overwrite)
      : name_(path.string()),
        row_bytes_(format.row_bytes()),
        file_(path, AtomicFile::Temporary::nameless, overwrite),
        png_(open_png_encoder(name_, format.width, format.height, format.channels, format.sample_bytes)) {
    check_png_write(spng_set_png_stream(png_.get(), &PngWriter::take, this), name_);
    check(spng_encode_image(png_.get(), nullptr, 0, SPNG_FMT_PNG,
                            SPNG_ENCODE_PROGRESSIVE | SPNG_ENCODE_FINALIZE));
  }

  void write(std::span<const std::byte> rows) override {
    for (; !rows.empty(); rows = rows.subspan(row_bytes_)) {
      const int status = spng_encode_row(png_.get(), rows.data(), row_bytes_);
      if (status != SPNG_EOI) check(status);  // that the last row was written
    }
  }

  void commit() override {
    thrown_.rethrow();
    file_.commit();
  }

 private:
  /// What libspng writes.
  static int take(spng_ctx*, void* self, void* bytes, std::size_t count) {
    auto& writer = *static_cast<PngWriter*>(self);
    return writer.thrown_.keep([&] { writer.file_.write({static_cast<const std::byte*>(bytes), count}); });
  }

  void check(int status) const {
    thrown_.rethrow();
    check_png_write(status, name_);
  }

  std::string name_;
  std::size_t row_bytes_;
  AtomicFile file_;
  PngPtr png_;
  Thrown thrown_;
};

}  // namespace

std::unique_ptr<RowReader> open_png_rows(const fs::path& path, const Limits& limits) {
  auto reader = std::make_unique<PngReader>(path, limits);
  if (!reader->streams()) return nullptr;
  return reader;
}

std::unique_ptr<RowWriter> create_png_rows(const fs::path& path, const RowFormat& format,
                                           const WriteOptions& options) {
  return std::make_unique<PngWriter>(path, format, options.overwrite);
}

}  // namespace scanlens
