// The channels of a picture as a constant of the code that works on it.
#pragma once

#include <type_traits>

namespace scanlens {

/// Calls run(std::integral_constant<int, C>) for the channels of a picture: 1, 3 or 4.
template <class Run>
void for_channels(int channels, const Run& run) {
  if (channels == 1) return run(std::integral_constant<int, 1>());
  if (channels == 3) return run(std::integral_constant<int, 3>());
  run(std::integral_constant<int, 4>());
}

}  // namespace scanlens
