// One frame of a sequence through depth of field, from its files to its output.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "app/batch/announced.h"
#include "app/batch/written_picture.h"
#include "app/photo/photo_options.h"
#include "app/photo/pulled.h"

namespace scanlens {

/// The ways to blur frames. Both are called by any threads.
struct FrameBlur {
  /// Returns the bytes of the context's memory that `run` takes beside the photo.
  std::function<std::int64_t(const Photo& photo)> workspace;
  std::function<Picture(Context& context, Photo photo, const std::string& name, Talk& talk)> run;
};

/// The values that all frames share.
struct FrameWork {
  PhotoOptions photo;  ///< how to understand depth, and the lens; each frame adds its files
  LensPull pull;
  FrameBlur blur;
};

/// Makes of a frame what `scanlens dof` makes of the photo with the same values of the lens.
class DofFrame : public WrittenPicture {
 public:
  DofFrame(Shared& shared, const Work& work, const Item& item, const FrameWork& frames, std::int64_t number);

  void open() override;
  void work() override;
  void commit() override;

 private:
  Made made_of() override;
  Picture blurred(Context& context);
  void drop() override;

  const FrameWork& frames_;
  const std::int64_t number_;
  PhotoOptions photo_;  ///< with the frame's files and lens
  Announced announced_;
  std::optional<PictureAndDepth> loaded_;
  std::optional<Picture> result_;
};

}  // namespace scanlens
