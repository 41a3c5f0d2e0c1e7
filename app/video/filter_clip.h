// Filters on a clip.
#pragma once

#include <filesystem>

#include "app/filtering/filtered_file.h"
#include "app/session/session.h"
#include "app/video/clip_run.h"

namespace scanlens {

/// Makes of each frame what `scanlens filter` makes of it as a picture. Throws Error (usage) for filters that
/// take a map.
void run_filter_clip(const Filtering& filtering, const std::filesystem::path& input,
                     const FramesOutput& output, Talk& talk);

}  // namespace scanlens
