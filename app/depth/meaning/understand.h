// Decides what the values of a depth map mean; inside scanlens_files.
#pragma once

#include "app/depth/files/raw.h"

namespace scanlens {

/// Brings the file's values to disparity, NaN where unknown, and says how they were understood: all of a
/// Depth but the filling of what is unknown. Throws Error (usage) "NAME: cause" where the options do not fit
/// the map.
Depth understood(RawDepth raw, const DepthOptions& options, const std::string& name);

/// Says how the same call would understand them.
DepthMeaning meaning_of(RawDepth raw, const DepthOptions& options, const std::string& name);

}  // namespace scanlens
