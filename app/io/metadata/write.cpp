#include <fmt/format.h>
#include <webp/mux.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exiv2/exiv2.hpp>
#include <string_view>

#include "app/io/metadata/gain_words.h"
#include "app/io/metadata/jpeg_parts.h"
#include "app/io/metadata/metadata.h"
#include "app/io/metadata/tidy.h"
#include "app/io/png_chunks.h"
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
constexpr unsigned kApp1 = 0xe1, kApp2 = 0xe2, kApp14 = 0xee;

void append_segment(std::vector<std::byte>& to, unsigned marker, Bytes head, Bytes data) {
  const std::size_t length = head.size() + data.size() + 2;
  append(to, std::array{std::byte{0xff}, std::byte(marker), std::byte(length >> 8), std::byte(length & 255)});
  append(to, head);
  append(to, data);
}

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Returns a packet with one more element of RDF.
std::string with_description(std::string packet, std::string_view description) {
  constexpr std::string_view kEnd = "</rdf:RDF>";
  if (description.empty()) return packet;
  if (packet.find(kEnd) == packet.npos)
    packet =
        "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF "
        "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"></rdf:RDF></x:xmpmeta>";
  return packet.insert(packet.rfind(kEnd), description);
}

/// Returns the index of two pictures (CIPA DC-007), which begins with its own bytes.
std::vector<std::byte> picture_index(std::size_t first_bytes, std::size_t second_bytes,
                                     std::size_t second_at) {
  std::vector<std::byte> index;
  const auto add = [&](auto... values) {
    (append(index, big_endian(static_cast<std::uint32_t>(values))), ...);
  };
  constexpr std::uint32_t kBigEndian = 0x4d4d002a, kPrimary = 0x030000, kUndefined = 7, kLong = 4;
  const auto tag = [&](std::uint32_t number, std::uint32_t kind, std::uint32_t count, std::uint32_t value) {
    add(number << 16 | kind, count, value);
  };
  add(kBigEndian, 8);
  append(index, std::array{std::byte{0}, std::byte{3}});
  tag(0xb000, kUndefined, 4, 0x30313030);  // "0100"
  tag(0xb001, kLong, 1, 2);
  constexpr std::uint32_t kEntriesAt = 8 + 2 + 3 * 12 + 4;
  tag(0xb002, kUndefined, 32, kEntriesAt);
  add(0, kPrimary, first_bytes, 0, 0, 0, second_bytes, second_at, 0);
  return index;
}

/// The segments of XMP: what is too long for one goes on in others, which the first names by a checksum.
void append_xmp(std::vector<std::byte>& to, std::vector<std::byte> xmp, std::string_view description) {
  constexpr std::string_view kPacket = "http://ns.adobe.com/xap/1.0/\0"sv,
                             kMore = "http://ns.adobe.com/xmp/extension/\0"sv;
  const std::size_t room = kMostSegment - kPacket.size() - description.size();
  if (xmp.size() <= room) {
    append_segment(to, kApp1, bytes_of(kPacket), bytes_of(with_description(text_of(xmp), description)));
    return;
  }
  const SplitXmp split = split_xmp(xmp, room);
  append_segment(to, kApp1, bytes_of(kPacket),
                 bytes_of(with_description(text_of(split.packet), description)));
  xmp = split.more;
  const std::string& guid = split.guid;
  const auto whole = big_endian(static_cast<std::uint32_t>(xmp.size()));
  const std::size_t most = kMostSegment - kMore.size() - guid.size() - 8;
  for (std::size_t at = 0; at < xmp.size(); at += most) {
    std::vector<std::byte> head;
    append(head, bytes_of(kMore));
    append(head, bytes_of(guid));
    append(head, whole);
    append(head, big_endian(static_cast<std::uint32_t>(at)));
    append_segment(to, kApp1, head, Bytes(xmp).subspan(at, std::min(most, xmp.size() - at)));
  }
}

/// Segments of the same head, as many as the data take. `number`: adds the bytes of each part's number.
void append_parts(std::vector<std::byte>& to, unsigned marker, std::string_view head, Bytes data,
                  bool number) {
  const std::size_t most = kMostSegment - head.size() - (number ? 2 : 0);
  const std::size_t parts = (data.size() + most - 1) / most;
  for (std::size_t i = 0; i < parts; ++i) {
    std::string begin(head);
    if (number) begin += {static_cast<char>(i + 1), static_cast<char>(parts)};
    append_segment(to, marker, bytes_of(begin),
                   data.subspan(i * most, std::min(most, data.size() - i * most)));
  }
}

