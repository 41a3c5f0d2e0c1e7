#include "app/frames/frame_writer.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "core/error.h"

namespace scanlens {
namespace {

std::filesystem::path path_of(const FramePattern& pattern, std::int64_t number) {
  return pattern.path_of({number, fmt::format("{:04}", number)});
}

}  // namespace

void FrameWriter::check(const std::filesystem::path& path, double frames_per_second,
                        const WriteOptions& write) {
  if (const std::optional<FramePattern> pattern = FramePattern::of(path))
    check_output(path_of(*pattern, 1), {}, write, 3);
  else
    check_animation(path, {frames_per_second, 0, write});
}

FrameWriter::FrameWriter(const std::filesystem::path& path, double frames_per_second,
                         const WriteOptions& write)
    : path_(path), frames_per_second_(frames_per_second), write_(write), pattern_(FramePattern::of(path)) {}

void FrameWriter::add(Picture picture, const Remarks& say) {
  ++frames_;
  if (pattern_) return write_picture(path_of(*pattern_, frames_), picture, write_, say);
  const auto* codes = std::get_if<Image<std::uint8_t>>(&picture.samples);
  const Image<std::uint8_t> rgb = codes && codes->channels() == 3
                                      ? std::get<Image<std::uint8_t>>(std::move(picture.samples))
                                      : to_rgb8(picture);
  if (!animation_)
    animation_ = std::make_unique<AnimationWriter>(path_, rgb.width(), rgb.height(),
                                                   AnimationOptions{frames_per_second_, 0, write_});
  animation_->add(rgb.view());
}

void FrameWriter::finish() {
  if (frames_ == 0)
    throw Error(ErrorKind::usage, fmt::format("{}: no frame was drawn to record", path_.string()));
  if (animation_) animation_->finish();
}

}  // namespace scanlens
