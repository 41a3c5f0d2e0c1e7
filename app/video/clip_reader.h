// The frames of a clip, decoded by ffmpeg.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/video/clip.h"
#include "app/video/clip_range.h"
#include "app/video/frame_ends.h"
#include "app/video/frame_index.h"
#include "app/video/frame_log.h"
#include "app/work/process.h"

namespace scanlens {

/// A frame at which a reader begins. `index` outlives the reader; without one frames are counted from the
/// clip's beginning.
struct ClipStart {
  const FrameIndex* index = nullptr;
  std::int64_t frame = 0;
  bool fast = true;  ///< begins at the key frame before; else all frames before are decoded
};

/// Decodes while its frames are taken, a few ahead. Frames are upright: planes of YUV, or full-range
/// grey, RGB or RGBA of 8 or 16 bits. A frame that ffmpeg cannot decode is left out, and its number with it,
/// where the frames' times show that it is missing.
class ClipReader : public FrameSource {
 public:
  explicit ClipReader(const Clip& clip, const ClipRange& range = {});
  /// Begins at a frame.
  ClipReader(const Clip& clip, const ClipStart& start);

  /// Gives the next frame. Returns false at the end of the clip or its range. Throws Error, which names the
  /// frame, where ffmpeg fails, and where no frame lies in the range.
  bool read(ClipFrame& frame) override;

  /// Returns what is broken behind the last frame, a sentence; "" for nothing. After the end.
  std::string complaint() const;

  /// Returns how many frames the clip has, up to the end of the range; frames left out count. After the end.
  std::int64_t frames() const { return number_ + 1; }

  bool goes_on() const override { return goes_on_; }

  /// Returns true if a fast start came to a place behind its frame, as containers without an index may do.
  /// After the first frame.
  bool is_late() const { return start_.index && start_.fast && first_seen_ > start_.frame; }

  void kill() override { ffmpeg_.kill(); }

 private:
  ClipReader(const Clip& clip, const ClipRange& range, const ClipStart& start);
  void count(const FrameNews& news);
  std::int64_t lost_before(std::int64_t time, const FrameNews& news) const;
  std::string damage_of(const FrameNews& news, std::int64_t lost);
  bool before_range() const;
  bool behind_range() const;
  std::optional<FrameNews> next_news();
  void take_pixels(ClipFrame& frame);
  void end();
  [[noreturn]] void fail(const std::string& cause);

  const Clip& clip_;
  const ClipRange range_;
  const ClipStart start_;
  const RawFormat format_;
  FrameLog log_;
  Child ffmpeg_;
  std::int64_t seen_ = 0, given_ = 0, number_ = -1, time_ = -1, first_seen_ = 0;
  Complaints pending_;         ///< of frames that decoding threads have ahead
  std::int64_t heard_at_ = 0;  ///< the frame before which the first of them came
  std::string damage_;
  bool goes_on_ = false;
};

}  // namespace scanlens
