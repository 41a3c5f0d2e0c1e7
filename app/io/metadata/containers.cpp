// Finds what picture files hold beside the pixels: colour profile, EXIF, XMP. Each container is walked by
// its lengths alone, every length checked against what is there.
#include "app/io/metadata/containers.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <new>

#include "app/io/metadata/jpeg_parts.h"
#include "app/io/png_chunks.h"

namespace scanlens {
namespace {

using namespace std::string_view_literals;

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::byte> copied(Bytes bytes) {
  return {bytes.begin(), bytes.end()};
}

/// Returns what is left behind `start`, or nothing when the bytes do not start so.
Bytes after(Bytes bytes, std::string_view start) {
  return text_of(bytes).starts_with(start) ? bytes.subspan(start.size()) : Bytes{};
}

/// Returns what a zlib stream holds; nothing when it is broken, or holds more than metadata may.
std::vector<std::byte> inflated(Bytes stream) {
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> inflate(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!inflate) throw std::bad_alloc();
  std::vector<std::byte> out(std::min(stream.size() * 4 + 1024, kMostExtra));
  while (true) {
    std::size_t size = 0;
    const auto result = libdeflate_zlib_decompress(inflate.get(), stream.data(), stream.size(), out.data(),
                                                   out.size(), &size);
    if (result == LIBDEFLATE_SUCCESS) {
      out.resize(size);
      return out;
    }
    if (result != LIBDEFLATE_INSUFFICIENT_SPACE || out.size() >= kMostExtra) return {};
    out.resize(std::min(out.size() * 4, kMostExtra));
  }
}

/// Returns the bytes of a "Raw profile", as ImageMagick has it: a line feed, a name, a length, hexadecimal
/// digits.
std::vector<std::byte> raw_profile(Bytes text) {
  std::string_view rest = text_of(text);
  for (int line = 0; line < 3; ++line) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return {};
    rest.remove_prefix(end + 1);
  }
  std::vector<std::byte> bytes;
  int high = -1;
  for (const char c : rest) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) continue;
    if (high < 0) {
      high = digit;
    } else {
      bytes.push_back(static_cast<std::byte>(high << 4 | digit));
      high = -1;
    }
  }
  return bytes;
}

/// Cuts off what ends with a zero byte, and that byte. Takes everything if no byte is zero.
std::string_view word(Bytes& data) {
  const std::string_view text = text_of(data);
  const std::size_t end = std::min(text.find('\0'), text.size());
  data = data.subspan(std::min(end + 1, data.size()));
  return text.substr(0, end);
}

void read_png_colours(std::string_view kind, Bytes data, PngColours& colours) {
  const auto share = [&](std::size_t i) {
    return static_cast<double>(number_at(data, 4 * i, 4, true)) / 100000;
  };
  if (kind == "sRGB") colours.srgb = true;
  if (kind == "gAMA" && data.size() == 4) colours.gamma = share(0);
  if (kind == "cHRM" && data.size() == 32) {
    colours.chromaticities.emplace();
    for (std::size_t i = 0; i < 8; ++i)
      (*colours.chromaticities)[(i + 6) % 8] = static_cast<float>(share(i));  // white is first
  }
  if (kind == "cICP" && data.size() == 4) {
    colours.cicp.emplace();
    for (std::size_t i = 0; i < 4; ++i) (*colours.cicp)[i] = std::to_integer<std::uint8_t>(data[i]);
  }
}

