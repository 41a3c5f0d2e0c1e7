// The frames of a script on their way into files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/io/animation.h"
#include "app/sequence/frame_pattern.h"
#include "app/viewer/script/script.h"

namespace scanlens {

/// Writes frames under a pattern's names, numbered from 1, or into an animation, which appears at its end.
/// Every failure throws Error "PATH: cause".
class Recording {
 public:
  /// Throws Error before anything is written where the path cannot be.
  static void check(const steps::RecordBegin& record, const WriteOptions& write);

  Recording(const steps::RecordBegin& record, const WriteOptions& write);

  /// An animation's frames have the size of its first one.
  void add(Image<std::uint8_t> rgb);

  void finish();

  std::string name() const { return record_.file.string(); }
  std::int64_t frames() const { return frames_; }

 private:
  steps::RecordBegin record_;
  WriteOptions write_;
  std::optional<FramePattern> pattern_;
  std::unique_ptr<AnimationWriter> animation_;  ///< from the first frame on
  std::int64_t frames_ = 0;
};

}  // namespace scanlens
