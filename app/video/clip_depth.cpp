#include "app/video/clip_depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include "app/depth/guess.h"
#include "app/sequence/frames.h"
#include "app/sequence/normalisation.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Frames of a second clip.
class DepthClip : public ClipDepth {
 public:
  DepthClip(const PhotoOptions& photo, const Clip& clip, const Session& session)
      : ClipDepth(photo, session), depth_(probe_clip(photo.depth, session.limits())) {
    session.say(fmt::format("{}: {}", file_.string(), depth_.description()));
    if (depth_.frames > 0 && depth_.frames < clip.frames) refuse_short(depth_.frames, clip.frames);
    const double own = depth_.frame_rate.value(), other = clip.frame_rate.value();
    constexpr double kSame = 1e-3;
    if (own > 0 && other > 0 && std::abs(own / other - 1) > kSame)
      session.warn(
          fmt::format("{}: {:.6g} frames/s, against {:.6g} of {}; frame goes with frame, whatever "
                      "their times",
                      file_.string(), own, other, clip.path.string()));
    reader_.emplace(depth_);
  }

  void end() override {
    ClipFrame rest;
    if (reader_->read(rest))
      session_.warn(fmt::format("{}: goes on at frame {}, where the clip has ended; the rest is left out",
                                file_.string(), rest.number));
    else if (const std::string words = reader_->complaint(); !words.empty())
      session_.warn(fmt::format("{}: some of it is broken: ffmpeg: {}", file_.string(), words));
  }

  void stop() override { reader_->kill(); }

 private:
  [[noreturn]] void refuse_short(std::int64_t frame, std::int64_t frames) const {
    throw Error(fmt::format("{}: ends before frame {}, and the clip has {}; depth of each frame is needed",
                            file_.string(), frame, frames > 0 ? std::to_string(frames) : "more"));
  }

  Depth next(const FrameAtWork& at) override {
    ClipFrame frame;
    if (!reader_->read(frame)) refuse_short(at.frame.number, 0);
    Depth depth = depth_of(frame.picture, options_, fmt::format("{} frame {}", file_.string(), frame.number),
                           depth_.codec + " clip");
    if (!options_.kind) options_.kind = depth.kind;
    return depth;
  }

  const Clip depth_;
  std::optional<ClipReader> reader_;
};

/// Numbered files: the first one is frame 0's.
class DepthFiles : public ClipDepth {
 public:
  DepthFiles(const PhotoOptions& photo, const Clip& clip, FramePattern pattern, const Session& session)
      : ClipDepth(photo, session), pattern_(std::move(pattern)), frames_(find_frames(pattern_)) {
    const std::string missing = missing_from(frames_, {frames_.front().number, frames_.back().number});
    if (!missing.empty())
      throw Error(fmt::format("{}: missing: {}; depth of each frame is needed", pattern_.text(), missing));
    require(clip.frames - 1);
    session.assume(fmt::format("{}: frame 0 of the clip takes {}", pattern_.text(),
                               pattern_.path_of(frames_.front()).filename().string()));
    if (options_.range || options_.scale || options_.kind == DepthKind::depth) return;
    std::vector<std::filesystem::path> maps;
    for (const Frame& frame : frames_) maps.push_back(pattern_.path_of(frame));
    options_.range = common_range(
        maps,
        [this](const std::filesystem::path& map, const Limits& limits) {
          return depth_meaning(map, false, options_, limits);
        },
        {}, session);
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

/// A network's guesses. Where they have no unit, their range follows the frames slowly, so that what stands
/// still does not flicker, and begins anew at a cut.
class GuessedDepth : public ClipDepth {
 public:
  GuessedDepth(const PhotoOptions& photo, const Session& session)
      : ClipDepth(photo, session), network_(photo.network.network) {}

 private:
  Depth next(const FrameAtWork& at) override {
    const ChooseRange follow = [this](const DepthRange& own) { return *(range_ = followed(own)); };
    return guessed_depth(*network_, rows_of(at.frame.picture), std::nullopt, options_,
                         options_.range ? ChooseRange() : follow);
  }

  DepthRange followed(const DepthRange& own) const {
    constexpr double kShare = 0.05, kCut = 0.5;
    if (!range_) return own;
    const double span = range_->nearest - range_->farthest;
    const double farthest = own.farthest - range_->farthest, nearest = own.nearest - range_->nearest;
    if (std::max(std::abs(farthest), std::abs(nearest)) > kCut * span) return own;
    return {range_->farthest + kShare * farthest, range_->nearest + kShare * nearest};
  }

  const std::shared_ptr<const DepthNetwork> network_;
  std::optional<DepthRange> range_;
};

}  // namespace

std::unique_ptr<ClipDepth> ClipDepth::open(const PhotoOptions& photo, const Clip& clip,
                                           const Session& session) {
  if (photo.depth.empty() && photo.network.network) return std::make_unique<GuessedDepth>(photo, session);
  if (photo.depth.empty())
    throw Error(ErrorKind::usage,
                fmt::format("{}: a clip needs the depth of its frames: --depth CLIP, a pattern such as "
                            "'depth_%04d.png', or --depth-network MODEL",
                            clip.path.string()));
  std::error_code error;
  if (std::filesystem::exists(photo.depth, error)) {
    if (is_clip(photo.depth)) return std::make_unique<DepthClip>(photo, clip, session);
    return std::make_unique<OneDepth>(photo, session);
  }
  if (std::optional<FramePattern> pattern = FramePattern::of(photo.depth))
    return std::make_unique<DepthFiles>(photo, clip, std::move(*pattern), session);
  throw Error(fmt::format("{}: no such file", photo.depth.string()));
}

void ClipDepth::add(FrameAtWork& at) {
  Depth depth = next(at);
  at.session.assume(fmt::format("{}: {}", file_.string(), depth.convention));
  at.session.report(file_.string(), depth.remarks);
  at.depth = fitted(std::move(depth), rows_of(at.frame.picture), options_, file_, at.session);
}

}  // namespace scanlens
