// Encodes NPY arrays, in which no pictures are written here; inside scanlens_files.
#pragma once

#include "app/io/codecs/codecs.h"

namespace scanlens {

/// Returns an NPY array of float32, of shape (height, width); one of metres is marked
/// (app/depth/files/mark.h).
Memory encode_npy(View<const float> values, bool metres);

}  // namespace scanlens
