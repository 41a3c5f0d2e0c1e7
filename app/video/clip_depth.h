// The depth of a clip's frames: another clip, numbered files, or one map.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "app/photo/photo_options.h"
#include "app/video/clip_run.h"
#include "app/video/steady.h"

namespace scanlens {

class Command;
class OptionGroup;

/// Options for depth over all frames.
struct ClipDepthOptions {
  bool normalise = false;               ///< spread what all maps hold over 0 .. 1
  bool steady = false;                  ///< as SteadyDepth does
  std::function<bool()> gives_up = {};  ///< ends the reading of all maps where it returns true

  void add_options(Command& command);
  void add_normalise(const OptionGroup& group);
};

class ClipDepth {
 public:
  /// Opens another clip, numbered files, one file for all frames, or takes the open network. Throws Error
  /// (usage) where none is named, and Error where there are fewer maps than frames, as far as that is known.
  static std::unique_ptr<ClipDepth> open(const PhotoOptions& photo, const Clip& clip, const ClipRange& range,
                                         const ClipDepthOptions& over_time, Talk& talk);
  virtual ~ClipDepth() = default;

  /// Adds its depth to a frame. Frames come in order. Throws Error, which names the frame, if it has no
  /// depth.
  void add(FrameAtWork& at);

  /// Brings added depth to the frame's size, in the context's memory. Frames may come in any order and many
  /// at once, unless depth is steadied over time.
  void fit(FrameAtWork& at, Context& context);
  bool steadies() const { return steady_.has_value(); }

  /// Returns true if the maps of frames that are left out are decoded all the same.
  virtual bool reads_on() const { return false; }

  /// Lets the next frame be any one, before or behind the last. Throws Error.
  virtual void jump() {}

  /// Warns, after the last frame, of maps that are left.
  virtual void end() {}

  /// Lets `add` wait for nothing any more. Any thread may call this.
  virtual void stop() {}

 protected:
  ClipDepth(const PhotoOptions& photo, Talk& talk)
      : options_(photo.depth_options),
        file_(!photo.strokes.empty() ? "--stroke"
              : photo.depth.empty()  ? photo.network.choice.model
                                     : photo.depth),
        talk_(talk),
        asked_(photo.depth_options) {}
  virtual Depth next(FrameAtWork& at) = 0;

  /// Reads the maps of all frames of the range, and gives them one after the other.
  virtual void survey(const std::function<void(Depth depth)>& take) const = 0;

  /// True if all frames share one map.
  virtual bool is_one() const { return false; }

  DepthOptions options_;  ///< with the kind of the first map, which holds for all
  const std::filesystem::path file_;
  Talk& talk_;

 private:
  void find_normal(const std::function<bool()>& gives_up);
  void normalise(Depth& depth) const;

  const DepthOptions asked_;
  int orientation_ = 1;               ///< EXIF's, by which the clip's stored frames are turned upright
  std::optional<DepthRange> normal_;  ///< of understood maps: what becomes 0 .. 1
  std::optional<SteadyDepth> steady_;
};

}  // namespace scanlens
