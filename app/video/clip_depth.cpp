#include "app/video/clip_depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "app/sequence/frames.h"
#include "app/sequence/normalisation.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Frames of a second clip.
class DepthClip : public ClipDepth {
 public:
  DepthClip(const PhotoOptions& photo, const Clip& clip, const ClipRange& range, const Session& session)
      : ClipDepth(photo, session), depth_(probe_clip(photo.depth, session.limits())) {
    session.say(fmt::format("{}: {}", file_.string(), depth_.description()));
    const std::int64_t needed = std::min(clip.frames, range.last().value_or(clip.frames) + 1);
    if (depth_.frames > 0 && depth_.frames < needed) refuse_short(depth_.frames, needed);
    const double own = depth_.frame_rate.value(), other = clip.frame_rate.value();
    constexpr double kSame = 1e-3;
    if (own > 0 && other > 0 && std::abs(own / other - 1) > kSame)
      session.warn(
          fmt::format("{}: {:.6g} frames/s, against {:.6g} of {}; frame goes with frame, whatever "
                      "their times",
                      file_.string(), own, other, clip.path.string()));
  }

  void end() override {
    if (ahead_ || reader_->read(ahead_.emplace()))
      session_.warn(fmt::format("{}: goes on at frame {}, where the clip has ended; the rest is left out",
                                file_.string(), ahead_->number));
    else if (const std::string words = reader_->complaint(); !words.empty())
      session_.warn(fmt::format("{}: {}", file_.string(), words));
  }

  void stop() override {
    const std::scoped_lock lock(guard_);
    stopped_ = true;
    if (reader_) reader_->kill();
  }

 private:
  [[noreturn]] void refuse_short(std::int64_t frame, std::int64_t frames) const {
    throw Error(fmt::format("{}: ends before frame {}, and the clip has {}; depth of each frame is needed",
                            file_.string(), frame, frames > 0 ? std::to_string(frames) : "more"));
  }

  Depth next(const FrameAtWork& at) override {
    if (!reader_) start(at.frame.number);
    std::string damage;
    const bool found = find(at.frame.number, damage);
    // Where a map is missing, the one before stands in, or else the one behind.
    if (!found && !map_) map_ = std::exchange(ahead_, std::nullopt);
    Depth depth = depth_of(map_->picture, options_, fmt::format("{} frame {}", file_.string(), map_->number),
                           depth_.codec + " clip");
    if (!options_.kind) options_.kind = depth.kind;
    if (!damage.empty()) depth.remarks.push_back({true, damage});
    if (!found)
      depth.remarks.push_back(
          {true, fmt::format("frame {} is missing, and the map of frame {} stands in for it", at.frame.number,
                             map_->number)});
    return depth;
  }

  /// Begins at a frame.
  void start(std::int64_t number) {
    ClipRange range;
    range.from = Moment{static_cast<double>(number)};
    auto reader = std::make_unique<ClipReader>(depth_, range);
    const std::scoped_lock lock(guard_);
    reader_ = std::move(reader);
    if (stopped_) reader_->kill();
  }

  /// Brings the frame of this number into map_. Returns false where it is missing between others.
  bool find(std::int64_t number, std::string& damage) {
    if (map_ && map_->number >= number) return map_->number == number;
    while (!ahead_ || ahead_->number < number) {
      if (!reader_->read(ahead_.emplace())) {
        ahead_.reset();
        refuse_short(number, 0);
      }
      damage += (damage.empty() || ahead_->damage.empty() ? "" : "; ") + ahead_->damage;
    }
    if (ahead_->number > number) return false;
    map_ = std::exchange(ahead_, std::nullopt);
    return true;
  }

  const Clip depth_;
  std::mutex guard_;  ///< of the reader, which begins late
  std::unique_ptr<ClipReader> reader_;
  bool stopped_ = false;
  std::optional<ClipFrame> ahead_, map_;
};

/// Numbered files: the first one is frame 0's.
class DepthFiles : public ClipDepth {
 public:
  DepthFiles(const PhotoOptions& photo, const Clip& clip, const ClipRange& range, FramePattern pattern,
             const Session& session)
      : ClipDepth(photo, session), pattern_(std::move(pattern)), frames_(find_frames(pattern_)) {
    const std::string missing = missing_from(frames_, {frames_.front().number, frames_.back().number});
    if (!missing.empty())
      throw Error(fmt::format("{}: missing: {}; depth of each frame is needed", pattern_.text(), missing));
    require(std::min(clip.frames - 1, range.last().value_or(clip.frames)));
    session.assume(fmt::format("{}: frame 0 of the clip takes {}", pattern_.text(),
                               pattern_.path_of(frames_.front()).filename().string()));
    if (options_.range || options_.scale || options_.kind == DepthKind::depth) return;
    std::vector<std::filesystem::path> maps;
    for (const Frame& frame : frames_) maps.push_back(pattern_.path_of(frame));
    options_.range = common_range(maps, false, options_, {}, session);
  }

  void end() override {
    if (used_ < frames_.size())
      session_.warn(fmt::format("{}: goes on at {}, where the clip has ended; the rest is left out",
                                pattern_.text(), pattern_.path_of(frames_[used_]).filename().string()));
  }

 private:
  void require(std::int64_t number) const {
    if (number >= std::ssize(frames_))
      throw Error(fmt::format("{}: ends before frame {}: {} is its last; depth of each frame is needed",
                              pattern_.text(), frames_.size(),
                              pattern_.path_of(frames_.back()).filename().string()));
  }

  Depth next(const FrameAtWork& at) override {
    require(at.frame.number);
    used_ = static_cast<std::size_t>(at.frame.number) + 1;
    return read_depth(pattern_.path_of(frames_[used_ - 1]), options_, at.session.limits(),
                      rows_of(at.frame.picture));
  }

  const FramePattern pattern_;
  const std::vector<Frame> frames_;
  std::size_t used_ = 0;
};

/// One map for a camera that stands still.
class OneDepth : public ClipDepth {
 public:
  OneDepth(const PhotoOptions& photo, const Session& session) : ClipDepth(photo, session) {}

 private:
  Depth next(const FrameAtWork& at) override {
    return read_depth(file_, options_, at.session.limits(), rows_of(at.frame.picture));
  }
};

}  // namespace

std::unique_ptr<ClipDepth> ClipDepth::open(const PhotoOptions& photo, const Clip& clip,
                                           const ClipRange& range, const Session& session) {
  if (photo.depth.empty())
    throw Error(ErrorKind::usage,
                fmt::format("{}: a clip needs the depth of its frames: --depth CLIP, or a pattern such as "
                            "'depth_%04d.png'",
                            clip.path.string()));
  std::error_code error;
  if (std::filesystem::exists(photo.depth, error)) {
    if (is_clip(photo.depth)) return std::make_unique<DepthClip>(photo, clip, range, session);
    return std::make_unique<OneDepth>(photo, session);
  }
  if (std::optional<FramePattern> pattern = FramePattern::of(photo.depth))
    return std::make_unique<DepthFiles>(photo, clip, range, std::move(*pattern), session);
  throw Error(fmt::format("{}: no such file", photo.depth.string()));
}

void ClipDepth::add(FrameAtWork& at) {
  Depth depth = next(at);
  at.session.assume(fmt::format("{}: {}", file_.string(), depth.convention));
  at.session.report(file_.string(), depth.remarks);
  at.depth = fitted(std::move(depth), rows_of(at.frame.picture), options_, file_, at.session);
}

}  // namespace scanlens
