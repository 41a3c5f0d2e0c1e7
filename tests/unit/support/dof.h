// Common parts of the tests of depth of field.
#pragma once

#include <algorithm>
#include <vector>

#include "filters/depth_of_field.h"
#include "tests/unit/support/guarded.h"

namespace scanlens {

/// Runs on views with pitches of their own, and checks that nothing beside the output is written.
class DofOnDevice : public test::OnDevice {
 protected:
  template <class T>
  Image<T> run(const Image<T>& image, const Image<float>& disparity, const Blur& blur,
               const LightRange& light = {}, const DofStyle& style = {}, DofNotes* notes = nullptr) {
    test::GuardedArray<T> from(*context, image.view());
    test::GuardedArray<float> depth(*context, disparity.view());
    test::GuardedArray<T> to(*context,
                             test::random_image<T>(image.width(), image.height(), image.channels()).view());
    depth_of_field<T>(*context, from.view(), depth.view(), blur, to.view(), light, style, notes);
    return to.image();
  }
};

inline Image<float> constant_disparity(std::int64_t width, std::int64_t height, float value) {
  Image<float> image(width, height);
  std::fill_n(image.view().data, image.view().extent(), value);
  return image;
}

/// Every quality but drafts, every shape, round and oval.
inline std::vector<DofStyle> every_style() {
  std::vector<DofStyle> styles;
  for (const DofQuality quality : {DofQuality::good, DofQuality::best})
    for (const Bokeh bokeh : {Bokeh::box, Bokeh::disc, Bokeh::hexagon})
      for (const float ratio : {1.f, 2.f})
        styles.push_back({.quality = quality, .bokeh = bokeh, .anamorphic = ratio});
  styles.push_back({.quality = DofQuality::good, .anamorphic = 1.5f, .blades = 5, .rotation = 25});
  return styles;
}

/// Shapes that change over the frame, and uneven light: all options at once, and few.
inline std::vector<DofStyle> every_look() {
  return {{.quality = DofQuality::good, .cats_eye = 1, .swirl = 0.5f},
          {.quality = DofQuality::best,
           .anamorphic = 2,
           .blades = 7,
           .rotation = 20,
           .roundness = 0.5f,
           .cats_eye = 0.6f,
           .swirl = -1,
           .doors = 0.7f,
           .doors_down = 0.3f,
           .edge_squeeze = 1,
           .spherical = -0.4f,
           .soft_edge = 0.2f,
           .mirror = 0.3f,
           .onion = 0.7f},
          {.quality = DofQuality::best, .cats_eye = 0.4f, .spherical = 1, .onion = 0.5f},
          {.quality = DofQuality::good, .soft_edge = 0.8f, .mirror = 0.4f}};
}

/// Every style, and looks.
inline std::vector<DofStyle> every_shape() {
  std::vector<DofStyle> styles = every_style();
  for (const DofStyle& look : every_look()) styles.push_back(look);
  return styles;
}

/// Depth that jumps and slants, within 0 .. 1.
inline Image<float> jumpy_disparity(std::int64_t width, std::int64_t height) {
  Image<float> disparity(width, height);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x)
      disparity.view()(x, y) = (x / 13 + y / 17) % 3 == 0 ? 0.9f
                               : (x / 13 + y / 17) % 3 == 1
                                   ? static_cast<float>(x + y) / static_cast<float>(width + height)
                                   : 0.1f;
  return disparity;
}

/// Nearly all is in focus: a few things near and far are not, far apart and small.
inline Image<float> islands(std::int64_t width, std::int64_t height) {
  Image<float> disparity(width, height);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      constexpr float kOf[] = {0.f, 1.f, 0.4f};
      const bool island = (x + 70) % 193 < 5 && (y + 70) % 97 < 5;
      disparity.view()(x, y) = island ? kOf[((x + 70) / 193 + (y + 70) / 97) % 3] : 0.5f;
    }
  return disparity;
}

/// A blur of the same radius everywhere.
inline Blur uniform(float radius) {
  return {radius, 0.f, radius};
}

}  // namespace scanlens
