#include "app/io/animation.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>

#include "app/io/animation/encoder.h"
#include "app/io/format.h"
#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

struct AnimationCodec {
  Format format;
  std::string_view extensions;  ///< each between spaces
  double most_rate;             ///< frames per second that players show as fast
  std::unique_ptr<AnimationEncoder> (*encode)(const AnimationFormat& format, AtomicFile& file);
};
constexpr AnimationCodec kCodecs[] = {{Format::webp, " .webp ", kMostRate, encode_webp_animation},
                                      {Format::png, " .png .apng ", kMostRate, encode_png_animation},
                                      {Format::gif, " .gif ", 50, encode_gif_animation}};

const AnimationCodec& codec_for(const fs::path& path, const WriteOptions& options) {
  if (options.format == Format::unknown && is_standard_stream(path)) refuse_nameless_output();
  const std::string extension = " " + extension_of(path) + " ";
  for (const AnimationCodec& codec : kCodecs)
    if (options.format == Format::unknown ? codec.extensions.find(extension) != std::string_view::npos
                                          : codec.format == options.format)
      return codec;
  refuse_extension(path, "animations", ".webp, .png, .apng or .gif");
}

/// Returns the path once an animation may be written there.
const fs::path& checked(const fs::path& path, std::int64_t width, std::int64_t height,
                        const AnimationOptions& options) {
  check_animation(path, options);
  if (width < 1 || height < 1)
    throw Error(ErrorKind::usage, fmt::format("{}: an animation of {} x {} pixels cannot be written",
                                              output_name(path), width, height));
  return path;
}

}  // namespace

void check_animation(const fs::path& path, const AnimationOptions& options) {
  refuse_folder(path);
  const AnimationCodec& codec = codec_for(path, options.write);
  const double rate = options.frames_per_second;
  if (rate > codec.most_rate)
    throw Error(ErrorKind::usage,
                fmt::format("{}: {} frames per second are more than {} has, whose players slow down beyond "
                            "{}; lower --fps",
                            output_name(path), rate, traits_of(codec.format).name, codec.most_rate));
  if (!(rate >= kLeastRate && rate <= kMostRate))
    throw Error(ErrorKind::usage, fmt::format("{}: {} frames per second is not within 1/60 to {}",
                                              output_name(path), rate, kMostRate));
  if (options.loops < 0 || options.loops > kMostLoops)
    throw Error(ErrorKind::usage, fmt::format("{}: {} loops are not within 0 to {}", output_name(path),
                                              options.loops, kMostLoops));
  check_target(path, {}, options.write.overwrite);
}

AnimationWriter::AnimationWriter(const fs::path& path, std::int64_t width, std::int64_t height,
                                 const AnimationOptions& options)
    : name_(output_name(path)),
      width_(width),
      height_(height),
      frames_per_second_(options.frames_per_second),
      file_(checked(path, width, height, options), AtomicFile::Temporary::nameless, options.write.overwrite),
      encoder_(codec_for(path, options.write).encode({name_, width, height, options}, file_)) {}

AnimationWriter::~AnimationWriter() = default;

int AnimationWriter::milliseconds_until(std::int64_t frame) const {
  const double milliseconds = std::round(static_cast<double>(frame) * 1000 / frames_per_second_);
  if (milliseconds > std::numeric_limits<int>::max())
    throw Error(fmt::format("{}: an animation ends after 24 days at the latest", name_));
  return static_cast<int>(milliseconds);
}

void AnimationWriter::add(View<const std::uint8_t> rgb) {
  if (rgb.width != width_ || rgb.height != height_ || rgb.channels != 3)
    throw Error(
        ErrorKind::usage,
        fmt::format("{}: a frame of {} x {} pixels and {} channels does not belong to an animation of "
                    "{} x {} pixels and 3",
                    name_, rgb.width, rgb.height, rgb.channels, width_, height_));
  encoder_->add(rgb, milliseconds_until(frames_), milliseconds_until(frames_ + 1));
  ++frames_;
}

void AnimationWriter::finish() {
  if (frames_ == 0) throw Error(ErrorKind::usage, fmt::format("{}: an animation of no frames", name_));
  encoder_->finish();
  file_.commit();
}

}  // namespace scanlens
