// Pictures from GEGL's buffers and into them.
#pragma once

#include <gegl.h>

#include <cstdint>

#include "app/hosts/controls.h"

namespace scanlens::hosts::gegl {

/// Returns the format in which a picture is filtered: 8- and 16-bit sRGB codes stay what they are, all else
/// becomes linear floats of its own colours. `format` may be null.
const Babl* format_for(const Babl* format);

/// Returns the picture in `input` with depth of field in `output`, whose format is that of format_for. The
/// map's values are those that its buffer holds: codes of an encoded picture / white, or linear floats, from
/// 0 (farthest) to 1 (nearest). Returns how many samples of floats are too bright to tell from others. Throws
/// Error.
std::int64_t apply_dof(const Settings& settings, GeglBuffer* input, GeglBuffer* map, GeglBuffer* output,
                       const GeglRectangle& whole);

}  // namespace scanlens::hosts::gegl
