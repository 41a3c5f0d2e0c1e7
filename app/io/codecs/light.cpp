// What decoders of several formats do to samples after they are read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "app/io/codecs/codecs.h"

namespace scanlens {

void make_light(Picture& picture) {
  constexpr float kMost = 65504;  // of half precision
  auto* image = std::get_if<Image<float>>(&picture.samples);
  if (!image) return;
  const View<float> view = image->view();
  std::int64_t nans = 0, infinities = 0, negatives = 0;
  for (std::int64_t i = 0; i < view.extent(); ++i) {
    float& sample = view.data[i];
    const bool alpha = view.channels == 4 && i % 4 == 3;
    if (std::isnan(sample)) {
      sample = 0;
      ++nans;
    } else if (sample < 0) {
      sample = 0;
      ++negatives;
    } else if (alpha) {
      sample = std::min(sample, 1.0f);
    } else if (std::isinf(sample)) {
      sample = kMost;
      ++infinities;
    }
  }
  const auto remark = [&](std::int64_t count, bool warning, const char* what) {
    if (count > 0) picture.remarks.push_back({warning, fmt::format("{} samples {}", count, what)});
  };
  remark(nans, true, "are no numbers (NaN) and are taken for 0");
  remark(infinities, true, "are infinite and are taken for 65504");
  remark(negatives, false, "are below 0 and are taken for 0");
}

template <class T>
void unpremultiply(View<T> image) {
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x) {
      T* pixel = &image(x, y);
      if (pixel[3] == 0) continue;
      for (int c = 0; c < 3; ++c)
        if constexpr (std::is_floating_point_v<T>) {
          pixel[c] /= pixel[3];
        } else {
          constexpr std::uint64_t kFull = static_cast<T>(-1);
          pixel[c] = static_cast<T>(std::min<std::uint64_t>((pixel[c] * kFull + pixel[3] / 2) / pixel[3], kFull));
        }
    }
}
template void unpremultiply(View<std::uint8_t>);
template void unpremultiply(View<std::uint16_t>);
template void unpremultiply(View<float>);

template <class T>
Image<T> rgb_of_inks(View<const T> cmyk) {
  Image<T> rgb(cmyk.width, cmyk.height, 3);
  for (std::int64_t y = 0; y < cmyk.height; ++y)
    for (std::int64_t x = 0; x < cmyk.width; ++x)
      for (int c = 0; c < 3; ++c) rgb.view()(x, y, c) = light_through(cmyk(x, y, c), cmyk(x, y, 3));
  return rgb;
}
template Image<std::uint8_t> rgb_of_inks(View<const std::uint8_t>);

}  // namespace scanlens
