// Raw frames with their times, as ffmpeg takes them from a pipe: Matroska (RFC 9559) of codec V_UNCOMPRESSED.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "app/video/raw_format.h"

namespace scanlens {

/// Returns the beginning of such a stream. `frame_ns` is how long a frame lasts, usually; 0: nobody knows.
std::vector<std::byte> matroska_head(const RawFormat& format, std::int64_t frame_ns);

/// Returns what stands before the bytes of a frame that is shown at `ns`.
std::vector<std::byte> matroska_frame(std::uint64_t frame_bytes, std::int64_t ns);

}  // namespace scanlens
