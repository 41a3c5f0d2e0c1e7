// Depth of field on numbered frames, from their pattern to the exit code.
#pragma once

#include <optional>

#include "app/batch/begin.h"
#include "app/batch/sequence/dof_frame.h"
#include "app/frames/frames.h"
#include "app/session/session.h"

namespace scanlens {

struct DofSequence {
  BatchOptions batch;  ///< its plan is made here; its parameters hold the words that all frames share
  FrameWork frames;    ///< the photo's input is a pattern, its depth may be
  std::filesystem::path output;
  std::optional<FrameSpan> part;  ///< of the frames; all by default
};

/// Finds the frames and names those that are missing. Brings their depth to one normalisation (common_range,
/// over all of them also where a part is made, so that parts agree). Blurs them as a batch does: see
/// run_plan. Before the start it throws Error (usage) for an output without a number, and for one that is an
/// input now or in the next run. So it does for what common_range refuses. Returns the exit code, as
/// run_plan.
int run_dof_sequence(DofSequence sequence, Talk& talk);

}  // namespace scanlens
