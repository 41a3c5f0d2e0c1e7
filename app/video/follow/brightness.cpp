#include "app/video/follow/brightness.h"

#include <algorithm>

#include "filters/statistics.h"

namespace scanlens {

template <class T>
Image<float> small_brightness_of(View<const T> picture, float white, std::int64_t longest) {
  const std::int64_t side = std::min(
      {(std::max(picture.width, picture.height) + longest - 1) / longest, picture.width, picture.height});
  Image<float> small(picture.width / side, picture.height / side);
  for (std::int64_t y = 0; y < small.height(); ++y)
    for (std::int64_t x = 0; x < small.width(); ++x) {
      float sum = 0;
      for (std::int64_t v = y * side; v < (y + 1) * side; ++v)
        for (std::int64_t u = x * side; u < (x + 1) * side; ++u)
          sum += picture.channels < 3
                     ? static_cast<float>(picture(u, v))
                     : luma_of(static_cast<float>(picture(u, v, 0)), static_cast<float>(picture(u, v, 1)),
                               static_cast<float>(picture(u, v, 2)));
      small.view()(x, y) = sum / (white * static_cast<float>(side * side));
    }
  return small;
}

template Image<float> small_brightness_of(View<const std::uint8_t>, float, std::int64_t);
template Image<float> small_brightness_of(View<const std::uint16_t>, float, std::int64_t);
template Image<float> small_brightness_of(View<const float>, float, std::int64_t);

}  // namespace scanlens
