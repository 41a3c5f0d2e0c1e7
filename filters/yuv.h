// Between RGB and planes of luma and chroma, as clips are encoded (ITU-T H.273).
#pragma once

#include <cstdint>

#include "core/context.h"
#include "core/view.h"

namespace scanlens {

/// The meaning of samples of luma and chroma.
struct YuvFormat {
  int bits = 8;          ///< of a sample: 8 in uint8_t, 9 to 16 in the low bits of uint16_t
  bool full = false;     ///< codes use all of these bits, in place of 219 and 224 steps of 256
  int across = 2;        ///< pixels to a sample of chroma in a row, 1 or 2
  int down = 2;          ///< pixels to one in a column, 1 or 2
  int left = 0;          ///< halves of a pixel from the first pixel to the first sample of chroma, 0 to 2
  int top = 1;           ///< the same in a column
  double red = 0.2126;   ///< share of red in luma
  double blue = 0.0722;  ///< share of blue

  std::int64_t chroma_width(std::int64_t width) const { return (width + across - 1) / across; }
  std::int64_t chroma_height(std::int64_t height) const { return (height + down - 1) / down; }

  friend bool operator==(const YuvFormat&, const YuvFormat&) = default;
};

/// A frame of one channel each.
template <class T>
struct YuvPlanes {
  View<T> luma;
  View<T> blue;  ///< difference of blue from luma: Cb
  View<T> red;   ///< of red: Cr
};

/// Makes RGB of planes. Chroma between its samples is interpolated by a cubic over four samples a way (a =
/// -0.6, as ffmpeg's scaler has it), and continued beyond the edges. RGB codes use all bits of T, rounded to
/// nearest and clipped. The planes and `rgb` must not overlap. Any pitch. T: uint8_t, uint16_t.
/// Determinism: the same bits on every backend. Memory: none. Throws Error (usage) for planes of another size
/// or a format out of range.
template <class T>
void rgb_from_yuv(Context& context, const YuvPlanes<const T>& planes, const YuvFormat& format, View<T> rgb);

/// Makes planes of RGB. A sample of chroma is a mean over eight pixels a way, weighed by that cubic at twice
/// its width. All else as above; memory: on CUDA a float for each sample of chroma in every row of pixels.
template <class T>
void yuv_from_rgb(Context& context, View<const T> rgb, const YuvFormat& format, const YuvPlanes<T>& planes);

}  // namespace scanlens
