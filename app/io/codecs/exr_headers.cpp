// The headers of an OpenEXR file: openexr.com, "OpenEXR File Layout".
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

}  // namespace

void check_exr_headers(const Source& source) {
  constexpr unsigned kDeep = 0x800, kParts = 0x1000;
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
      take_name(reader, source);
      const std::uint32_t size = reader.u32();
      if (size > reader.left()) reader.truncated();
      reader.take(size);
      ++attributes;
    }
    more = (version & kParts) != 0 && attributes > 0;  // an empty header ends those of several parts
  }
}

}  // namespace scanlens
