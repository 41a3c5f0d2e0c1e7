// What the tests of depth of field share.
#pragma once

#include <algorithm>

#include "filters/depth_of_field.h"
#include "tests/unit/support/guarded.h"

namespace scanlens {

/// Runs on views with pitches of their own, and checks that nothing beside the output is written.
class DofOnDevice : public test::OnDevice {
 protected:
  template <class T>
  Image<T> run(const Image<T>& image, const Image<float>& disparity, const Blur& blur, float white = 1) {
    test::GuardedArray<T> from(*context, image.view());
    test::GuardedArray<float> depth(*context, disparity.view());
    test::GuardedArray<T> to(*context,
                             test::random_image<T>(image.width(), image.height(), image.channels()).view());
    depth_of_field<T>(*context, from.view(), depth.view(), blur, to.view(), white);
    return to.image();
  }
};

inline Image<float> constant_disparity(std::int64_t width, std::int64_t height, float value) {
  Image<float> image(width, height);
  std::fill_n(image.view().data, image.view().extent(), value);
  return image;
}

/// A blur of the same radius everywhere.
inline Blur uniform(float radius) {
  return {radius, 0.f, radius};
}

}  // namespace scanlens
