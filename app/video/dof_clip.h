// Depth of field on a clip.
#pragma once

#include <filesystem>

#include "app/batch/sequence/dof_frame.h"
#include "app/session/session.h"
#include "app/video/clip_depth.h"
#include "app/video/clip_run.h"

namespace scanlens {

struct DofClip {
  FrameWork frames;  ///< the photo's input is a clip or a pattern; its depth is a clip, a pattern, or a map
                     ///< for all frames
  FramesOutput output;
  ClipDepthOptions over_time;
  bool track = false;  ///< the focus follows the patch that lies at --focus-at in the first frame
};

/// Makes of each frame what `scanlens dof` makes of it as a photo; keys count frames from 0. The meaning of
/// integers is found in the first map and holds for all. Throws Error before the start where the output
/// cannot be or depth is missing, and later where it ends before the clip does.
void run_dof_clip(DofClip clip, Talk& talk);

/// Adds what a clip is, and how it was made, to the account, and says it.
void say_clip_done(const std::filesystem::path& output, std::int64_t frames, double seconds, Talk& talk);

}  // namespace scanlens
