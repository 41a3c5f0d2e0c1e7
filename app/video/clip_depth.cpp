#include "app/video/clip_depth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "app/batch/sequence/normalisation.h"
#include "app/depth/guess.h"
#include "app/depth/middle.h"
#include "app/depth/strokes/spread.h"
#include "app/depth/strokes/strokes.h"
#include "app/frames/frames.h"
#include "app/options/options.h"
#include "app/video/stroke_follower.h"
#include "app/work/process.h"
#include "core/error.h"

namespace scanlens {
namespace {

/// Frames of a second clip.
class DepthClip : public ClipDepth {
 public:
  DepthClip(const PhotoOptions& photo, const Clip& clip, const ClipRange& range, Talk& talk)
      : ClipDepth(photo, talk), depth_(probe_clip(photo.depth, talk.settings.limits())), range_(range) {
    talk.say(fmt::format("{}: {}", file_.string(), depth_.description()));
    const std::int64_t needed = std::min(clip.frames, range.last().value_or(clip.frames) + 1);
    if (depth_.frames > 0 && depth_.frames < needed) refuse_short(depth_.frames, needed);
    const double own = depth_.frame_rate.value(), other = clip.frame_rate.value();
    constexpr double kSame = 1e-3;
    if (own > 0 && other > 0 && std::abs(own / other - 1) > kSame)
      talk.warn(
          fmt::format("{}: {:.6g} frames/s, against {:.6g} of {}; frame goes with frame, whatever "
                      "their times",
                      file_.string(), own, other, clip.path.string()));
  }

  void end() override {
    if (ahead_ || reader_->read(ahead_.emplace()))
      talk_.warn(fmt::format("{}: goes on at frame {}, where the clip has ended; the rest is left out",
                             file_.string(), ahead_->number));
    else if (const std::string words = reader_->complaint(); !words.empty())
      talk_.warn(fmt::format("{}: {}", file_.string(), words));
  }

  bool reads_on() const override { return true; }

  void jump() override {
    if (!index_) index_ = FrameIndex::of(depth_, &stopper_);
    drop_reader();
    ahead_.reset();
    map_.reset();
  }

  void stop() override {
    stopper_.stop();
    const std::scoped_lock lock(guard_);
    stopped_ = true;
    if (reader_) reader_->kill();
  }

 private:
  [[noreturn]] void refuse_short(std::int64_t frame, std::int64_t frames) const {
    throw Error(fmt::format("{}: ends before frame {}, and the clip has {}; depth of each frame is needed",
                            file_.string(), frame, frames > 0 ? std::to_string(frames) : "more"));
  }

  void survey(const std::function<void(Depth depth)>& take) const override {
    ClipReader reader(depth_, range_);
    for (ClipFrame frame; reader.read(frame);) take(understood(frame));
  }

  Depth understood(ClipFrame& frame) const {
    return depth_of(frame.pixels.picture(), options_,
                    fmt::format("{} frame {}", file_.string(), frame.number), depth_.codec + " clip");
  }

  Depth next(FrameAtWork& at) override {
    if (!reader_) start(at.frame.number);
    std::string damage;
    const bool found = find(at.frame.number, damage);
    // A missing map is replaced by the one before it, or else by the one behind it.
    if (!found && !map_) map_ = std::exchange(ahead_, std::nullopt);
    Depth depth = understood(*map_);
    if (!options_.kind) options_.kind = depth.kind;
    if (!damage.empty()) depth.remarks.push_back({true, damage});
    if (!found)
      depth.remarks.push_back(
          {true, fmt::format("frame {} is missing, and the map of frame {} stands in for it", at.frame.number,
                             map_->number)});
    return depth;
  }

  /// Begins at a frame.
  void start(std::int64_t number, bool fast = true) {
    std::unique_ptr<ClipReader> reader;
    if (index_ && number < index_->frames()) {
      reader = std::make_unique<ClipReader>(depth_, ClipStart{&*index_, number, fast});
    } else {
      ClipRange range;
      range.from = Moment{static_cast<double>(number)};
      reader = std::make_unique<ClipReader>(depth_, range);
    }
    const std::scoped_lock lock(guard_);
    reader_ = std::move(reader);
    if (stopped_) reader_->kill();
  }

