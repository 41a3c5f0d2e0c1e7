#include "app/video/matroska.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace scanlens {
namespace {

using Octets = std::vector<std::byte>;

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

void add_number(Octets& bytes, std::uint64_t number, int length) {
  for (int i = length - 1; i >= 0; --i) bytes.push_back(static_cast<std::byte>(number >> (8 * i)));
}

/// Adds an element's identifier and size, which takes eight bytes.
void add_head(Octets& bytes, Id id, std::uint64_t size) {
  for (int shift = 24; shift >= 0; shift -= 8)
    if (const auto byte = static_cast<std::byte>(id >> shift); id >> shift != 0) bytes.push_back(byte);
  add_number(bytes, (std::uint64_t{1} << 56) | size, 8);
}

Octets element(Id id, std::string_view text) {
  Octets bytes;
  add_head(bytes, id, text.size());
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

Octets element(Id id, std::uint64_t number) {
  Octets bytes;
  add_head(bytes, id, 8);
  add_number(bytes, number, 8);
  return bytes;
}

Octets element(Id id, std::initializer_list<Octets> children) {
  Octets content;
  for (const Octets& child : children) content.insert(content.end(), child.begin(), child.end());
  Octets bytes;
  add_head(bytes, id, content.size());
  bytes.insert(bytes.end(), content.begin(), content.end());
  return bytes;
}

/// Names the samples as ffmpeg's raw video does (libavcodec/raw.c).
std::string four_cc(const RawFormat& format) {
  using namespace std::string_literals;
  if (format.yuv) {
    const int halves = format.yuv->across == 1 ? 0 : format.yuv->down == 1 ? 1 : 2;
    constexpr const char* kPlanes[] = {"444P", "Y42B", "I420"};
    if (format.yuv->bits == 8) return kPlanes[halves];
    constexpr char kWidePlanes[] = {0, 10, 11};
    return {'Y', '3', kWidePlanes[halves], static_cast<char>(format.yuv->bits)};
  }
  const bool wide = format.rows.sample_bytes == 2;
  switch (format.rows.channels) {
    case 1:
      return wide ? "Y1\0\x10"s : "Y800"s;
    case 4:
      return wide ? "RBA\x40"s : "RGBA"s;
    default:
      return wide ? "RGB\x30"s : "RGB\x18"s;
  }
}

}  // namespace

Octets matroska_head(const RawFormat& format, std::int64_t frame_ns) {
  constexpr std::uint64_t kUnknownSize = (std::uint64_t{1} << 56) - 1;
  Octets bytes = element(
      kEbml, {element(kDocType, "matroska"), element(kDocTypeVersion, 4), element(kDocTypeReadVersion, 2)});
  add_head(bytes, kSegment, kUnknownSize);
  const auto add = [&](const Octets& more) { bytes.insert(bytes.end(), more.begin(), more.end()); };
  add(element(kInfo, {element(kTimestampScale, 1)}));
  const Octets video = element(kVideo, {element(kPixelWidth, static_cast<std::uint64_t>(format.rows.width)),
                                        element(kPixelHeight, static_cast<std::uint64_t>(format.rows.height)),
                                        element(kUncompressedFourCc, four_cc(format))});
  const Octets duration =
      frame_ns > 0 ? element(kDefaultDuration, static_cast<std::uint64_t>(frame_ns)) : Octets();
  add(element(kTracks,
              {element(kTrackEntry, {element(kTrackNumber, 1), element(kTrackUid, 1), element(kTrackType, 1),
                                     element(kCodecId, "V_UNCOMPRESSED"), duration, video})}));
  return bytes;
}

Octets matroska_frame(std::uint64_t frame_bytes, std::int64_t ns) {
  const Octets time = element(kTimestamp, static_cast<std::uint64_t>(ns));
  // The block's own beginning: track 1, no time beside the cluster's, a frame to start from.
  constexpr std::uint32_t kBlock = 0x81000080;
  constexpr std::uint64_t kBlockBytes = 4, kElementHead = 9;
  Octets bytes;
  add_head(bytes, kCluster, time.size() + kElementHead + kBlockBytes + frame_bytes);
  bytes.insert(bytes.end(), time.begin(), time.end());
  add_head(bytes, kSimpleBlock, kBlockBytes + frame_bytes);
  add_number(bytes, kBlock, 4);
  return bytes;
}

}  // namespace scanlens
