// Sharper edges of a depth map by the matte of a person; inside scanlens_files.
#pragma once

#include <functional>

#include "app/depth/files/raw.h"

namespace scanlens {

/// Moves the edge between a person and the background to where the matte has it. The depths of both go on up
/// to that edge, and replace values that differ from them. Where hair lets the background through, the matte
/// mixes both. Leaves the map alone if the matte shows no person, has other proportions, or is smaller than
/// the map. Remarks if it cannot be read.
void sharpen_by_matte(RawDepth& map, const std::function<RawDepth()>& read_matte);

}  // namespace scanlens
