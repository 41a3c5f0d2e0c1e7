// The last steps from a map's own values to a Depth. Inside scanlens_files.
#pragma once

#include <string>

#include "app/depth/depth.h"

namespace scanlens {

struct RawDepth;

/// Understands the values, turns the map upright as the options say, and fills what is unknown. Throws Error
/// "NAME: cause".
Depth finished(RawDepth raw, const DepthOptions& options, const std::string& name);

/// Throws Error (usage) "NAME: OPTION cannot be used with WHY; leave it out" for options that state what the
/// values of a map mean.
void require_no_meaning(const DepthOptions& options, const std::string& name, const char* why);

}  // namespace scanlens
