// Encoders of an animation's frames, one for each format. Inside scanlens_files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/io/animation.h"
#include "app/io/file.h"
#include "core/view.h"

namespace scanlens {

class AnimationEncoder {
 public:
  virtual ~AnimationEncoder() = default;

  /// Takes the next RGB frame, which is shown from `begin` to `end`, in milliseconds from the animation's
  /// start.
  virtual void add(View<const std::uint8_t> rgb, int begin, int end) = 0;

  /// After the last frame: leaves the file complete, but not yet committed.
  virtual void finish() = 0;
};

/// The sizes and options that an animation has; `name` is the start of every message.
struct AnimationFormat {
  std::string name;
  std::int64_t width, height;
  AnimationOptions options;
};

// They write to `file`, which has to stay. Throw Error "NAME: cause" for a size that the format cannot hold.
std::unique_ptr<AnimationEncoder> encode_webp_animation(const AnimationFormat& format, AtomicFile& file);
std::unique_ptr<AnimationEncoder> encode_gif_animation(const AnimationFormat& format, AtomicFile& file);
/// Throws Error as well where the file is streamed: its beginning tells how many frames there are.
std::unique_ptr<AnimationEncoder> encode_png_animation(const AnimationFormat& format, AtomicFile& file);

}  // namespace scanlens