/// Puts the resolution into JFIF's header, which begins behind `at`. Its numbers are whole: the unit is the
/// one that they fit better.
void put_resolution(std::vector<std::byte>& file, const Resolution& resolution) {
  constexpr double kMost = 65535;
  constexpr std::size_t kUnit = 13, kNumbers = 14;
  const auto error = [&](double units) {
    const double x = resolution.x / units, y = resolution.y / units;
    return std::max(std::abs(x - std::round(x)) / x, std::abs(y - std::round(y)) / y);
  };
  const bool centimetres = resolution.has_unit && error(kCmPerInch) < error(1) - 1e-4;
  file[kUnit] = std::byte(!resolution.has_unit ? 0 : centimetres ? 2 : 1);
  const double units = centimetres ? kCmPerInch : 1;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto number = std::lround(std::clamp((i == 0 ? resolution.x : resolution.y) / units, 1.0, kMost));
    file[kNumbers + 2 * i] = std::byte(number >> 8);
    file[kNumbers + 2 * i + 1] = std::byte(number & 255);
  }
}

}  // namespace

Encoded with_jpeg_metadata(Encoded file, const Metadata& metadata, const Encoded& gain) {
  std::vector<std::byte> segments;
  if (!metadata.exif.empty()) append_segment(segments, kApp1, bytes_of("Exif\0\0"sv), metadata.exif);
  const std::string description = gain.size > 0 ? gain_description(gain.size) : "";
  if (!metadata.xmp.empty() || gain.size > 0) append_xmp(segments, metadata.xmp, description);
  append_parts(segments, kApp2, "ICC_PROFILE\0"sv, metadata.icc, true);
  append_parts(segments, 0xed, "Photoshop 3.0\0"sv, metadata.photoshop, false);
  for (const NamedText& text : metadata.texts) append_parts(segments, 0xfe, {}, bytes_of(text.text), false);
  if (segments.empty() && !metadata.resolution) return file;

  // The first segment, JFIF's, stays the first.
  const Bytes bytes = file.bytes();
  const bool jfif = bytes.size() > 20 && bytes[2] == std::byte{0xff} && bytes[3] == std::byte{0xe0};
  const std::size_t at = jfif ? 4 + number_at(bytes, 4, 2, true) : 2;
  if (gain.size > 0) {
    constexpr std::string_view kIndex = "MPF\0"sv;
    append_segment(segments, kApp2, bytes_of(kIsoGain), std::vector<std::byte>(4));  // two versions, both 0
    const std::size_t index = picture_index(0, 0, 0).size();
    const std::size_t begin = at + segments.size() + 4 + kIndex.size();
    const std::size_t whole = begin + index + bytes.size() - at;
    append_segment(segments, kApp2, bytes_of(kIndex), picture_index(whole, gain.size, whole - begin));
  }
  std::vector<std::byte> whole;
  whole.reserve(bytes.size() + segments.size() + gain.size);
  append(whole, bytes.first(at));
  if (jfif && metadata.resolution) put_resolution(whole, *metadata.resolution);
  append(whole, segments);
  append(whole, bytes.subspan(at));
  append(whole, gain.bytes());
  return owned(std::move(whole));
}

Encoded with_gain_words(Encoded file, const GainMap& map) {
  std::vector<std::byte> segments, whole;
  const std::string packet = gain_packet(map);
  std::size_t begin = 2;
  if (map.channels() == 3) {  // as they are, which Adobe's marker says in place of JFIF's
    begin += 2 + number_at(file.bytes(), 4, 2, true);
    append_segment(segments, kApp14, bytes_of("Adobe\0\x64\0\0\0\0\0"sv), {});
  }
  append_segment(segments, kApp1, bytes_of("http://ns.adobe.com/xap/1.0/\0"sv), bytes_of(packet));
  append_segment(segments, kApp2, bytes_of(kIsoGain), iso_gain(map));
  append(whole, file.bytes().first(2));
  append(whole, segments);
  append(whole, file.bytes().subspan(begin));
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
