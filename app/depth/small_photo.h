// A photo made smaller, for judges of its depth. Inside scanlens_files.
#pragma once

#include <cstdint>

#include "app/depth/depth.h"

namespace scanlens {

/// Returns a photo as sRGB codes of 8 bits, 3 channels, at this size, which must not be larger in any
/// direction: means over areas. Alpha is left out.
Image<std::uint8_t> small_photo(const PhotoRows& photo, std::int64_t width, std::int64_t height);

}  // namespace scanlens
