// The pixels of one frame of a clip: as ffmpeg hands them on, and as the picture that they show.
#pragma once

#include <span>
#include <variant>

#include "app/depth/depth.h"
#include "app/io/picture.h"
#include "app/video/raw_format.h"
#include "core/context.h"

namespace scanlens {

/// Planes become a picture when one is asked for: in host memory, or where a context computes.
class FramePixels {
 public:
  FramePixels() = default;
  /// Allocates a frame of this format, contents indeterminate.
  explicit FramePixels(const RawFormat& format);
  explicit FramePixels(Picture picture);

  /// Returns the samples as they lie in a pipe.
  std::span<std::byte> bytes();
  const RawFormat& format() const { return format_; }

  /// Returns the picture, in host memory, made at the first call.
  const Picture& picture();
  /// Returns the picture's rows for those who look at depth. They make the picture when they are read.
  PhotoRows rows();
  /// Returns brightness in 0 .. 1, made smaller by a whole number until no side is longer than this: luma of
  /// planes, as it is coded, else of the picture's codes.
  Image<float> small_brightness(std::int64_t longest);
  /// Makes the picture on a device: from then on only rows(), for work there, and take() give it.
  void move_to(Context& context);
  /// Gives the picture up, in memory of the context's device if it is not in host memory yet.
  Picture take(Context& context);
  /// Takes a picture, in host memory or the context's, as a frame of this format in host memory.
  void put(Context& context, Picture picture, const RawFormat& format);

  Metadata metadata;  ///< of the picture

 private:
  using Planes = std::variant<Image<std::uint8_t>, Image<std::uint16_t>>;
  Picture converted(Context& context) const;

  RawFormat format_;
  Planes planes_;    ///< one row of all samples, where the format has planes
  Picture picture_;  ///< empty until it is made
};

}  // namespace scanlens
