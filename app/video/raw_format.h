// The samples of raw frames, as they lie in a pipe to or from ffmpeg.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/video/clip.h"
#include "filters/filter.h"
#include "filters/yuv.h"

namespace scanlens {

struct RawFormat {
  std::string name;              ///< "yuv420p10le", "rgb24", as ffmpeg has it
  RowFormat rows;                ///< of the picture that a frame shows
  std::optional<YuvFormat> yuv;  ///< planes one after the other; nothing: pixels

  std::size_t samples() const;
  std::size_t bytes() const { return samples() * static_cast<std::size_t>(rows.sample_bytes); }
};

/// Returns the format in which ffmpeg gives a clip's frames: planes of YUV as they are coded, where the
/// library converts these; else grey, RGB or RGBA of 8 or 16 bits.
RawFormat decoded_format(const Clip& clip);

/// Returns the format in which ffmpeg takes frames of these rows that it encodes as `pixels`: planes of these
/// pixels, of 10 bits at least where the rows are of 16; else the rows as they are.
RawFormat encoded_format(const Clip& clip, const RowFormat& rows, const std::string& pixels);

/// Returns where chroma lies in what is made of a clip, as ffmpeg names it; "" for the usual place. A clip
/// that was turned upright has chroma at the usual place.
std::string chroma_location_of(const Clip& clip);

}  // namespace scanlens
