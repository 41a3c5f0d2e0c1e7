// The formats of picture and depth files: names, contents, and how a file's format is recognised.
#pragma once

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/io/file.h"

namespace scanlens {

/// Every format, one a line, in the order in which help names them and bytes are tried. A file in
/// app/io/codecs describes it as codecs::NAME. CMake reads these lines, too: it asks pkg-config for the
/// libraries, and makes a fuzz target of the reader. Without REQUIRED a build goes on where they are missing.
#define SCANLENS_FOR_EACH_FORMAT(X)                   \
  X(jpeg, "REQUIRED libturbojpeg")                    \
  X(png, "REQUIRED spng")                             \
  X(raw, "libraw_r")                                  \
  X(heif, "REQUIRED libheif")                         \
  X(avif, "")                                         \
  X(tiff, "REQUIRED libtiff-4")                       \
  X(webp, "REQUIRED libwebp libwebpmux libwebpdemux") \
  X(jxl, "libjxl")                                    \
  X(exr, "REQUIRED OpenEXR")                          \
  X(gif, "libgif")                                    \
  X(bmp, "")                                          \
  X(tga, "")                                          \
  X(hdr, "")                                          \
  X(pnm, "")                                          \
  X(pam, "")                                          \
  X(pfm, "")                                          \
  X(npy, "")                                          \
  X(npz, "")                                          \
  // A new format's line goes above this one.

#define SCANLENS_NAME(name, libraries) name,
enum class Format { unknown, SCANLENS_FOR_EACH_FORMAT(SCANLENS_NAME) };
#undef SCANLENS_NAME

/// Properties that pictures of a format may have, as bits.
enum Channels : unsigned { kHoldsGrey = 1, kHoldsRgb = 2, kHoldsRgba = 4 };
enum Samples : unsigned { kHolds8 = 1, kHolds16 = 2, kHoldsFloat = 4 };
enum Extras : unsigned {
  kHoldsIcc = 1,
  kHoldsExif = 2,
  kHoldsXmp = 4,
  kHoldsPhotoshop = 8,  ///< IPTC among it
  kHoldsTexts = 16,
  kHoldsComment = 32,  ///< of texts the comments alone
  kHoldsResolution = 64,
  kHoldsLight = 128  ///< beside codes, in a gain map
};

/// Says what --quality means to a format.
enum class QualityOption { none, lossy, lossless_at_100 };

/// Says what a format is good for here.
struct FormatTraits {
  std::string_view name;        ///< "JPEG"
  std::string_view extensions;  ///< ".jpg .jpeg", the usual one first
  /// "image/jpeg": what desktops call its files, the usual one first.
  std::string_view media_types = {};
  bool media_is_new = false;      ///< true if desktops have no name for it yet, so that we bring one
  std::string_view read = {};     ///< what is read of it, for the table of formats; empty: nothing
  std::string_view written = {};  ///< what is written
  std::string_view missing = {};  ///< the library without which this build neither reads nor writes it
  unsigned channels = 0;          ///< Channels of pictures that are written
  unsigned samples = 0;           ///< their Samples
  unsigned extras = 0;            ///< what else is written
  QualityOption quality = QualityOption::none;
  bool compression = false;     ///< takes WriteOptions::compression
  bool only_if_asked = false;   ///< a batch writes it where that is asked for, in place of its inputs' own
  bool only_primaries = false;  ///< of a colour profile only the primaries are kept
  // Memory that its encoder takes for a sample, beside those of picture and file; without loss, if it then
  // takes more.
  int work_bytes = 0, lossless_work_bytes = 0;
  std::int64_t most_side = INT64_MAX;   ///< the longest side that can be written
  std::size_t most_profile = SIZE_MAX;  ///< the largest colour profile, in bytes
  std::size_t most_exif = SIZE_MAX;     ///< the most bytes of EXIF
  int map_rank = INT_MAX;               ///< of depth maps beside a photo, the least is taken
  unsigned (*channels_under)(std::string_view extension) =
      nullptr;                      ///< where extensions differ: what each holds
  bool reads = false;               ///< pictures are read from it; set where formats() lists the codecs
  bool writes = false;              ///< pictures are written to it; likewise
  Format format = Format::unknown;  ///< likewise
};

/// Calls `visit` with each of the extensions of traits.
void for_each_extension(std::string_view extensions, const auto& visit) {
  while (!extensions.empty()) {
    const std::size_t end = std::min(extensions.find(' '), extensions.size());
    visit(extensions.substr(0, end));
    extensions.remove_prefix(std::min(end + 1, extensions.size()));
  }
}

/// Returns all formats, in the order in which help names them.
std::span<const FormatTraits> formats();

/// Throws Error for Format::unknown.
const FormatTraits& traits_of(Format format);

/// Returns "JPEG, PNG, BMP ...": the names of the formats that pictures are read from.
std::string readable_formats();

/// Returns "jpg", "jpeg", "png": the extensions that pictures are written under, without their dots.
std::vector<std::string> writable_names();

/// Returns ".jpg, .jpeg, .png": the extensions that pictures are written under.
std::string writable_extensions();

/// Returns "JPEG and WebP": the formats that take --quality; "PNG, TIFF and OpenEXR": those that take
/// --compression.
std::string formats_with_quality();
std::string formats_with_compression();

/// Returns the help of --quality's number: "quality of JPEG and WebP, 1 to 100; a WebP of 100 is without
/// loss".
std::string quality_help();

/// Returns the table of formats in Markdown: what each reads and writes.
std::string table_of_formats();

/// This many bytes of a file are enough to recognise its format.
inline constexpr std::size_t kMostMagic = 64;

/// Recognises a format by its first bytes, TGA by a plausible header and the name's extension.
Format sniff(Bytes bytes, const std::filesystem::path& path);

/// Returns the extension in lower case.
std::string extension_of(const std::filesystem::path& path);

/// Returns what is meant to be written, by the name's extension in upper or lower case.
Format format_by_name(const std::filesystem::path& path);

/// Throws Error (usage) because standard output has no name that would tell the format.
[[noreturn]] void refuse_nameless_output();

/// Throws Error (usage) for a name without one of the extensions that `what` is written with: "pictures",
/// ".jpg, .png".
[[noreturn]] void refuse_extension(const std::filesystem::path& path, std::string_view what,
                                   std::string_view extensions);

/// Returns the channels that pictures written under this extension (".ppm") may have: fewer, for some, than
/// their format allows.
unsigned channels_of(const FormatTraits& traits, std::string_view extension);

}  // namespace scanlens
