// Depth of field in layers, by the context of a test.
#pragma once

#include "filters/lens.h"
#include "tests/unit/support/dof.h"

namespace scanlens {

class LayeredDof : public DofOnDevice {
 protected:
  template <class T>
  Image<T> run(const Image<T>& image, const Image<float>& disparity, const Blur& blur, const DofStyle& style,
               const LightRange& light = {}) {
    test::GuardedArray<T> from(*context, image.view());
    test::GuardedArray<float> depth(*context, disparity.view());
    test::GuardedArray<T> to(*context,
                             test::random_image<T>(image.width(), image.height(), image.channels()).view());
    depth_of_field<T>(*context, from.view(), depth.view(), blur, to.view(), light, style);
    return to.image();
  }
};

inline constexpr DofStyle kGood{.quality = DofQuality::good};
inline constexpr DofStyle kBest{.quality = DofQuality::best};

}  // namespace scanlens
