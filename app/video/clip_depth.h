// The depth of a clip's frames: another clip, numbered files, or one map.
#pragma once

#include <memory>

#include "app/session/photo_options.h"
#include "app/video/clip_run.h"

namespace scanlens {

class ClipDepth {
 public:
  /// Opens another clip, numbered files, one file for all frames, or takes the open network. Throws Error
  /// (usage) where none is named, and Error where there are fewer maps than frames, as far as that is known.
  static std::unique_ptr<ClipDepth> open(const PhotoOptions& photo, const Clip& clip, const Session& session);
  virtual ~ClipDepth() = default;

  /// Adds its depth to a frame, at the frame's size. Frames come in order. Throws Error, which names the
  /// frame, where there is none.
  void add(FrameAtWork& at);

  /// Warns, after the last frame, of maps that are left.
  virtual void end() {}

  /// Lets `add` wait for nothing any more. Any thread may call this.
  virtual void stop() {}

 protected:
  ClipDepth(const PhotoOptions& photo, const Session& session)
      : options_(photo.depth_options),
        file_(photo.depth.empty() ? photo.network.choice.model : photo.depth),
        session_(session) {}
  virtual Depth next(const FrameAtWork& at) = 0;

  DepthOptions options_;
  const std::filesystem::path file_;
  const Session& session_;
};

}  // namespace scanlens
