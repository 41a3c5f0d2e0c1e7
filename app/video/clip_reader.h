// The frames of a clip, decoded by ffmpeg.
#pragma once

#include <cstdint>
#include <string>

#include "app/io/picture.h"
#include "app/video/clip.h"
#include "app/video/process.h"

namespace scanlens {

/// One frame: `number` counts from 0, `time` in steps of the clip's time base.
struct ClipFrame {
  std::int64_t number = 0;
  std::int64_t time = 0;
  Picture picture;
};

/// Decodes while its frames are taken, a few ahead. Frames are upright, full-range grey, RGB or RGBA of 8 or
/// 16 bits.
class ClipReader {
 public:
  explicit ClipReader(const Clip& clip);

  /// Gives the next frame. Returns false at the clip's end. Throws Error, which names the frame, where ffmpeg
  /// fails.
  bool read(ClipFrame& frame);

  /// Returns what ffmpeg complained of, and could do without; "" for nothing. After the end.
  std::string complaint() const { return ffmpeg_.words(); }

  /// Returns how many frames were given.
  std::int64_t frames() const { return frames_; }

  void kill() { ffmpeg_.kill(); }

 private:
  bool next_time();
  [[noreturn]] void fail(const std::string& cause);

  const Clip& clip_;
  Child ffmpeg_;
  std::string lines_;  ///< of times, as far as they are not taken yet
  std::int64_t frames_ = 0, time_ = -1;
};

}  // namespace scanlens
