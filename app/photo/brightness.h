// The brightness of a picture of linear light; it scales the blur's table.
#pragma once

#include <variant>

#include "app/io/picture.h"
#include "filters/brightness.h"

namespace scanlens {

/// Codes are no brighter than white.
inline Brightness brightness_of(const Picture& picture) {
  const auto* image = std::get_if<Image<float>>(&picture.samples);
  return image ? brightness_of(image->view()) : Brightness();
}

}  // namespace scanlens
