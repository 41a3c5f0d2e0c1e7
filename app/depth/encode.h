// Encoders of depth maps for formats that hold no pictures here; inside scanlens_files.
#pragma once

#include <string>

#include "app/io/codecs/codecs.h"

namespace scanlens {

/// Returns an NPY array of float32, of shape (height, width).
Memory encode_npy(View<const float> values, bool metres);

/// Returns an OpenEXR file of one channel of 32-bit floats. Throws Error "NAME: cause".
Memory encode_depth_exr(View<const float> values, const std::string& channel, const std::string& name);

}  // namespace scanlens
