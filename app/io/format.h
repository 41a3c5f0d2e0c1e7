// The formats of picture and depth files: what they are called, what they hold, how a file's is recognised.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/io/file.h"

namespace scanlens {

enum class Format { unknown, jpeg, png, heif, tiff, webp, exr, bmp, tga, hdr, pnm, pam, pfm, npy, npz };

/// What pictures of a format may consist of, as bits.
enum Channels : unsigned { kHoldsGrey = 1, kHoldsRgb = 2, kHoldsRgba = 4 };
enum Samples : unsigned { kHolds8 = 1, kHolds16 = 2, kHoldsFloat = 4 };
enum Extras : unsigned { kHoldsIcc = 1, kHoldsExif = 2, kHoldsXmp = 4 };

/// Says what a format is good for here.
struct FormatTraits {
  Format format;
  std::string_view name;        ///< "JPEG"
  std::string_view extensions;  ///< ".jpg .jpeg", the usual one first
  bool reads;                   ///< pictures are read from it
  bool writes;                  ///< pictures are written to it
  unsigned channels = 0;        ///< Channels of pictures that are written
  unsigned samples = 0;         ///< their Samples
  unsigned extras = 0;          ///< what else is written
};

/// Returns all formats that have a name, in the order in which help names them.
std::span<const FormatTraits> formats();

/// Throws Error for Format::unknown.
const FormatTraits& traits_of(Format format);

/// Returns "JPEG, PNG, BMP ...": the names of the formats that pictures are read from.
std::string readable_formats();

/// Returns "jpg", "jpeg", "png": the extensions that pictures are written under, without their dots.
std::vector<std::string> writable_names();

/// Returns ".jpg, .jpeg, .png": the extensions that pictures are written under.
std::string writable_extensions();

/// This many bytes of a file are enough to recognise its format.
inline constexpr std::size_t kMostMagic = 64;

/// Recognises a format by its first bytes. TGA has none of its own, so that it takes a plausible header and
/// the name's extension.
Format sniff(Bytes bytes, const std::filesystem::path& path);

/// Returns the extension in lower case.
std::string extension_of(const std::filesystem::path& path);

/// Returns what is meant to be written, by the name's extension in upper or lower case.
Format format_by_name(const std::filesystem::path& path);

/// Throws Error (usage) because standard output has no name that would tell the format.
[[noreturn]] void refuse_nameless_output();

/// Throws Error (usage) for a name whose extension is none of those that `what` is written with: "pictures",
/// ".jpg, .png".
[[noreturn]] void refuse_extension(const std::filesystem::path& path, std::string_view what,
                                   std::string_view extensions);

/// Returns the channels that pictures written under this extension (".ppm") may have: fewer, for some, than
/// their format allows.
unsigned channels_of(const FormatTraits& traits, std::string_view extension);

}  // namespace scanlens
