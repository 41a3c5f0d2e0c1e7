// Frames on their way into files: one file for each, or an animation of all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "app/frames/frame_pattern.h"
#include "app/io/animation.h"
#include "app/io/picture.h"

namespace scanlens {

/// Writes frames under a pattern's names, numbered from 1, or into an animation, which appears at its end.
/// Every failure throws Error "PATH: cause".
class FrameWriter {
 public:
  /// Throws Error before anything is written where the path cannot be.
  static void check(const std::filesystem::path& path, double frames_per_second, const WriteOptions& write);

  FrameWriter(const std::filesystem::path& path, double frames_per_second, const WriteOptions& write);

  /// An animation's frames have the size of its first one, and 8 bits.
  void add(Picture picture, const Remarks& say = {});

  /// Throws Error (usage) where there was no frame.
  void finish();

  std::int64_t frames() const { return frames_; }

 private:
  std::filesystem::path path_;
  double frames_per_second_;
  WriteOptions write_;
  std::optional<FramePattern> pattern_;
  std::unique_ptr<AnimationWriter> animation_;  ///< from the first frame on
  std::int64_t frames_ = 0;
};

}  // namespace scanlens