  void drop_reader() {
    std::unique_ptr<ClipReader> dropped;
    const std::scoped_lock lock(guard_);
    std::swap(dropped, reader_);
  }

  /// Brings the frame of this number into map_. Returns false where it is missing between others.
  bool find(std::int64_t number, std::string& damage) {
    if (map_ && map_->number >= number) return map_->number == number;
    while (!ahead_ || ahead_->number < number) {
      if (!reader_->read(ahead_.emplace())) {
        ahead_.reset();
        refuse_short(number, 0);
      }
      if (reader_->is_late()) {
        start(number, false);
        ahead_.reset();
        continue;
      }
      damage += (damage.empty() || ahead_->damage.empty() ? "" : "; ") + ahead_->damage;
    }
    if (ahead_->number > number) return false;
    map_ = std::exchange(ahead_, std::nullopt);
    return true;
  }

  const Clip depth_;
  const ClipRange range_;
  Stopper stopper_;                  ///< of what reads the index
  std::optional<FrameIndex> index_;  ///< once a frame was jumped to
  std::mutex guard_;                 ///< of the reader, which begins late
  std::unique_ptr<ClipReader> reader_;
  bool stopped_ = false;
  std::optional<ClipFrame> ahead_, map_;
};

/// Numbered files: the first one is frame 0's.
class DepthFiles : public ClipDepth {
 public:
  DepthFiles(const PhotoOptions& photo, const Clip& clip, const ClipRange& range, FramePattern pattern,
             Talk& talk)
      : ClipDepth(photo, talk), pattern_(std::move(pattern)), frames_(find_frames(pattern_)) {
    const std::string missing = missing_from(frames_, {frames_.front().number, frames_.back().number});
    if (!missing.empty())
      throw Error(fmt::format("{}: missing: {}; depth of each frame is needed", pattern_.text(), missing));
    require(std::min(clip.frames - 1, range.last().value_or(clip.frames)));
    talk.assume(fmt::format("{}: frame 0 of the clip takes {}", pattern_.text(),
                            pattern_.path_of(frames_.front()).filename().string()));
    if (options_.range || options_.scale || options_.kind == DepthKind::depth) return;
    std::vector<std::filesystem::path> maps;
    for (const Frame& frame : frames_) maps.push_back(pattern_.path_of(frame));
    options_.range = common_range(
        maps,
        [this](const std::filesystem::path& map, const Limits& limits) {
          return depth_meaning(map, false, options_, limits);
        },
        {}, talk);
  }

  void end() override {
    if (used_ < frames_.size())
      talk_.warn(fmt::format("{}: goes on at {}, where the clip has ended; the rest is left out",
                             pattern_.text(), pattern_.path_of(frames_[used_]).filename().string()));
  }

 private:
  void require(std::int64_t number) const {
    if (number >= std::ssize(frames_))
      throw Error(fmt::format("{}: ends before frame {}: {} is its last; depth of each frame is needed",
                              pattern_.text(), frames_.size(),
                              pattern_.path_of(frames_.back()).filename().string()));
  }

  void survey(const std::function<void(Depth depth)>& take) const override {
    for (const Frame& frame : frames_)
      take(read_depth(pattern_.path_of(frame), options_, talk_.settings.limits()));
  }

  Depth next(FrameAtWork& at) override {
    require(at.frame.number);
    used_ = static_cast<std::size_t>(at.frame.number) + 1;
    return read_depth(pattern_.path_of(frames_[used_ - 1]), options_, at.talk.settings.limits(),
                      at.frame.pixels.rows());
  }

  const FramePattern pattern_;
  const std::vector<Frame> frames_;
  std::size_t used_ = 0;
};

/// One map for a camera that stands still.
class OneDepth : public ClipDepth {
 public:
  OneDepth(const PhotoOptions& photo, Talk& talk) : ClipDepth(photo, talk) {}

