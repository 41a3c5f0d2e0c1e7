// Pixels beside a picture: one colour, or the nearest pixel of its edge.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/view.h"
#include "filters/amount.h"
#include "filters/color.h"
#include "filters/parts/sample.h"

namespace scanlens {

/// A colour as samples of a picture: its codes, the light that they have in sRGB for floats; luma where the
/// picture is grey.
template <class T>
struct Fill {
  Fill(double colour, int channels) : repeats_edge(colour == kEdgeColour) {
    const auto code = static_cast<std::uint32_t>(repeats_edge ? 0 : colour);
    for (int c = 0; c < 3; ++c) {
      const auto byte = static_cast<double>(code >> (16 - 8 * c) & 255);
      pixel[c] = std::is_floating_point_v<T> ? static_cast<T>(srgb_to_linear_in_double(byte / 255))
                                             : static_cast<T>(byte * (sizeof(T) == 2 ? 257 : 1));
    }
    if (channels == 1) {
      const float white = static_cast<float>(Luma<T>::white(3)) / kWhite<T>;
      pixel[0] = clipped_sample<T>(static_cast<float>(Luma<T>::of(pixel, 3)) / white);
    }
    pixel[3] = static_cast<T>(kWhite<T>);
  }

  bool repeats_edge;
  T pixel[4];
};

/// Returns a place within a line of `length`.
SCANLENS_HOST_DEVICE inline std::int64_t within_line(std::int64_t at, std::int64_t length) {
  return at < 0 ? 0 : at < length ? at : length - 1;
}

/// The picture, and what lies beside it. Row 0 of `rows` is row `top` of a picture of `height` rows.
template <class T>
struct FilledPicture {
  View<const T> rows;
  std::int64_t top, height;
  Fill<T> fill;

  SCANLENS_HOST_DEVICE const T* pixel(std::int64_t x, std::int64_t y) const {
    const bool inside = x >= 0 && x < rows.width && y >= 0 && y < height;
    if (!inside && !fill.repeats_edge) return fill.pixel;
    return &rows(within_line(x, rows.width), within_line(y, height) - top);
  }
};

}  // namespace scanlens
