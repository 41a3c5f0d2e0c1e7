// The shape that a style asks for, and where it does not show.
#pragma once

#include <string>

#include "filters/depth_of_field.h"

namespace scanlens {

/// Returns how many sides a lamp's blur has; 0: it is a disc, or a box.
int sides_of(const DofStyle& style);

/// True if shapes change over the frame, or light over a shape.
bool needs_pupils(const DofStyle& style);

/// True if something is made before or after the blur, by the library alone.
bool needs_passes(const Blur& blur, const DofStyle& style);

/// Returns a sentence if the style has a shape that no light of this blur shows, without the picture's name;
/// otherwise an empty one.
std::string hidden_shape(const Blur& blur, const DofStyle& style);

}  // namespace scanlens