void read_png_chunk(std::string_view kind, Bytes data, FileExtras& extras) {
  read_png_colours(kind, data, *extras.png);
  constexpr std::size_t kColorType = 9;  // of IHDR; bit 0 means a palette, bit 1 colours
  if (kind == "IHDR" && data.size() > kColorType)
    extras.is_grey = (std::to_integer<unsigned>(data[kColorType]) & 3) == 0;
  if (kind == "acTL" && data.size() == 8)
    extras.frames = static_cast<std::uint32_t>(number_at(data, 0, 4, true));
  if (kind == "fcTL") extras.shows_first_frame = true;
  if (kind == "eXIf") extras.exif = copied(data);
  if (kind == "iCCP") {
    word(data);
    extras.icc_incomplete = data.size() < 2;
    if (!extras.icc_incomplete) extras.icc = inflated(data.subspan(1));
    extras.icc_incomplete |= extras.icc.empty();
  }
  if (kind == "iTXt" && word(data) == "XML:com.adobe.xmp" && data.size() > 2) {
    const bool compressed = data[0] != std::byte{0};
    data = data.subspan(2);
    word(data);
    word(data);
    extras.xmp = compressed ? inflated(data) : copied(data);
  }
  if (kind == "zTXt" || kind == "tEXt") {
    const std::string_view name = word(data);
    const bool exif = name == "Raw profile type exif" || name == "Raw profile type APP1";
    if (!exif || !extras.exif.empty() || data.empty()) return;
    const std::vector<std::byte> bytes =
        kind == "tEXt" ? raw_profile(data) : raw_profile(inflated(data.subspan(1)));
    extras.exif = copied(after(bytes, "Exif\0\0"sv));
  }
}

}  // namespace

FileExtras jpeg_extras(Bytes file) {
  FileExtras extras;
  std::map<std::size_t, Bytes> profile;
  std::size_t parts = 0;
  each_jpeg_segment(file, [&](unsigned marker, Bytes data) {
    constexpr unsigned kApp1 = 0xe1, kApp2 = 0xe2;
    if (marker == kApp1) {
      const Bytes exif = after(data, "Exif\0"sv), xmp = after(data, "http://ns.adobe.com/xap/1.0/\0"sv);
      if (exif.size() > 1 && extras.exif.empty()) extras.exif = copied(exif.subspan(1));
      if (!xmp.empty() && extras.xmp.empty()) extras.xmp = copied(xmp);
      extras.extended_xmp |= !after(data, "http://ns.adobe.com/xmp/extension/\0"sv).empty();
    }
    if (const Bytes index = marker == kApp2 ? after(data, "MPF\0"sv) : Bytes{}; !index.empty())
      extras.pictures = mpf_pictures(index);
    const Bytes part = marker == kApp2 ? after(data, "ICC_PROFILE\0"sv) : Bytes{};
    if (part.size() < 2) return;
    parts = std::to_integer<std::size_t>(part[1]);
    profile.emplace(std::to_integer<std::size_t>(part[0]), part.subspan(2));
  });
  extras.icc_incomplete = profile.size() != parts;
  if (extras.icc_incomplete) return extras;
  for (const auto& [index, part] : profile) extras.icc.insert(extras.icc.end(), part.begin(), part.end());
  return extras;
}

FileExtras png_extras(Bytes file) {
  FileExtras extras;
  extras.is_grey = false;
  extras.png.emplace();
  bool pixels = false;
  find_png_chunk(file, [&](const PngChunk& chunk) {
    pixels |= chunk.kind == "IDAT";
    // Chunks of an animation that follow the picture are about later frames.
    if (!pixels || (chunk.kind != "fcTL" && chunk.kind != "acTL"))
      read_png_chunk(chunk.kind, chunk.data, extras);
    return false;
  });
  return extras;
}

FileExtras webp_extras(Bytes file) {
  FileExtras extras;
  for (std::size_t at = 12; at + 8 <= file.size();) {
    const std::string_view kind = text_of(file.subspan(at, 4));
    const std::size_t length = number_at(file, at + 4, 4, false);
    if (length > file.size() - at - 8) break;
    const Bytes data = file.subspan(at + 8, length);
    const Bytes headed = after(data, "Exif\0\0"sv);
    if (kind == "ICCP") extras.icc = copied(data);
    if (kind == "EXIF") extras.exif = copied(headed.empty() ? data : headed);
    if (kind == "XMP ") extras.xmp = copied(data);
    at += 8 + length + length % 2;
  }
  return extras;
}

}  // namespace scanlens
