// A first guess of strokes for a photo, from the photo alone.
#pragma once

#include "app/depth/depth.h"
#include "app/depth/strokes/strokes.h"

namespace scanlens {

/// Returns strokes that a person may begin with: the ground, as a slope up the photo's middle, and up to two
/// things upon it. These are areas that differ from the photo's borders, are sharp, and lie in its middle.
/// A thing is as near as the ground at its foot. Nothing is recognised, so that this is often wrong.
Strokes guessed_strokes(const PhotoRows& photo);

}  // namespace scanlens
