// One frame of a host, and the regions that it takes.
#pragma once

#include "app/hosts/ofx/abi.h"

namespace scanlens::hosts::ofx {

inline constexpr const char *kSource = "Source", *kDepth = "Depth", *kOutput = "Output";

/// Renders the window that `in` names. Throws Error.
void render(Effect* effect, Properties* in);

/// Names the source in `out` and returns true where a frame would be its copy: without depth, or blur.
bool is_source(Effect* effect, Properties* in, Properties* out);

/// The result is as large as the source.
Status region_of_definition(Effect* effect, Properties* in, Properties* out);

/// Any pixel may depend on any other.
Status regions_of_interest(Effect* effect, Properties* in, Properties* out);

}  // namespace scanlens::hosts::ofx
