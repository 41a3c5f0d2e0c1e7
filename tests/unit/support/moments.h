// Means and variances over the squares around pixels by a loop over their pixels, in double.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/image.h"
#include "tests/unit/support/support.h"

namespace scanlens::test {

template <class T>
double white() {
  return std::is_floating_point_v<T> ? 1 : static_cast<double>(std::numeric_limits<T>::max());
}

/// Luma in the samples' units, of 16-bit colours rounded to whole ones.
template <class T>
double luma_at(View<const T> image, std::int64_t x, std::int64_t y) {
  const auto sample = [&](int c) { return static_cast<double>(image(x, y, c)); };
  if (image.channels == 1) return sample(0);
  if (sizeof(T) == 1) return (54 * sample(0) + 183 * sample(1) + 19 * sample(2)) / 256;
  if (sizeof(T) == 2)
    return std::floor((13933 * sample(0) + 46871 * sample(1) + 4732 * sample(2)) / 65536 + 0.5);
  return 0.2126 * sample(0) + 0.7152 * sample(1) + 0.0722 * sample(2);
}

struct MomentsAround {
  double weight = 0, mean = 0, variance = 0;
};

/// The weight of a pixel: its alpha, of 16 bits in steps of 256, rounded up.
template <class T>
double weight_at(View<const T> image, std::int64_t x, std::int64_t y) {
  if (image.channels < 4) return 1;
  const auto alpha = static_cast<double>(image(x, y, 3));
  return sizeof(T) == 2 ? std::ceil(alpha / 256) : alpha;
}

/// Returns those of value(i, j), weighed by weight(i, j), over the pixels around (x, y).
template <class T, class Value, class Weight>
MomentsAround moments_around(View<const T> image, std::int64_t radius, std::int64_t x, std::int64_t y,
                             const Value& value, const Weight& weight) {
  const auto for_each = [&](const auto& body) {
    for (std::int64_t j = std::max<std::int64_t>(0, y - radius); j <= std::min(image.height - 1, y + radius);
         ++j)
      for (std::int64_t i = std::max<std::int64_t>(0, x - radius); i <= std::min(image.width - 1, x + radius);
           ++i)
        body(weight(i, j), value(i, j));
  };
  MomentsAround around;
  for_each([&](double w, double v) {
    around.weight += w;
    around.mean += w * v;
  });
  around.mean /= around.weight;
  for_each([&](double w, double v) { around.variance += w * (v - around.mean) * (v - around.mean); });
  around.variance /= around.weight;
  return around;
}

/// The same with the pixels' weights.
template <class T, class Value>
MomentsAround moments_around(View<const T> image, std::int64_t radius, std::int64_t x, std::int64_t y,
                             const Value& value) {
  return moments_around(image, radius, x, y, value, [&](auto i, auto j) { return weight_at(image, i, j); });
}

/// A random picture in which a corner is not there, and beside it what is hardly there.
template <class T>
Image<T> picture_with_holes(std::int64_t width, std::int64_t height, int channels) {
  Image<T> image = random_image<T>(width, height, channels);
  if (channels == 4)
    for (std::int64_t y = 0; y < std::min<std::int64_t>(12, height); ++y)
      for (std::int64_t x = 0; x < std::min<std::int64_t>(12, width); ++x)
        image.view()(x, y, 3) = x < 10 ? T(0) : image.view()(x, y, 3) / T(64);
  return image;
}

}  // namespace scanlens::test
