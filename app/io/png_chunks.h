// The chunks of a PNG in memory. Inside scanlens_files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "app/io/file.h"

namespace scanlens {

inline constexpr std::size_t kPngSignature = 8;
inline constexpr std::size_t kPngChunkFrame = 12;  ///< length, kind, checksum
inline constexpr std::size_t kPngHeaderEnd = kPngSignature + kPngChunkFrame + 13;

/// Returns a number as PNG and JPEG write it.
constexpr std::array<std::byte, 4> big_endian(std::uint32_t value) {
  return {std::byte(value >> 24), std::byte(value >> 16), std::byte(value >> 8), std::byte(value)};
}

struct PngChunk {
  std::string_view kind;
  Bytes data;   ///< between kind and checksum
  Bytes whole;  ///< with its frame
};

/// Calls visit(chunk) for each chunk that is there as a whole, until it returns true. Returns true if it did.
template <class Visit>
bool find_png_chunk(Bytes file, const Visit& visit) {
  for (std::size_t at = kPngSignature; at + kPngChunkFrame <= file.size();) {
    std::size_t length = 0;
    for (std::size_t i = at; i < at + 4; ++i) length = length << 8 | std::to_integer<std::size_t>(file[i]);
    if (length > file.size() - at - kPngChunkFrame) break;
    const Bytes whole = file.subspan(at, length + kPngChunkFrame);
    const std::string_view kind(reinterpret_cast<const char*>(whole.data()) + 4, 4);
    if (visit(PngChunk{kind, whole.subspan(8, length), whole})) return true;
    at += whole.size();
  }
  return false;
}

}  // namespace scanlens
