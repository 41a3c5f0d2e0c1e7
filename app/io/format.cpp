#include "app/io/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr unsigned kAnyChannels = kHoldsGrey | kHoldsRgb | kHoldsRgba;
constexpr unsigned kCodes = kHolds8 | kHolds16;
constexpr unsigned kAnyExtras = kHoldsIcc | kHoldsExif | kHoldsXmp;

constexpr FormatTraits kFormats[] = {
    {Format::jpeg, "JPEG", ".jpg .jpeg", true, true, kHoldsGrey | kHoldsRgb, kHolds8, kAnyExtras},
    {Format::png, "PNG", ".png", true, true, kAnyChannels, kCodes, kAnyExtras},
    {Format::heif, "HEIC/AVIF", ".heic .heif .avif", true, false},
    {Format::tiff, "TIFF", ".tif .tiff", true, true, kAnyChannels, kCodes | kHoldsFloat, kAnyExtras},
    {Format::webp, "WebP", ".webp", true, true, kHoldsRgb | kHoldsRgba, kHolds8, kAnyExtras},
    {Format::exr, "OpenEXR", ".exr", true, true, kAnyChannels, kHoldsFloat},
    {Format::bmp, "BMP", ".bmp", true, false},
    {Format::tga, "TGA", ".tga", true, false},
    {Format::hdr, "HDR", ".hdr", true, true, kHoldsRgb, kHoldsFloat},
    {Format::pnm, "PNM", ".pnm .pgm .ppm", true, true, kHoldsGrey | kHoldsRgb, kCodes},
    {Format::pam, "PAM", ".pam", true, true, kAnyChannels, kCodes},
    {Format::pfm, "PFM", ".pfm", true, true, kHoldsGrey | kHoldsRgb, kHoldsFloat},
    {Format::npy, "NPY", ".npy", false, false},
    {Format::npz, "NPZ", ".npz", false, false},
};

/// Calls `visit` with each of the extensions.
void for_each_extension(std::string_view extensions, const auto& visit) {
  while (!extensions.empty()) {
    const std::size_t end = std::min(extensions.find(' '), extensions.size());
    visit(extensions.substr(0, end));
    extensions.remove_prefix(std::min(end + 1, extensions.size()));
  }
}

void append(std::string& list, std::string_view item) {
  if (!list.empty()) list += ", ";
  list += item;
}

bool plausible_tga(Bytes bytes) {
  if (bytes.size() < 18) return false;
  const auto at = [&](std::size_t i) { return std::to_integer<int>(bytes[i]); };
  const int palette = at(1), type = at(2), bits = at(16);
  const bool paletted = palette == 1 && (type == 1 || type == 9) && (bits == 8 || bits == 16);
  const bool direct = palette == 0 && (type == 2 || type == 3 || type == 10 || type == 11) &&
                      (bits == 8 || bits == 15 || bits == 16 || bits == 24 || bits == 32);
  return (paletted || direct) && (at(12) | at(13)) != 0 && (at(14) | at(15)) != 0;
}

/// Looks for the brand of a HEIF or AVIF still picture in the file type box that such a file begins with:
/// the major brand, or a compatible one.
bool has_heif_brand(std::string_view text) {
  if (text.size() < 12 || text.substr(4, 4) != "ftyp") return false;
  const auto known = [](std::string_view brand) {
    constexpr std::string_view kBrands[] = {"heic", "heix", "heim", "heis", "hevc", "hevx", "hevm",
                                            "hevs", "mif1", "mif2", "msf1", "avif", "avis"};
    return std::find(std::begin(kBrands), std::end(kBrands), brand) != std::end(kBrands);
  };
  const auto length = static_cast<unsigned char>(text[3]) + 256u * static_cast<unsigned char>(text[2]);
  const std::size_t end = std::min<std::size_t>(text.size(), length);
  bool found = known(text.substr(8, 4));
  for (std::size_t at = 16; at + 4 <= end && !found; at += 4) found = known(text.substr(at, 4));
  return found;
}

}  // namespace

std::span<const FormatTraits> formats() {
  return kFormats;
}

const FormatTraits& traits_of(Format format) {
  const auto found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                  [&](const FormatTraits& traits) { return traits.format == format; });
  if (found == std::end(kFormats)) throw Error("the format is unknown");
  return *found;
}

std::string readable_formats() {
  std::string names;
  for (const FormatTraits& traits : kFormats)
    if (traits.reads) append(names, traits.name);
  return names;
}

std::vector<std::string> writable_names() {
  std::vector<std::string> names;
  for (const FormatTraits& traits : kFormats)
    if (traits.writes)
      for_each_extension(traits.extensions, [&](std::string_view one) { names.emplace_back(one.substr(1)); });
  return names;
}

std::string writable_extensions() {
  std::string extensions;
  for (const std::string& name : writable_names()) append(extensions, "." + name);
  return extensions;
}

Format sniff(Bytes bytes, const fs::path& path) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto map = [&](char kind) {
    return text.size() > 3 && text[0] == 'P' && text[1] == kind &&
           (std::isspace(static_cast<unsigned char>(text[2])) || text[2] == '#');
  };
  const auto ends_line = [&](std::size_t at) {
    const std::size_t next = text.find_first_not_of(" \t\r", at);
    return next != std::string_view::npos && (text[next] == '\n' || text[next] == '#');
  };
  const auto begins = [&](auto... magic) { return (text.starts_with(magic) || ...); };
  if (begins("\xFF\xD8\xFF"sv)) return Format::jpeg;
  if (begins("\x89PNG\r\n\x1A\n"sv)) return Format::png;
  if (has_heif_brand(text)) return Format::heif;
  if (begins("II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv)) return Format::tiff;
  if (begins("RIFF"sv) && text.size() >= 12 && text.substr(8, 4) == "WEBP") return Format::webp;
  if (begins("\x76\x2f\x31\x01"sv)) return Format::exr;
  if (begins("\x93NUMPY"sv)) return Format::npy;
  if (begins("PK\3\4"sv)) return Format::npz;
  if (begins("BM"sv)) return Format::bmp;
  if (begins("#?"sv)) return Format::hdr;
  for (const char kind : {'1', '2', '3', '4', '5', '6'})
    if (map(kind)) return Format::pnm;
  if (begins("P7"sv) && ends_line(2)) return Format::pam;
  if (map('f') || map('F')) return Format::pfm;
  return format_by_name(path) == Format::tga && plausible_tga(bytes) ? Format::tga : Format::unknown;
}

std::string extension_of(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

Format format_by_name(const fs::path& path) {
  const std::string extension = extension_of(path);
  Format named = Format::unknown;
  for (const FormatTraits& traits : kFormats)
    for_each_extension(traits.extensions, [&](std::string_view one) {
      if (one == extension) named = traits.format;
    });
  return named;
}

void refuse_nameless_output() {
  throw Error(ErrorKind::usage,
              "standard output: has no name that tells the format; give --format, such as --format png");
}

void refuse_extension(const fs::path& path, std::string_view what, std::string_view extensions) {
  const bool nameless = path.extension().empty() && !is_standard_stream(path);
  throw Error(ErrorKind::usage, nameless ? fmt::format("{}: the name has no extension; {} are written as {}",
                                                       path.string(), what, extensions)
                                         : fmt::format("{}: {} are written as {}, not as '{}'", path.string(),
                                                       what, extensions, path.extension().string()));
}

unsigned channels_of(const FormatTraits& traits, std::string_view extension) {
  if (extension == ".pgm") return kHoldsGrey;
  if (extension == ".ppm") return kHoldsRgb;
  return traits.channels;
}

}  // namespace scanlens