 private:
  bool is_one() const override { return true; }

  void survey(const std::function<void(Depth depth)>& take) const override {
    take(read_depth(file_, options_, talk_.settings.limits()));
  }

  Depth next(FrameAtWork& at) override {
    return read_depth(file_, options_, at.talk.settings.limits(), at.frame.pixels.rows());
  }
};

/// Strokes on the first frame, carried along.
class DrawnDepth : public ClipDepth {
 public:
  DrawnDepth(const PhotoOptions& photo, const Clip& clip, const Strokes& strokes, Talk& talk)
      : ClipDepth(photo, talk), focus_(strokes.focus()), strokes_(strokes) {
    const RowFormat rows{clip.width, clip.height, clip.channels(), clip.sample_bytes()};
    talk.settings.require_host_memory(file_.string(), spreading_bytes(rows, strokes.strokes.size()));
  }

  void jump() override { strokes_.begin_anew(); }

 private:
  void survey(const std::function<void(Depth depth)>&) const override {
    throw Error(ErrorKind::usage,
                file_.string() + ": --normalise is for maps; strokes say how far things are");
  }

  Depth next(FrameAtWork& at) override {
    Depth depth = spread(strokes_.follow(at), at.frame.pixels.rows(), file_.string());
    depth.focus = focus_;
    return depth;
  }

  const std::optional<float> focus_;  ///< also where the nearest stroke is not seen
  StrokeFollower strokes_;
};

/// A network's guesses. Where they have no unit, their range follows the frames slowly, so that what stands
/// still does not flicker, and begins anew at a cut.
class GuessedDepth : public ClipDepth {
 public:
  GuessedDepth(const PhotoOptions& photo, Talk& talk)
      : ClipDepth(photo, talk), network_(photo.network.network) {}

  void jump() override { range_.reset(); }

 private:
  Depth next(FrameAtWork& at) override {
    const ChooseRange follow = [this](const DepthRange& own) { return *(range_ = followed(own)); };
    return guessed_depth(*network_, at.frame.pixels.rows(), std::nullopt, options_,
                         options_.range ? ChooseRange() : follow);
  }

