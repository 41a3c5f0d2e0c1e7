// Filters on a clip.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "app/filtering/filtered_file.h"
#include "app/photo/network_options.h"
#include "app/session/session.h"
#include "app/video/clip_run.h"

namespace scanlens {

/// Makes of each frame what `scanlens filter` makes of it as a picture.
class FilteredClip {
 public:
  /// Asks what the input holds, and finds its depth, unless strokes or a network give it. Throws Error
  /// (usage) for filters that take a mask and for depth that is missing.
  FilteredClip(const Filtering& filtering, const std::filesystem::path& input, const FramesOutput& output,
               Talk& talk);

  /// Throws Error where the output cannot be.
  void check() const { run_.output.check(run_.clip); }

  const Clip& clip() const { return run_.clip; }

  /// Returns the host's bytes that the frames at work take, but for what ffmpeg takes.
  std::int64_t host_bytes() const;

  /// Returns how many frames the output has; a signal ends the work before, without an output.
  std::int64_t run(Context& context);

 private:
  std::vector<FilterCall> calls_;
  PhotoOptions photo_;  ///< where depth comes from, of calls without a file
  ClipRun run_;
  Talk& talk_;
};

/// Does so for a command, and says it.
void run_filter_clip(const Filtering& filtering, const std::filesystem::path& input,
                     const FramesOutput& output, Talk& talk);

}  // namespace scanlens
