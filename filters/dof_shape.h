// Says where a shape that was asked for does not show.
#pragma once

#include <string>

#include "filters/depth_of_field.h"

namespace scanlens {

/// Returns a sentence if the style has a shape that no light of this blur shows, without the picture's name;
/// otherwise an empty one.
std::string hidden_shape(const Blur& blur, const DofStyle& style);

}  // namespace scanlens
