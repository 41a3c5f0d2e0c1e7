#include "app/video/matroska.h"

#include <initializer_list>
#include <string_view>

namespace scanlens {
namespace {

using Bytes = std::vector<std::byte>;

// Identifiers of elements.
enum Id : std::uint32_t {
  kEbml = 0x1A45DFA3,
  kDocType = 0x4282,
  kDocTypeVersion = 0x4287,
  kDocTypeReadVersion = 0x4285,
  kSegment = 0x18538067,
  kInfo = 0x1549A966,
  kTimestampScale = 0x2AD7B1,
  kTracks = 0x1654AE6B,
  kTrackEntry = 0xAE,
  kTrackNumber = 0xD7,
  kTrackUid = 0x73C5,
  kTrackType = 0x83,
  kCodecId = 0x86,
  kDefaultDuration = 0x23E383,
  kVideo = 0xE0,
  kPixelWidth = 0xB0,
  kPixelHeight = 0xBA,
  kUncompressedFourCc = 0x2EB524,
  kCluster = 0x1F43B675,
  kTimestamp = 0xE7,
  kSimpleBlock = 0xA3,
};

void add_number(Bytes& bytes, std::uint64_t number, int length) {
  for (int i = length - 1; i >= 0; --i) bytes.push_back(static_cast<std::byte>(number >> (8 * i)));
}

/// Adds an element's identifier and size, which takes eight bytes.
void add_head(Bytes& bytes, Id id, std::uint64_t size) {
  for (int shift = 24; shift >= 0; shift -= 8)
    if (const auto byte = static_cast<std::byte>(id >> shift); id >> shift != 0) bytes.push_back(byte);
  add_number(bytes, (std::uint64_t{1} << 56) | size, 8);
}

Bytes element(Id id, std::string_view text) {
  Bytes bytes;
  add_head(bytes, id, text.size());
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

Bytes element(Id id, std::uint64_t number) {
  Bytes bytes;
  add_head(bytes, id, 8);
  add_number(bytes, number, 8);
  return bytes;
}

Bytes element(Id id, std::initializer_list<Bytes> children) {
  Bytes content;
  for (const Bytes& child : children) content.insert(content.end(), child.begin(), child.end());
  Bytes bytes;
  add_head(bytes, id, content.size());
  bytes.insert(bytes.end(), content.begin(), content.end());
  return bytes;
}

/// Names the samples as ffmpeg's raw video does (libavcodec/raw.c).
std::string_view four_cc(const RowFormat& format) {
  using namespace std::string_view_literals;
  const bool wide = format.sample_bytes == 2;
  switch (format.channels) {
    case 1:
      return wide ? "Y1\0\x10"sv : "Y800"sv;
    case 4:
      return wide ? "RBA\x40"sv : "RGBA"sv;
    default:
      return wide ? "RGB\x30"sv : "RGB\x18"sv;
  }
}

}  // namespace

Bytes matroska_head(const RowFormat& format, std::int64_t frame_ns) {
  constexpr std::uint64_t kUnknownSize = (std::uint64_t{1} << 56) - 1;
  Bytes bytes = element(
      kEbml, {element(kDocType, "matroska"), element(kDocTypeVersion, 4), element(kDocTypeReadVersion, 2)});
  add_head(bytes, kSegment, kUnknownSize);
  const auto add = [&](const Bytes& more) { bytes.insert(bytes.end(), more.begin(), more.end()); };
  add(element(kInfo, {element(kTimestampScale, 1)}));
  const Bytes video = element(kVideo, {element(kPixelWidth, static_cast<std::uint64_t>(format.width)),
                                       element(kPixelHeight, static_cast<std::uint64_t>(format.height)),
                                       element(kUncompressedFourCc, four_cc(format))});
  const Bytes duration =
      frame_ns > 0 ? element(kDefaultDuration, static_cast<std::uint64_t>(frame_ns)) : Bytes();
  add(element(kTracks,
              {element(kTrackEntry, {element(kTrackNumber, 1), element(kTrackUid, 1), element(kTrackType, 1),
                                     element(kCodecId, "V_UNCOMPRESSED"), duration, video})}));
  return bytes;
}

Bytes matroska_frame(const RowFormat& format, std::int64_t ns) {
  const std::uint64_t samples = format.row_bytes() * static_cast<std::size_t>(format.height);
  const Bytes time = element(kTimestamp, static_cast<std::uint64_t>(ns));
  // The block's own beginning: track 1, no time beside the cluster's, a frame to start from.
  constexpr std::uint32_t kBlock = 0x81000080;
  constexpr std::uint64_t kBlockBytes = 4, kElementHead = 9;
  Bytes bytes;
  add_head(bytes, kCluster, time.size() + kElementHead + kBlockBytes + samples);
  bytes.insert(bytes.end(), time.begin(), time.end());
  add_head(bytes, kSimpleBlock, kBlockBytes + samples);
  add_number(bytes, kBlock, 4);
  return bytes;
}

}  // namespace scanlens