  void survey(const std::function<void(Depth depth)>&) const override {
    throw Error(ErrorKind::usage,
                fmt::format("{}: --normalise is for maps; the range of a network's depth follows the frames",
                            file_.string()));
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

std::unique_ptr<ClipDepth> opened(const PhotoOptions& photo, const Clip& clip, const ClipRange& range,
                                  Talk& talk) {
  if (!photo.strokes.empty())
    return std::make_unique<DrawnDepth>(photo, clip, photo.strokes_on(clip.width, clip.height), talk);
  if (photo.depth.empty() && photo.network.network) return std::make_unique<GuessedDepth>(photo, talk);
  if (photo.depth.empty())
    throw Error(ErrorKind::usage,
                fmt::format("{}: a clip needs the depth of its frames: --depth CLIP, a pattern such as "
                            "'depth_%04d.png', --stroke on its first frame, or --depth-network MODEL",
                            clip.path.string()));
  std::error_code error;
  if (std::filesystem::exists(photo.depth, error)) {
    if (is_clip(photo.depth)) return std::make_unique<DepthClip>(photo, clip, range, talk);
    if (const std::optional<Strokes> strokes = strokes_of_file(photo.depth); strokes && strokes->map.empty())
      return std::make_unique<DrawnDepth>(photo, clip, *strokes, talk);
    return std::make_unique<OneDepth>(photo, talk);
  }
  if (std::optional<FramePattern> pattern = FramePattern::of(photo.depth))
    return std::make_unique<DepthFiles>(photo, clip, range, std::move(*pattern), talk);
  throw Error(fmt::format("{}: no such file", photo.depth.string()));
}

/// Finds where most values of maps lie: of each but for a thousandth at both ends, and of all together.
class CommonRange {
 public:
  void add(const Depth& depth) {
    constexpr double kClipped = 0.001;
    const View<const float> view = depth.disparity.view();
    std::vector<float> values(view.data, view.data + view.extent());
    const auto [least, most] = std::pair<double, double>(middle_range(values, kClipped));
    range_ = range_ ? DepthRange{std::min(range_->farthest, least), std::max(range_->nearest, most)}
                    : DepthRange{least, most};
  }

  const std::optional<DepthRange>& range() const { return range_; }

 private:
  std::optional<DepthRange> range_;
};

}  // namespace

void ClipDepthOptions::add_options(Command& command) {
  const OptionGroup group(command, Group::clip);
  add_normalise(group);
  group.add("--steady", &steady,
            "steady depth over time where the picture stands still, so that the blur does not flicker");
}

void ClipDepthOptions::add_normalise(const OptionGroup& group) {
  group.add("--normalise", &normalise,
            "read the depth of all frames first, and spread what they hold together over 0 .. 1");
}

std::unique_ptr<ClipDepth> ClipDepth::open(const PhotoOptions& photo, const Clip& clip,
                                           const ClipRange& range, const ClipDepthOptions& over_time,
                                           Talk& talk) {
  std::unique_ptr<ClipDepth> depth = opened(photo, clip, range, talk);
  if (over_time.steady && depth->is_one())
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: --steady is for maps that change; this one is of all frames", photo.depth.string()));
  constexpr int kOfQuarters[] = {1, 6, 3, 8};
  depth->orientation_ = kOfQuarters[clip.quarters];
  if (over_time.normalise) depth->find_normal(over_time.gives_up);
  if (over_time.steady) depth->steady_.emplace();
  return depth;
}

void ClipDepth::find_normal(const std::function<bool()>& gives_up) {
  CommonRange common;
  survey([&](const Depth& depth) {
    if (gives_up && gives_up()) throw Error(file_.string() + ": not read to its end");
    if (depth.metric)
      throw Error(ErrorKind::usage, fmt::format("{}: --normalise is for depth without a unit; {}",
                                                file_.string(), depth.convention));
    common.add(depth);
  });
  normal_ = common.range();
  if (!(normal_->nearest > normal_->farthest))
    throw Error(fmt::format("{}: --normalise: all of its depth is {:.4g}", file_.string(), normal_->nearest));
  talk_.assume(fmt::format("{}: one normalisation for the clip: {:.4g} .. {:.4g} becomes 0 .. 1",
                           file_.string(), normal_->farthest, normal_->nearest));
}

void ClipDepth::normalise(Depth& depth) const {
  const View<float> values = depth.disparity.view();
  const double scale = 1 / (normal_->nearest - normal_->farthest);
  std::transform(values.data, values.data + values.extent(), values.data, [&](float value) {
    return static_cast<float>(std::clamp((double{value} - normal_->farthest) * scale, 0.0, 1.0));
  });
  find_extremes(depth);
}

void ClipDepth::add(FrameAtWork& at) {
  Depth depth = next(at);
  at.talk.assume(fmt::format("{}: {}", file_.string(), depth.convention));
  at.talk.report(file_.string(), std::exchange(depth.remarks, {}));
  if (normal_) normalise(depth);
  at.depth = std::move(depth);
}

void ClipDepth::fit(FrameAtWork& at, Context& context) {
  FramePixels& pixels = at.frame.pixels;
  if (context.on_cuda()) pixels.move_to(context);
  PhotoRows rows = pixels.rows();
  rows.orientation = orientation_;
  at.depth = turned(std::move(*at.depth), turn_of(at.depth->disparity, rows, asked_));
  at.depth = fitted(std::move(*at.depth), rows, asked_, file_, at.talk.settings, context);
  at.talk.report(file_.string(), std::exchange(at.depth->remarks, {}));
  if (steady_) steady_->steady(pixels.picture(), *at.depth);
}

}  // namespace scanlens
