// Keeps what a mask covers in focus.
#pragma once

#include <filesystem>

#include "app/depth/depth.h"
#include "app/io/picture.h"
#include "app/session/session.h"
#include "filters/dof_formula.h"

namespace scanlens {

/// Brings the depth of what a mask covers to the blur's focus, a part of it where the mask is grey. The mask
/// is a picture, whose alpha counts if it has one, else its brightness; or a file of strokes, which says 1 of
/// what is kept. It is brought to the photo's size. Throws Error where it cannot be read.
void keep_sharp(Depth& depth, const Blur& blur, const std::filesystem::path& mask, const Picture& photo,
                const Settings& settings);

/// Does so by shares, 0 to 1, of the photo's size.
void keep_sharp(Image<float>& disparity, const Blur& blur, const Image<float>& shares);

}  // namespace scanlens
