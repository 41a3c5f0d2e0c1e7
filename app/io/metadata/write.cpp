#include <fmt/format.h>
#include <webp/mux.h>

#include <algorithm>
#include <array>
#include <exiv2/exiv2.hpp>
#include <string_view>

#include "app/io/metadata/metadata.h"
#include "core/error.h"

namespace scanlens {
namespace {

using namespace std::string_view_literals;

void append(std::vector<std::byte>& to, Bytes bytes) {
  to.insert(to.end(), bytes.begin(), bytes.end());
}

Bytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

constexpr std::size_t kMostSegment = 65533;  // without the two bytes of its length

void append_segment(std::vector<std::byte>& to, unsigned marker, Bytes head, Bytes data) {
  const std::size_t length = head.size() + data.size() + 2;
  append(to, std::array{std::byte{0xff}, std::byte(marker), std::byte(length >> 8), std::byte(length & 255)});
  append(to, head);
  append(to, data);
}

}  // namespace

Encoded with_jpeg_metadata(Encoded file, const Metadata& metadata, const Remarks& say) {
  constexpr std::string_view kExif = "Exif\0\0"sv, kXmp = "http://ns.adobe.com/xap/1.0/\0"sv,
                             kIcc = "ICC_PROFILE\0"sv;
  constexpr unsigned kApp1 = 0xe1, kApp2 = 0xe2;
  std::vector<std::byte> segments;
  const auto add = [&](const char* what, std::string_view head, const std::vector<std::byte>& data) {
    if (data.empty()) return;
    if (data.size() <= kMostSegment - head.size())
      append_segment(segments, kApp1, bytes_of(head), data);
    else if (say)
      say({true, fmt::format("the {} of {} bytes does not fit JPEG's segments of 64 kB and is left out", what,
                             data.size())});
  };
  add("EXIF", kExif, metadata.exif);
  add("XMP", kXmp, metadata.xmp);
  const std::size_t part = kMostSegment - kIcc.size() - 2;
  const std::size_t parts = (metadata.icc.size() + part - 1) / part;
  for (std::size_t i = 0; i < parts; ++i) {
    std::string head(kIcc);
    head += static_cast<char>(i + 1);
    head += static_cast<char>(parts);
    append_segment(segments, kApp2, bytes_of(head),
                   Bytes(metadata.icc).subspan(i * part, std::min(part, metadata.icc.size() - i * part)));
  }
  if (segments.empty()) return file;

  // The first segment, JFIF's, stays the first.
  const Bytes bytes = file.bytes();
  std::size_t at = 2;
  if (bytes.size() > 6 && bytes[2] == std::byte{0xff} && bytes[3] == std::byte{0xe0})
    at += 2 + (std::to_integer<std::size_t>(bytes[4]) << 8 | std::to_integer<std::size_t>(bytes[5]));
  std::vector<std::byte> whole;
  whole.reserve(bytes.size() + segments.size());
  append(whole, bytes.first(at));
  append(whole, segments);
  append(whole, bytes.subspan(at));
  return owned(std::move(whole));
}

Encoded with_webp_metadata(Encoded file, const Metadata& metadata, const std::string& name) {
  if (metadata.icc.empty() && metadata.exif.empty() && metadata.xmp.empty()) return file;
  const auto data_of = [](Bytes bytes) {
    return WebPData{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  };
  const WebPData pixels = data_of(file.bytes());
  const std::unique_ptr<WebPMux, void (*)(WebPMux*)> mux(WebPMuxCreate(&pixels, 0), WebPMuxDelete);
  bool good = mux != nullptr;
  const auto add = [&](const char* kind, const std::vector<std::byte>& bytes) {
    const WebPData data = data_of(bytes);
    if (!bytes.empty()) good = good && WebPMuxSetChunk(mux.get(), kind, &data, 0) == WEBP_MUX_OK;
  };
  add("ICCP", metadata.icc);
  add("EXIF", metadata.exif);
  add("XMP ", metadata.xmp);
  WebPData whole = {};
  if (!good || WebPMuxAssemble(mux.get(), &whole) != WEBP_MUX_OK)
    throw Error(fmt::format("{}: the metadata cannot be put into the WebP", name));
  return {{const_cast<std::uint8_t*>(whole.bytes), WebPFree}, whole.size};
}

Encoded with_tiff_exif(Encoded file, const Metadata& metadata, const Remarks& say) {
  if (metadata.exif.empty()) return file;
  try {
    const auto lock = lock_exiv2();
    const Bytes bytes = file.bytes();
    const auto image = Exiv2::ImageFactory::open(reinterpret_cast<const Exiv2::byte*>(bytes.data()),
                                                 static_cast<long>(bytes.size()));
    image->readMetadata();
    Exiv2::ExifData exif;
    Exiv2::ExifParser::decode(exif, reinterpret_cast<const Exiv2::byte*>(metadata.exif.data()),
                              static_cast<std::uint32_t>(metadata.exif.size()));
    for (const Exiv2::Exifdatum& tag : exif)
      if (image->exifData().findKey(Exiv2::ExifKey(tag.key())) == image->exifData().end())
        image->exifData().add(tag);
    image->writeMetadata();
    const long size = static_cast<long>(image->io().size());
    const auto* first = reinterpret_cast<const std::byte*>(image->io().mmap());
    return owned(std::vector<std::byte>(first, first + size));
  } catch (const std::exception&) {
    if (say) say({true, "the EXIF cannot be put into this TIFF and is left out"});
    return file;
  }
}

}  // namespace scanlens
