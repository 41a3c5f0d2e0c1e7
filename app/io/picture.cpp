#include "app/io/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "app/io/codecs.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

// A picture that is both larger than this and so many times larger than its file is no photograph.
constexpr std::size_t kLeastBombBytes = std::size_t{64} << 20;
constexpr std::size_t kMostExpansion = 200;

// A file may hold this much beside its pixels: colour profiles, thumbnails, maker notes.
constexpr std::size_t kMostMetadata = std::size_t{64} << 20;

std::string with_prefix(double value, const char* unit) {
  const char* prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t i = 0;
  for (; value >= 999.5 && i + 1 < std::size(prefixes); value /= 1000) ++i;
  return fmt::format("{:.3g} {}{}", value, prefixes[i], unit);
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

}  // namespace

std::int64_t Picture::width() const {
  return std::visit([](const auto& image) { return image.width(); }, samples);
}

std::int64_t Picture::height() const {
  return std::visit([](const auto& image) { return image.height(); }, samples);
}

int Picture::channels() const {
  return std::visit([](const auto& image) { return image.channels(); }, samples);
}

std::size_t Picture::bytes() const {
  return std::visit([](const auto& image) { return image.bytes(); }, samples);
}

std::string Picture::description() const {
  const char* colors = channels() == 1 ? "grey" : channels() == 3 ? "RGB" : "RGBA";
  const char* depths[] = {"8 bit", "16 bit", "32-bit float"};
  return fmt::format("{} x {} {}, {}", width(), height(), colors, depths[samples.index()]);
}

std::string bytes_text(std::size_t bytes) {
  return with_prefix(static_cast<double>(bytes), "B");
}

Format sniff(Bytes bytes, const fs::path& path) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto map = [&](char kind) {
    return text.size() > 3 && text[0] == 'P' && text[1] == kind && (std::isspace(text[2]) || text[2] == '#');
  };
  if (text.starts_with("\xFF\xD8\xFF")) return Format::jpeg;
  if (text.starts_with("\x89PNG\r\n\x1A\n")) return Format::png;
  if (text.starts_with("BM")) return Format::bmp;
  if (text.starts_with("#?RADIANCE\n") || text.starts_with("#?RGBE\n")) return Format::hdr;
  if (map('5') || map('6')) return Format::pnm;
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
  constexpr std::pair<std::string_view, Format> kNames[] = {
      {".jpg", Format::jpeg}, {".jpeg", Format::jpeg}, {".png", Format::png}, {".bmp", Format::bmp},
      {".tga", Format::tga},  {".hdr", Format::hdr},   {".pgm", Format::pnm}, {".ppm", Format::pnm},
      {".pnm", Format::pnm},  {".pfm", Format::pfm}};
  for (const auto& [name, format] : kNames)
    if (extension == name) return format;
  return Format::unknown;
}

std::size_t most_file_bytes(const Limits& limits) {
  // No format read here takes more than eight bytes for a pixel.
  const auto pixels = static_cast<std::size_t>(std::max<std::int64_t>(limits.max_pixels, 0));
  const std::size_t data = std::min(pixels > SIZE_MAX / 8 ? SIZE_MAX : pixels * 8, limits.max_bytes);
  return data > SIZE_MAX - kMostMetadata ? SIZE_MAX : data + kMostMetadata;
}

void check_gate(const std::string& name, std::size_t file_bytes, const Limits& limits, std::int64_t width,
                std::int64_t height, int channels, int sample_bytes) {
  std::int64_t pixels = 0;
  if (width <= 0 || height <= 0 || __builtin_mul_overflow(width, height, &pixels))
    throw Error(fmt::format("{}: the header announces {} x {} pixels", name, width, height));
  if (pixels > limits.max_pixels)
    throw Error(fmt::format("{}: {} x {} is {}, more than the limit of {} (--max-pixels)", name, width,
                            height, with_prefix(static_cast<double>(pixels), "px"),
                            with_prefix(static_cast<double>(limits.max_pixels), "px")));
  std::size_t decoded = 0;
  if (__builtin_mul_overflow(static_cast<std::size_t>(pixels),
                             static_cast<std::size_t>(channels * sample_bytes), &decoded))
    decoded = SIZE_MAX;
  if (decoded > limits.max_bytes || decoded == SIZE_MAX)
    throw Error(
        ErrorKind::retry,
        fmt::format("{}: {} x {} takes {} decoded, more than the limit of {} (--max-memory, or what is free)",
                    name, width, height, bytes_text(decoded), bytes_text(limits.max_bytes)));
  const std::size_t ratio = decoded / file_bytes;
  if (decoded > kLeastBombBytes && ratio > kMostExpansion)
    throw Error(
        fmt::format("{}: would grow from {} to {}, {} times, which only a decompression bomb does (limit {})",
                    name, bytes_text(file_bytes), bytes_text(decoded), ratio, kMostExpansion));
}

void check_gate(const Source& source, std::int64_t width, std::int64_t height, int channels,
                int sample_bytes) {
  check_gate(source.name, source.bytes.size(), source.limits, width, height, channels, sample_bytes);
}

Picture decode(const Source& source, Format format) {
  switch (format) {
    case Format::jpeg:
      return upright(decode_jpeg(source), exif_orientation(source.bytes));
    case Format::png:
      return upright(decode_png(source), exif_orientation(source.bytes));
    case Format::bmp:
    case Format::tga:
    case Format::hdr:
      return decode_stb(source, format);
    case Format::pnm:
      return decode_pnm(source);
    case Format::pfm:
      throw Error(fmt::format("{}: a PFM is read as a depth map, not as a picture", source.name));
    case Format::unknown:
      break;
  }
  throw Error(fmt::format("{}: this is not a picture in a known format (JPEG, PNG, BMP, TGA, HDR, PNM)",
                          source.name));
}

Picture read_picture(const fs::path& path, const Limits& limits) {
  const Memory memory = read_file(path, most_file_bytes(limits));
  const Source source{path.string(), {memory.data(), memory.bytes()}, limits};
  return decode(source, sniff(source.bytes, path));
}

}  // namespace scanlens
