// A clip in the viewer: plays, stops, steps and seeks, and hands on the frame that is to be seen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/viewer/clip/clip_frames.h"
#include "app/viewer/clip/clip_probe.h"
#include "app/viewer/model/opened.h"

namespace scanlens {

/// The values `frame` and `playing` are what a person asks for: to set them seeks and plays.
class ClipMode {
 public:
  ClipMode(Opened& open, const Settings& settings) : open_(open), settings_(settings) {}

  /// Returns true if a file is a clip.
  static bool takes(const std::filesystem::path& file);

  /// Begins to read a clip, in place of what was being read.
  void begin_open(ClipToView clip);
  /// Begins to read one without depth; arrived() throws for a file that ffmpeg does not decode.
  void begin_open(const std::filesystem::path& file);
  /// Begins to read what is open, with other depth, at the frame that is shown.
  void begin_take_depth(const std::filesystem::path& file);
  void give_up();
  bool opens() const { return probe_ || next_; }
  std::filesystem::path opens_file() const;
  /// Shows the clip's first frame once it is there, or waits for it; returns true if it did. Throws
  /// Error where it cannot be read, and nothing is being read then.
  bool arrived(bool wait);
  /// Returns the first frame, before it is shown.
  const ViewedPhoto& first_frame() const { return *first_->photo; }
  void show_arrived();

  /// Returns true if a clip is shown.
  bool on() const { return frames_ && open_.is_clip(); }
  /// Returns true if clips can be written under the name of this one, but for its folder.
  bool has_written_container() const;

  // Keys, the line of time and scripts call these.
  void toggle_playing();
  void step(std::int64_t frames);
  void step_seconds(double seconds);
  void go_to(std::int64_t frame);
  void go_to_first();
  void go_to_last();
  /// Goes to a moment as --from takes it. Throws Error (usage) for anything else.
  void seek(std::string_view moment);

  /// Sets a key of the lens at the frame that is asked for, or removes the one that is there.
  void toggle_key();
  /// Returns true if its lens can have keys.
  bool takes_keys() const { return on() && open_.has_depth(); }
  bool has_key() const { return on() && open_.keys.holds(shown_); }
  const LensKeys& keys() const { return open_.keys; }

  /// Lets these seconds pass, and shows the frame that is due.
  void advance(double seconds);
  /// Returns true if the frame that is asked for is shown, and nothing plays.
  bool at_rest() const { return !opens() && (!on() || (!playing() && shown_ == target_)); }
  bool playing() const { return open_.state.playing > 0; }
  /// Returns true if a frame is on its way that somebody waits for.
  bool seeks() const { return on() && !playing() && shown_ != target_; }
  /// Returns the seconds until the next frame is due; 0 where that is not known.
  double patience() const;

  std::int64_t first() const { return frames_->first(); }
  std::optional<std::int64_t> last() const { return frames_->last(); }
  std::int64_t shown() const { return shown_; }
  std::int64_t target() const { return target_; }
  double seconds() const { return seconds_; }  ///< of the frame that is shown

  /// Returns what was said of frames since the last call: sentences.
  std::vector<std::string> take_said();

 private:
  void stop();
  void take_values();
  void play(double seconds);
  void find_target();
  void heed_keys();
  void show(const ReadyFrame& frame);
  void set_frame(std::int64_t number);

  Opened& open_;
  const Settings& settings_;
  std::unique_ptr<ClipProbe> probe_;
  std::unique_ptr<ClipFrames> next_, frames_;
  std::shared_ptr<const ReadyFrame> first_;
  std::optional<std::int64_t> resume_at_;  ///< where a clip goes on that was opened with other depth

  std::int64_t shown_ = 0, target_ = 0;
  double seconds_ = 0, clock_ = 0;
  double told_frame_ = 0;  ///< state.frame as this has set it
  LensKeys heeded_keys_;   ///< whose values the state has
  bool was_playing_ = false;
  std::vector<std::string> said_;
};

}  // namespace scanlens
