#include "app/depth/files/mark.h"

#include <fmt/format.h>
#include <libdeflate.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace scanlens {
namespace {

constexpr std::size_t kSignature = 8, kChunkFrame = 12;  // a frame is length, type and checksum
constexpr std::size_t kHeaderEnd = kSignature + kChunkFrame + 13;
constexpr std::string_view kMillimetres = "metric: millimetres, 0 is unknown";
constexpr std::string_view kInverse = "relative: inverse, 0 is farthest";

const std::string& text_start() {
  static const std::string start = std::string("tEXtscanlens:depth") + '\0';
  return start;
}

std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

}  // namespace

bool is_marked_pfm(const Source& source) {
  const std::string_view header(reinterpret_cast<const char*>(source.bytes.data()),
                                parse_netpbm_header(source).length - 1);
  return header.ends_with(kScaleOfMetres) && header[header.size() - kScaleOfMetres.size() - 1] == '\n';
}

std::string npy_of_metres(std::int64_t width, std::int64_t height) {
  return fmt::format("{{'shape': ({}, {}), 'fortran_order': False, 'descr': '<f4', }}", height, width);
}

bool is_marked_npy(Bytes file, std::int64_t width, std::int64_t height) {
  constexpr std::size_t kDictionary = 10;  // behind magic, version and length
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  return text.size() > kDictionary && text.substr(kDictionary).starts_with(npy_of_metres(width, height));
}

std::vector<std::byte> marked_png(Bytes png, DepthKind kind) {
  std::string chunk = text_start();
  chunk += kind == DepthKind::depth ? kMillimetres : kInverse;
  const std::string framed = big_endian(static_cast<std::uint32_t>(chunk.size() - 4)) + chunk +
                             big_endian(libdeflate_crc32(0, chunk.data(), chunk.size()));
  std::vector<std::byte> marked(png.size() + framed.size());
  std::memcpy(marked.data(), png.data(), kHeaderEnd);
  std::memcpy(marked.data() + kHeaderEnd, framed.data(), framed.size());
  std::memcpy(marked.data() + kHeaderEnd + framed.size(), png.data() + kHeaderEnd, png.size() - kHeaderEnd);
  return marked;
}

std::optional<DepthKind> kind_marked_in_png(Bytes png) {
  std::string_view rest(reinterpret_cast<const char*>(png.data()), png.size());
  rest.remove_prefix(std::min(kSignature, rest.size()));
  while (rest.size() >= kChunkFrame) {
    std::size_t length = 0;
    for (int i = 0; i < 4; ++i)
      length = length << 8 | static_cast<unsigned char>(rest[static_cast<std::size_t>(i)]);
    if (length > rest.size() - kChunkFrame) break;
    const std::string_view chunk = rest.substr(4, length + 4);
    if (chunk.starts_with("IDAT")) break;
    if (chunk == text_start() + std::string(kMillimetres)) return DepthKind::depth;
    if (chunk == text_start() + std::string(kInverse)) return DepthKind::inverse;
    rest.remove_prefix(length + kChunkFrame);
  }
  return std::nullopt;
}

}  // namespace scanlens
