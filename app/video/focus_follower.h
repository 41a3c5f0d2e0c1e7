// Focus on a patch that is followed from frame to frame: --focus-at X,Y --track.
#pragma once

#include <optional>

#include "app/photo/lens_options.h"
#include "app/video/clip_run.h"
#include "app/video/follow/patch.h"

namespace scanlens {

class FocusFollower {
 public:
  /// `lens` says where the patch lies in the first frame.
  explicit FocusFollower(const LensOptions& lens) : lens_(lens) {}

  /// Returns the disparity under the patch in the next frame, whose depth has the frame's size. Where the
  /// patch is not seen, that is the last one that it had. Behind a cut the patch at its first place is
  /// followed. Warns of both.
  float follow(FrameAtWork& at);

 private:
  void begin(FrameAtWork& at, const Image<float>& grey);

  const LensOptions lens_;
  std::optional<PatchFollower> patch_;
  Image<float> before_;  ///< brightness of the last frame, made small
  double scale_ = 1;     ///< of its pixels, in those of a frame
  float focus_ = 0;
};

}  // namespace scanlens
