#include "app/viewer/script/recording.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"

namespace scanlens {
namespace {

WriteOptions with_quality(WriteOptions write, int quality) {
  write.quality = quality;
  return write;
}

std::filesystem::path path_of(const FramePattern& pattern, std::int64_t number) {
  return pattern.path_of({number, fmt::format("{:04}", number)});
}

}  // namespace

void Recording::check(const steps::RecordBegin& record, const WriteOptions& write) {
  if (const std::optional<FramePattern> pattern = FramePattern::of(record.file))
    check_output(path_of(*pattern, 1), {}, write, 3);
  else
    check_animation(record.file, {record.frames_per_second, 0, with_quality(write, record.quality)});
}

Recording::Recording(const steps::RecordBegin& record, const WriteOptions& write)
    : record_(record), write_(with_quality(write, record.quality)), pattern_(FramePattern::of(record.file)) {}

void Recording::add(Image<std::uint8_t> rgb) {
  ++frames_;
  if (pattern_) {
    write_picture(path_of(*pattern_, frames_), Picture{std::move(rgb)}, write_);
    return;
  }
  if (!animation_)
    animation_ = std::make_unique<AnimationWriter>(record_.file, rgb.width(), rgb.height(),
                                                   AnimationOptions{record_.frames_per_second, 0, write_});
  animation_->add(std::as_const(rgb).view());
}

void Recording::finish() {
  if (frames_ == 0)
    throw Error(ErrorKind::usage, fmt::format("{}: no frame was drawn to record", record_.file.string()));
  if (animation_) animation_->finish();
}

}  // namespace scanlens
