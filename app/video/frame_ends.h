// Both ends of the way that frames take: where they come from, and where they go.
#pragma once

#include <cstdint>
#include <string>

#include "app/video/frame_pixels.h"

namespace scanlens {

/// One frame: `number` counts from 0 where the frames begin, `time` in steps of the clip's time base.
struct ClipFrame {
  std::int64_t number = 0;
  std::int64_t time = 0;
  std::int64_t key = 0;  ///< the number that keys of a pull have: a file's own, else `number`
  std::string name;      ///< "clip.mp4 frame 12", "in_0012.png"
  std::string damage;    ///< a sentence that names frames which are broken, up to this one; "" for none
  FramePixels pixels;
};

class FrameSource {
 public:
  virtual ~FrameSource() = default;

  /// Gives the next frame. Returns false at the end. Throws Error, which names the frame.
  virtual bool read(ClipFrame& frame) = 0;

  /// Returns true if frames lie behind the range. After the end.
  virtual bool goes_on() const { return false; }

  /// Lets `read` wait for nothing any more. Any thread may call this.
  virtual void kill() {}
};

class FrameSink {
 public:
  virtual ~FrameSink() = default;

  /// Takes the next frame, whose pixels may become what the sink writes.
  virtual void write(ClipFrame& frame) = 0;

  /// After the last frame: puts what is written in its place.
  virtual void finish() = 0;

  /// Lets both wait for nothing any more. Any thread may call this.
  virtual void kill() {}
};

}  // namespace scanlens
