// One picture of a host through depth of field.
#pragma once

#include <cstdint>

#include "app/hosts/controls.h"
#include "core/image.h"

namespace scanlens::hosts {

/// Blurs a picture in host memory in place, and returns how many samples of floats are too bright to tell
/// from others. Floats are linear light, integers codes of sRGB; a fourth channel is alpha, by which colours
/// are not multiplied. The map is as large as the picture and holds what `settings.means` says. NaN, and
/// distances that are not above 0, are unknown and filled. Blur in percent is of `frame_width`, which is
/// larger than the picture where a host shows a part. Threads may call it side by side. Throws Error.
template <class T>
std::int64_t blur_picture(Image<T>& picture, Image<float> map, const Settings& settings,
                          std::int64_t frame_width);

/// Frees the memory that calls leave for the next ones.
void free_kept_memory();

}  // namespace scanlens::hosts
