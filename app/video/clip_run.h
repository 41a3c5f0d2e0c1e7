// A clip through steps of work, frame by frame: decoding, every step and encoding go on at the same time.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/depth/depth.h"
#include "app/photo/pulled.h"
#include "app/session/session.h"
#include "app/video/clip.h"
#include "app/video/clip_reader.h"
#include "app/video/clip_writer.h"
#include "app/work/line.h"

namespace scanlens {

/// A frame at work. Messages about it are collected.
struct FrameAtWork : std::enable_shared_from_this<FrameAtWork> {
  explicit FrameAtWork(const Settings& settings) : talk(settings, Talk::Kind::collects) {}

  ClipFrame frame;
  std::optional<Depth> depth;
  std::optional<float> focus;  ///< that a step found, as disparity
  Talk talk;
  double seconds = 0;  ///< when it is shown
};

struct ClipStep {
  std::string name;  ///< under which its time is noted
  std::function<void(FrameAtWork& at)> work;
  Order order = Order::kept;
};

/// The place of a run's results: a clip, numbered files, or one picture.
struct FramesOutput {
  std::filesystem::path path;
  ClipEncoding encoding;
  WriteOptions write;  ///< of files

  bool is_clip() const { return !encoding.range.one && (names_a_clip(path) || !FramePattern::of(path)); }
  /// Throws Error before any work where frames of this clip cannot go there.
  void check(const Clip& from) const;
};

struct ClipRun {
  Clip clip;
  FramesOutput output;
  std::vector<ClipStep> steps;
  std::function<void()> stop = {};  ///< lets steps wait for nothing any more; any thread calls it
  /// After the clip's last frame, which this is, with the time at which it ends, and before the output gets
  /// its name.
  std::function<void(const FrameTime& last)> end = {};

  /// Returns the format in which frames of these rows go to the encoder.
  RawFormat encoded(const RowFormat& rows) const {
    if (!output.is_clip()) return {"", rows, std::nullopt};
    return encoded_format(clip, rows, encoded_pixels(clip, rows, output.path, output.encoding));
  }
};

/// Reads, works and writes. Says of the first frame what was assumed, and every new warning once, with the
/// frame and how many others have it. A signal ends the program and leaves nothing. Throws what the steps,
/// the reader and the writer throw. Returns how many frames the clip has.
std::int64_t run_clip(const ClipRun& run, Talk& talk);

/// Asks what a clip, or numbered files in the place of one, hold.
Clip open_frames(const std::filesystem::path& path, const ClipEncoding& encoding, const Limits& limits);

/// Returns the colours that a clip states for its frames. Says what it assumes, and warns of light that
/// cannot be decoded.
Metadata frame_metadata(const Clip& clip, Talk& talk);

/// Returns a clip's last frame, and the seconds at which it ends, where the file announces them and frames
/// are even.
std::optional<FrameTime> announced_end(const Clip& clip);

/// Warns of a clip whose reader came to the end: that it announces more frames, and what is broken behind the
/// last one, whose time is `last_time`.
void warn_of_end(const Clip& clip, const ClipReader& reader, std::int64_t last_time, Talk& talk);

/// Returns a sentence about a clip that announces more than these frames; "" for others. `last_time` is the
/// last frame's.
std::string early_end(const Clip& clip, std::int64_t frames, std::int64_t last_time);

/// Returns the frames that a run holds at once.
std::int64_t frames_at_work(const ClipRun& run);

}  // namespace scanlens
