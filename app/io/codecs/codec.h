// The table of formats: what a file in this room says of its format. Inside scanlens_files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "app/io/codecs/codecs.h"
#include "app/io/encoded.h"
#include "app/io/format.h"
#include "app/io/metadata/metadata.h"
#include "app/io/prepare.h"
#include "app/io/stream.h"

namespace scanlens {

struct Codec {
  FormatTraits traits;

  /// True if a file that begins so is of this format. Only TGA looks at the name.
  bool (*recognises)(std::string_view beginning, const std::filesystem::path& path);

  /// Calls check_gate, then returns all pixels or throws Error "NAME: cause". Float samples are as in the
  /// file, NaN and infinities included. Null: no pictures are read from it.
  Picture (*decode)(const Source& source) = nullptr;

  /// Does so in less time, at the smallest size that has `side` pixels along its longer side, or the full
  /// one. Null: the format is decoded at full size alone.
  SmallPicture (*decode_small)(const Source& source, std::int64_t side) = nullptr;

  /// Encodes a picture that is prepared for the traits. Null where create_rows does it, or nothing.
  Encoded (*encode)(const Prepared& picture, const WriteOptions& options, const std::string& name,
                    const Remarks& say) = nullptr;

  /// Returns what stands in the file beside the pixels and is not in the decoder's picture: the EXIF
  /// orientation among it is then applied.
  FileExtras (*extras)(Bytes file) = nullptr;

  /// Opens a file for rows in order. Null, or returning null with the file still there: it is read whole.
  std::unique_ptr<RowReader> (*open_rows)(InputPtr& file, const Limits& limits) = nullptr;

  /// Creates a file by rows of integers. Null: pictures are encoded as a whole.
  std::unique_ptr<RowWriter> (*create_rows)(const std::filesystem::path& path, const RowFormat& format,
                                            const Metadata& metadata, const WriteOptions& options) = nullptr;

  /// The most bytes of rows that create_rows's file holds at a time, as they are and in work.
  std::int64_t most_waiting = 0;

  /// True if the pixels were compressed with losses, or may have been. Null: never.
  bool (*is_lossy)(Bytes file) = nullptr;

  /// Returns the largest value that a sample of the file may have. Null: that of its bits.
  std::uint32_t (*largest_sample)(const Source& source) = nullptr;
};

namespace codecs {
#define SCANLENS_DECLARE(name, libraries) extern const Codec name;
SCANLENS_FOR_EACH_FORMAT(SCANLENS_DECLARE)
#undef SCANLENS_DECLARE
}  // namespace codecs

/// Throws Error for Format::unknown.
const Codec& codec_of(Format format);

/// Returns what the file holds beside the pixels, where its codec looks for that.
FileExtras read_extras(Bytes file, Format format);

inline bool always(Bytes) {
  return true;
}

// For traits: what most formats hold.
inline constexpr unsigned kAnyChannels = kHoldsGrey | kHoldsRgb | kHoldsRgba;
inline constexpr unsigned kCodes = kHolds8 | kHolds16;
inline constexpr unsigned kAnyExtras = kHoldsIcc | kHoldsExif | kHoldsXmp;

/// True if the text begins with one of these, zero bytes included.
template <std::size_t... kLengths>
bool begins(std::string_view text, const char (&... magic)[kLengths]) {
  return (text.starts_with(std::string_view(magic, kLengths - 1)) || ...);
}

}  // namespace scanlens
