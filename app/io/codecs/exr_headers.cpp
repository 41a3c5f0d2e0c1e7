// The headers of an OpenEXR file: openexr.com, "OpenEXR File Layout".
#include <OpenEXR/ImfCompression.h>
#include <OpenEXR/ImfHeader.h>

#include <mutex>
#include <string_view>

#include "app/io/codecs/byte_reader.h"
#include "app/io/codecs/exr_stream.h"

namespace scanlens {
namespace {

/// Takes a name up to its zero byte.
std::string_view take_name(ByteReader& reader, const Source& source) {
  constexpr std::size_t kMostName = 255;
  const auto* text = reinterpret_cast<const char*>(source.bytes.data()) + reader.position();
  const std::string_view window(text, std::min(reader.left(), kMostName + 1));
  const std::size_t end = window.find('\0');
  if (end == std::string_view::npos) reader.truncated();
  reader.take(end + 1);
  return window.substr(0, end);
}

/// Takes an attribute's value of `size` bytes. The library reads the kinds of a fixed length at that length
/// whatever the size says, and others up to an end of their own: there size and content have to agree.
void take_value(ByteReader& reader, const Source& source, std::string_view kind, std::size_t size) {
  struct Fixed {
    std::string_view kind;
    std::size_t size;
  };
  constexpr Fixed kFixed[] = {{"box2i", 16},
                              {"box2f", 16},
                              {"chromaticities", 32},
                              {"compression", 1},
                              {"deepImageState", 1},
                              {"double", 8},
                              {"envmap", 1},
                              {"float", 4},
                              {"int", 4},
                              {"keycode", 28},
                              {"lineOrder", 1},
                              {"m33d", 72},
                              {"m33f", 36},
                              {"m44d", 128},
                              {"m44f", 64},
                              {"rational", 8},
                              {"tiledesc", 9},
                              {"timecode", 8},
                              {"v2d", 16},
                              {"v2f", 8},
                              {"v2i", 8},
                              {"v3d", 24},
                              {"v3f", 12},
                              {"v3i", 12}};
  const std::size_t end = reader.position() + size;
  if (size > reader.left()) reader.truncated();
  for (const Fixed& fixed : kFixed)
    if (kind == fixed.kind && size != fixed.size)
      reader.corrupt("an attribute has another length than its kind");
  if (kind == "chlist") {
    while (!take_name(reader, source).empty()) reader.take(16);
  } else if (kind == "preview") {
    const std::uint64_t width = reader.u32(), height = reader.u32();
    if (width > size || height > size || width * height * 4 != size - 8)
      reader.corrupt("its preview has another size");
    reader.seek(end);
  } else if (kind == "stringvector") {
    while (reader.position() < end) reader.take(reader.u32());
  } else {
    reader.seek(end);
  }
  if (reader.position() != end) reader.corrupt("an attribute has another length than its content");
}

}  // namespace

void check_exr_headers(const Source& source) {
  // The library's limits hold for all files; the gate knows this one's.
  constexpr int kMostSide = 1 << 24, kMostTileSide = 1 << 14;
  static std::once_flag once;
  std::call_once(once, [] {
    Imf::Header::setMaxImageSize(kMostSide, kMostSide);
    Imf::Header::setMaxTileSize(kMostTileSide, kMostTileSide);
  });
  constexpr unsigned kDeep = 0x800, kParts = 0x1000;
  constexpr int kCompressions = Imf::NUM_COMPRESSION_METHODS;
  ByteReader reader(source, Format::exr);
  reader.take(4);
  const std::uint32_t version = reader.u32();
  if ((version & 0xff) != 2) reader.unsupported("its version of OpenEXR is not 2");
  if ((version & kDeep) != 0 && (version & kParts) == 0)
    reader.unsupported("its pixels are deep (many samples each); flatten it in the program that wrote it");
  bool more = true;
  while (more) {
    std::size_t attributes = 0;
    while (!take_name(reader, source).empty()) {
      const std::string_view kind = take_name(reader, source);
      const std::size_t size = reader.u32();
      if (kind == "compression" && reader.left() > 0 &&
          std::to_integer<int>(source.bytes[reader.position()]) >= kCompressions)
        reader.unsupported(
            "it is compressed in a way that this build does not read; compress it by ZIP, for example with "
            "oiiotool --compression zip");
      take_value(reader, source, kind, size);
      ++attributes;
    }
    more = (version & kParts) != 0 && attributes > 0;  // an empty header ends those of several parts
  }
}

}  // namespace scanlens
