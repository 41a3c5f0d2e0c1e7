// Sharper edges of a depth map by the matte of a person; inside scanlens_files.
#pragma once

#include <functional>

#include "app/depth/files/raw.h"

namespace scanlens {

/// Puts the edge between a person and what is behind where the matte has it. The depths of the person and of
/// the background each go on up to that edge, and replace what differs from them, mixed by the matte where
/// hair lets the background through. Leaves the map alone where the matte shows no person, or is of other
/// proportions or smaller than the map, and remarks where it cannot be read.
void sharpen_by_matte(RawDepth& map, const std::function<RawDepth()>& read_matte);

}  // namespace scanlens
