// Pixels in a host's memory, of any type and order of rows, as pictures and maps; and back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/image.h"

namespace scanlens::hosts {

enum class Sample { u8, u16, f16, f32 };

constexpr std::int64_t bytes_of(Sample sample) {
  return sample == Sample::u8 ? 1 : sample == Sample::f32 ? 4 : 2;
}

/// Rows of pixels from the top of a picture. `step` bytes lead to the row below, and may be negative.
struct Rows {
  std::byte* top = nullptr;
  std::ptrdiff_t step = 0;
  std::int64_t width = 0, height = 0;
  int channels = 4;  ///< 1, 3 or 4; the fourth is alpha
  Sample sample = Sample::u8;
  bool premultiplied = false;  ///< true if colours are multiplied by alpha
};

/// The light of samples: codes of sRGB, or linear.
enum class Light { codes, linear };

/// Calls `work` with a value of the type that a picture of these samples is blurred in: their own for codes
/// of integers, float for all else.
template <class Work>
auto with_blurred_type(Sample sample, Light light, const Work& work) {
  if (sample == Sample::u8 && light == Light::codes) return work(std::uint8_t{});
  if (sample == Sample::u16 && light == Light::codes) return work(std::uint16_t{});
  return work(float{});
}

/// Returns a picture of 3 or 4 channels, whose colours are not multiplied by alpha. Floats become linear
/// light.
template <class T>
Image<T> picture_from(const Rows& rows, Light light);

/// The channel of a map, or the luminance of its colours.
enum class Channel { red, green, blue, alpha, luminance };

/// Returns a map of a size, whose first pixel lies at (x, y) of the rows; beyond their edges they go on. Rows
/// of one channel have no other.
Image<float> map_from(const Rows& rows, Channel channel, std::int64_t x, std::int64_t y, std::int64_t width,
                      std::int64_t height);

/// Writes a picture into rows, whose first pixel lies at (x, y) of the picture. Pixels beyond the
/// picture become 0. Alpha that it lacks is full.
template <class T>
void picture_to(View<const T> picture, Light light, std::int64_t x, std::int64_t y, const Rows& rows);

}  // namespace scanlens::hosts
