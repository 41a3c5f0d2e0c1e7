// Brightness of a frame, made small.
#pragma once

#include <cstdint>

#include "core/image.h"
#include "core/view.h"

namespace scanlens {

/// Returns the mean brightness of squares of pixels, 1 for `white`. They are as small as makes no side longer
/// than `longest`. T: uint8_t, uint16_t, float.
template <class T>
Image<float> small_brightness_of(View<const T> picture, float white, std::int64_t longest);

}  // namespace scanlens
