// Writes PNG row by row: own chunks and filters, zlib's deflate on bands of rows in parallel. Inside
// scanlens_files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/io/file.h"
#include "app/io/picture.h"
#include "filters/filter.h"

namespace scanlens {

/// Takes a file's bytes as they come.
using PngSink = std::function<void(Bytes)>;

/// Returns a number as PNG writes it.
constexpr std::array<std::byte, 4> big_endian(std::uint32_t value) {
  return {std::byte(value >> 24), std::byte(value >> 16), std::byte(value >> 8), std::byte(value)};
}

/// Writes one chunk, whose contents are the parts one after the other. Throws Error "NAME: cause" for more
/// than a chunk may hold.
void write_png_chunk(const PngSink& sink, const std::string& name, const char* kind,
                     std::span<const Bytes> parts);

/// Encodes one picture whose rows come in order. Every band of rows is filtered and compressed by itself, on
/// all cores, into a piece of the one zlib stream, each but the last ended by a sync flush, as pigz does it.
/// The file does not depend on how many cores there are, nor on how many rows come at a time. Memory: a few
/// megabytes, and a few rows.
class PngEncoder {
 public:
  /// Writes what stands before the pixels. `level` is 0 (stored) to 9 (smallest). Throws Error "NAME: cause"
  /// for a picture that PNG cannot hold.
  PngEncoder(const std::string& name, const RowFormat& format, const Metadata& metadata, int level,
             PngSink sink);

  /// Takes whole rows, samples in the machine's byte order; after the last one the file is complete.
  void write(std::span<const std::byte> rows);

 private:
  /// Encodes whole bands, of which only the picture's last may be lower.
  void encode(std::span<const std::byte> rows);
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
