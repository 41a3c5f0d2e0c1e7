// The line of time: a button that plays and stops, the place in the clip, its frame and time.
#pragma once

#include <string>

#include "app/viewer/model/area.h"

namespace scanlens {

class ClipMode;

/// Adds the line in this area. A press or a drag on it goes to the frame there. `size` is that of letters.
void build_time_line(ClipMode& clip, const Area& area, float size);

/// Returns seconds as a clock shows them: "0:02.48", "1:00:02.48".
std::string clock_text(double seconds);

}  // namespace scanlens
