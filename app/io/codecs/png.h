// PNG files that are read and written whole share this with those that go row by row. Written are own chunks
// and filters, zlib's deflate on bands of rows in parallel. Inside scanlens_files.
#pragma once

#include <spng.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/io/png_chunks.h"
#include "app/io/stream.h"

namespace scanlens {

/// Bytes of rows that are encoded at a time: bands enough for all cores.
inline constexpr std::size_t kPngBatchBytes = std::size_t{8} << 20;

struct FreePng {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};
using PngPtr = std::unique_ptr<spng_ctx, FreePng>;

/// Opens a decoder that takes nothing broken for whole.
PngPtr open_png_decoder(const std::string& name);

/// Throws Error "NAME: cause" unless `status` says that reading went well.
void check_png_read(int status, const std::string& name);

/// Says how a file's samples are decoded: palettes and few bits become 8 bits, transparency becomes alpha.
struct PngLayout {
  int channels;
  int sample_bytes;
  int format;  ///< spng_format
  int flags;   ///< spng_decode_flags
};
/// `check` is given what libspng returns and throws where that is an error.
PngLayout png_layout(spng_ctx* context, const spng_ihdr& header, const std::function<void(int)>& check);

std::unique_ptr<RowReader> open_png_rows(InputPtr& file, const Limits& limits);
std::unique_ptr<RowWriter> create_png_rows(const std::filesystem::path& path, const RowFormat& format,
                                           const Metadata& metadata, const WriteOptions& options);

/// Takes a file's bytes as they come.
using PngSink = std::function<void(Bytes)>;

/// Writes one chunk, whose contents are the parts one after the other. Throws Error "NAME: cause" for more
/// than a chunk may hold.
void write_png_chunk(const PngSink& sink, const std::string& name, const char* kind,
                     std::span<const Bytes> parts);

/// Encodes one picture whose rows come in order. Every band of rows is filtered and compressed by itself, on
/// all cores, into a piece of the one zlib stream. Each piece but the last ends with a sync flush, as pigz
/// does it. The file does not depend on the number of cores, nor on the number of rows that come at a time.
/// Memory: a few megabytes, and a few rows.
class PngEncoder {
 public:
  /// Writes what stands before the pixels. `level` is 0 (stored) to 9 (smallest). Throws Error "NAME: cause"
  /// for a picture that PNG cannot hold.
  PngEncoder(const std::string& name, const RowFormat& format, const Metadata& metadata, int level,
             PngSink sink);

  /// Takes whole rows, samples in the machine's byte order; after the last one the file is complete.
  void write(std::span<const std::byte> rows);

 private:
  /// Encodes whole bands; only the picture's last may be lower.
  void encode(std::span<const std::byte> rows);
  void write_words(const Metadata& metadata);
  void write_chunk(const char* kind, std::span<const Bytes> parts) const {
    write_png_chunk(sink_, name_, kind, parts);
  }

  std::string name_;
  RowFormat format_;
  int level_;
  PngSink sink_;
  std::int64_t band_rows_;          ///< rows that are compressed by themselves
  std::int64_t left_;               ///< rows that are still to be encoded
  std::vector<std::byte> waiting_;  ///< rows that are too few yet to be encoded
  std::vector<std::byte> above_;    ///< the row above the next one to be encoded
  std::uint32_t checksum_ = 1;      ///< Adler-32 of all filtered rows
};

}  // namespace scanlens
