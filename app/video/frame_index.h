// When each frame of a clip is shown, as the clip's packets tell. A reader can begin at any of them.
#pragma once

#include <cstdint>
#include <vector>

#include "app/video/clip.h"

namespace scanlens {

/// Times are in steps of the clip's time base, from where the clip begins, as ClipReader has them.
class FrameIndex {
 public:
  /// Asks ffprobe, which reads all of the file and decodes nothing. The index is empty where packets have no
  /// times. `stopper`, if there is one, may end it. Throws Error.
  static FrameIndex of(const Clip& clip, Stopper* stopper = nullptr);

  /// `times` are those of frames, in any order. The clip begins at `origin`.
  FrameIndex(std::vector<std::int64_t> times, std::int64_t origin);

  bool empty() const { return times_.empty(); }
  std::int64_t frames() const { return static_cast<std::int64_t>(times_.size()); }
  std::int64_t time(std::int64_t number) const { return times_[static_cast<std::size_t>(number)]; }

  /// Returns the frame whose time is nearest.
  std::int64_t number_at(std::int64_t time) const;

  /// Returns the first frame that is not shown before this time; frames() behind the last one.
  std::int64_t first_from(std::int64_t time) const;

 private:
  std::vector<std::int64_t> times_;
};

}  // namespace scanlens
