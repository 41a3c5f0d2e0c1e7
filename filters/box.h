// The box filter: every sample becomes the mean over the square around it, in constant time however large.
#pragma once

#include <cstdint>
#include <memory>

#include "core/context.h"
#include "core/view.h"

namespace scanlens {

inline constexpr std::int64_t kMostBoxRadius = std::int64_t{1} << 20;

/// out(x, y, c) = the mean of image(i, j, c) over the pixels at most `radius` columns and rows away that lie
/// in the picture, rounded to nearest (halves up). In the samples' own values: sRGB codes are averaged as
/// codes, not as light, and every channel by itself, alpha too.
///
/// Shapes: `image` and `out` equal, 1, 3 or 4 channels. Any pitch. Types: uint8_t and uint16_t. Aliasing:
/// `out` may be `image` itself; any other overlap is an error. Determinism: exact, the same on every backend.
/// Memory: a table of sums, 4 bytes a sample, or 8 where a box could sum to 2^32; on CUDA, for three channels
/// of uint8_t and boxes of at most kMostPackedPixels, pictures of 1.5 million pixels and more, and streams,
/// take 8 bytes a pixel. On CUDA of the whole image, on the CPU of the rows that boxes reach. Source: Crow,
/// "Summed-Area Tables for Texture Mapping", 1984.
template <class T>
void box_filter(Context& context, View<const T> image, std::int64_t radius, View<T> out);

/// The same for an image of any height, band by band: only as many rows of the table are kept as boxes reach.
/// On CUDA the upload of a band, the work on the one before and the download of the one before that overlap.
/// The context must outlive the stream and must not be moved.
template <class T>
class BoxFilterStream {
 public:
  /// For an image of `width` x `height` pixels that comes in bands of `band_rows` rows.
  BoxFilterStream(Context& context, std::int64_t width, std::int64_t height, int channels,
                  std::int64_t radius, std::int64_t band_rows);
  BoxFilterStream(BoxFilterStream&&) noexcept;
  ~BoxFilterStream();

  /// Takes the next rows, packed and in host memory: `band_rows` of them, only the last ones may be fewer.
  /// Gives rows that are finished, in order, in host memory and at most `band_rows`: maybe none yet. They
  /// stay valid until the next call.
  View<const T> push(View<const T> rows);

  /// After the last row: the next finished rows, and none when all have been given.
  View<const T> finish();

  class Steps;

 private:
  std::unique_ptr<Steps> steps_;
};

/// Bytes that such a stream takes, at most, where its context works.
std::int64_t box_filter_stream_bytes(std::int64_t width, std::int64_t height, int channels, int sample_bytes,
                                     std::int64_t radius, std::int64_t band_rows);

}  // namespace scanlens
