// Sharper edges of a depth map by the matte of a person; inside scanlens_files.
#pragma once

#include <functional>

#include "app/depth/files/raw.h"

namespace scanlens {

/// Puts the edge between a person and what is behind where the matte has it, and brings the map to the
/// matte's size where that is larger. Near that edge the map's own values are not trusted: the person's depth
/// and the background's each go on up to it, mixed by the matte where hair lets the background through.
/// Leaves the map alone where the matte shows no person, or is of other proportions, and remarks where it
/// cannot be read.
void sharpen_by_matte(RawDepth& map, const std::function<RawDepth()>& read_matte);

}  // namespace scanlens
