// From floats back to samples, and the luma of a pixel.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/view.h"

namespace scanlens {

/// The sample that is white.
template <class T>
constexpr float kWhite = std::is_floating_point_v<T> ? 1.f
                                                     : static_cast<float>(std::numeric_limits<T>::max());

/// A value of the sample's range rounded to nearest (halves up) and clipped; floats as they are. It is
/// clipped before it is rounded, without a branch, so that compilers make vectors of it.
template <class T>
SCANLENS_HOST_DEVICE T clipped_sample(float value) {
  if constexpr (std::is_floating_point_v<T>) return value;
  const float high = value < kWhite<T> ? value : kWhite<T>, both = high > 0 ? high : 0.f;
  return static_cast<T>(static_cast<int>(both + 0.5f));
}

/// Luma with the weights of sRGB's primaries (Rec. ITU-R BT.709), of the samples as they are. It is the
/// sample itself where there is one channel; of 8-bit colours it has eight bits more, so that no colour is
/// rounded; of 16-bit colours it is rounded to nearest.
template <class T>
struct Luma {
  using Value = std::conditional_t<std::is_floating_point_v<T>, float, std::uint16_t>;

  /// Luma of white, of pictures of `channels` channels.
  SCANLENS_HOST_DEVICE static float white(int channels) {
    return sizeof(T) == 1 && channels > 1 ? 255 * 256.f : kWhite<T>;
  }

  SCANLENS_HOST_DEVICE static Value of(const T* pixel, int channels) {
    return channels == 1 ? Value(pixel[0]) : of_colours(pixel[0], pixel[1], pixel[2]);
  }

  SCANLENS_HOST_DEVICE static Value of_colours(T red, T green, T blue) {
    if constexpr (std::is_floating_point_v<T>)
      return 0.2126f * red + 0.7152f * green + 0.0722f * blue;
    else if constexpr (sizeof(T) == 1)
      return static_cast<Value>(54 * red + 183 * green + 19 * blue);
    else
      return static_cast<Value>((13933u * red + 46871u * green + 4732u * blue + 32768u) >> 16);
  }
};

}  // namespace scanlens
