// Animations: frames of one size, one after the other, in a file that appears complete or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "app/io/file.h"
#include "app/io/picture.h"
#include "core/view.h"

namespace scanlens {

struct AnimationOptions {
  double frames_per_second = 30;  ///< kLeastRate..kMostRate; frames begin at whole milliseconds
  int loops = 0;                  ///< how often it is played, up to kMostLoops; 0: without end
  /// The format, WebP, PNG or GIF, else by the name: .webp, .png, .apng or .gif. A WebP of quality 100 and
  /// every PNG are lossless. A GIF has 256 colours a frame, whose times are hundredths of a second.
  WriteOptions write = {};
};
inline constexpr double kLeastRate = 1.0 / 60, kMostRate = 1000;
inline constexpr int kMostLoops = 65535;

/// Throws Error before any work is done when AnimationWriter could not write to this path: an unknown
/// extension, options out of range (usage), or what check_target refuses.
void check_animation(const std::filesystem::path& path, const AnimationOptions& options = {});

/// Returns true for a GIF of two frames at least, false for what cannot be read.
bool is_animated_gif(const std::filesystem::path& path);

class AnimationEncoder;

/// Writes an animation by its frames. A PNG grows on the disk and takes the memory of two frames; what of a
/// frame equals the one before is left out. libwebp keeps a WebP's encoded frames in memory until the end,
/// where they are there twice; it shows frames that are equal one after the other as one of their common
/// length, and makes a still picture of a single frame. Every failure throws Error "PATH: cause"; what
/// throws, or is not finished, leaves the folder as it was.
class AnimationWriter {
 public:
  /// Throws Error as check_animation does, for a pipe where the format needs a file, and for a size that WebP
  /// cannot hold.
  AnimationWriter(const std::filesystem::path& path, std::int64_t width, std::int64_t height,
                  const AnimationOptions& options = {});
  ~AnimationWriter();
  AnimationWriter(const AnimationWriter&) = delete;
  AnimationWriter& operator=(const AnimationWriter&) = delete;

  /// Adds a frame of three channels and the animation's size, which may go afterwards. Throws Error (usage)
  /// for any other.
  void add(View<const std::uint8_t> rgb);

  std::int64_t frames() const { return frames_; }

  /// Puts the file in its place. Throws Error (usage) when it has no frame.
  void finish();

 private:
  int milliseconds_until(std::int64_t frame) const;

  std::string name_;
  std::int64_t width_, height_;
  double frames_per_second_;
  std::int64_t frames_ = 0;
  AtomicFile file_;
  std::unique_ptr<AnimationEncoder> encoder_;
};

}  // namespace scanlens
