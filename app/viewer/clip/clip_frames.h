// Frames of a clip with their depth, decoded by a thread of their own. A few lie ready around the one that is
// shown; no more are ever held.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "app/color/profile.h"
#include "app/photo/photo_options.h"
#include "app/session/session.h"
#include "app/video/clip.h"
#include "app/video/clip_depth.h"
#include "app/video/clip_range.h"
#include "app/video/clip_reader.h"
#include "app/video/frame_index.h"
#include "app/viewer/model/photo.h"
#include "app/work/process.h"

namespace scanlens {

/// A clip that the viewer is to show.
struct ClipToView {
  Clip clip;
  PhotoOptions photo;  ///< how to understand depth, and the lens
  ClipRange range;
  ClipDepthOptions over_time;

  bool has_depth() const { return !photo.depth.empty() || photo.network.network; }
  /// Returns the words of the command line that say which part of the clip is taken, and how its depth is
  /// read over time.
  std::vector<std::string> words() const;
};

/// A frame as it is shown.
struct ReadyFrame {
  std::int64_t number = 0;
  double seconds = 0;  ///< when it is shown, from where the clip begins
  std::shared_ptr<ViewedPhoto> photo;
};

/// The thread begins at the range's first frame. The destructor ends ffmpeg and waits for the thread.
class ClipFrames {
 public:
  ClipFrames(ClipToView clip, const Settings& settings);
  ~ClipFrames();
  ClipFrames(const ClipFrames&) = delete;
  ClipFrames& operator=(const ClipFrames&) = delete;

  const ClipToView& clip() const { return clip_; }

  /// Lets frames from this one on be decoded; those before it, too, where somebody goes backward.
  void want(std::int64_t number, bool backward = false);

  /// Lets frames that are due before this time be passed over, since they come too late.
  void set_due(double seconds);

  /// Returns the wanted frame. Where that is missing or behind the end, it is the next one on the way there,
  /// or else the last before. Returns null while it is decoded; `wait` lets the call wait for it.
  std::shared_ptr<const ReadyFrame> wanted(bool wait);

  /// Returns the last frame that is due at this time or before, or else null. `wait` lets
  /// the call wait until that is certain.
  std::shared_ptr<const ReadyFrame> newest_at(double seconds, bool wait);

  /// Returns when the frame behind this one is shown, as far as it is decoded.
  std::optional<double> next_after(std::int64_t number) const;

  /// Returns the seconds of the newest frame that is decoded, nothing before the first.
  std::optional<double> decoded_until() const;

  /// Returns true if no frame comes behind those that are decoded.
  bool has_ended() const;

  /// Returns what has failed, and what was said of frames, since the last call: sentences.
  std::vector<std::string> take_said();

  /// Throws what has failed before the first frame.
  void rethrow_failure() const;

  /// Returns the first frame and the last one that can be shown, as far as is known.
  std::int64_t first() const;
  std::optional<std::int64_t> last() const;

  /// Returns the first frame that is not shown before this time, as far as times are known.
  std::int64_t frame_at(double seconds) const;

  /// Returns how many frames a second has, on average; 1 where nobody knows.
  double rate() const;

  /// Returns the frames that are held at most.
  std::size_t most_held() const { return most_; }

 private:
  enum class Work { wait, read, restart };

  void run();
  void open();
  Work next_work() const;
  void begin_at(std::int64_t number, bool fast);
  void read_one();
  bool takes(const ClipFrame& frame);
  void add(FrameAtWork& at);
  void end(const std::string& cause);
  void say(const Account& said);
  const FrameIndex* index(bool wait) const;
  double seconds_of(const ClipFrame& frame) const;
  bool is_behind_range(const ClipFrame& frame) const;
  std::optional<std::int64_t> known_last() const;
  std::shared_ptr<const ReadyFrame> found() const;

  const ClipToView clip_;
  Talk talk_;  ///< collects
  std::size_t most_ = 0;
  std::int64_t ahead_ = 0;
  Stopper stopper_;
  std::shared_future<FrameIndex> index_;

  // The thread's own, but for the reader, which others end.
  Context host_ = Context::open("cpu");
  Metadata metadata_;
  std::unique_ptr<ToSrgb> to_screen_;  ///< null where frames are sRGB
  std::vector<std::string> assumed_, warnings_;
  std::unique_ptr<ClipDepth> depth_;
  std::set<std::string> told_;  ///< warnings, without their numbers
  int passed_over_ = 0;         ///< frames in a row
  double depth_ms_ = 0;         ///< that a frame's depth takes, on average

  mutable std::mutex guard_;  ///< of all that follows
  mutable std::condition_variable changed_;
  std::unique_ptr<ClipReader> reader_;
  std::deque<std::shared_ptr<const ReadyFrame>> ring_;
  std::int64_t first_ = 0, wanted_ = 0;
  bool backward_ = false;
  double due_ = -std::numeric_limits<double>::infinity();
  std::int64_t begun_at_ = 0;               ///< the frame that the reader began at
  std::int64_t held_from_ = 0;              ///< from here on no frame was passed over, or has left the ring
  std::int64_t next_ = 0;                   ///< behind the last one that was read
  std::int64_t last_time_ = 0;              ///< of that one
  bool ended_ = false;                      ///< nothing comes behind it
  std::optional<std::int64_t> failed_for_;  ///< the frame that was wanted when reading failed
  std::optional<std::int64_t> end_;         ///< behind the last frame, once that was read
  std::exception_ptr failure_;              ///< before the first frame
  std::vector<std::string> said_;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace scanlens
