#include "app/video/frame_files.h"

#include <fmt/format.h>

#include <cmath>
#include <system_error>
#include <utility>
#include <variant>

#include "core/error.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

/// Returns the file of a frame's number; a path that is no pattern as it is.
fs::path file_of(const fs::path& path, std::int64_t number) {
  const std::optional<FramePattern> pattern = FramePattern::of(path);
  return pattern ? pattern->path_of({number, fmt::format("{:04}", number)}) : path;
}

/// Throws Error unless a frame is as the first one of its clip.
void require_alike(const fs::path& path, const RowFormat& rows, const Clip& clip) {
  const Clip own = clip_of_frames(rows, 1);
  if (own.width == clip.width && own.height == clip.height && own.bits == clip.bits &&
      own.alpha == clip.alpha && own.grey == clip.grey)
    return;
  const auto described = [](const Clip& frame) {
    return fmt::format("{} x {} pixels of {} bits{}", frame.width, frame.height, frame.bits,
                       frame.grey    ? ", grey"
                       : frame.alpha ? " with alpha"
                                     : "");
  };
  throw Error(fmt::format("{}: {}, and the first frame has {}; make all frames alike", path.string(),
                          described(own), described(clip)));
}

}  // namespace

Picture as_srgb_codes(Picture picture) {
  picture = as_srgb(std::move(picture));
  if (std::holds_alternative<Image<float>>(picture.samples)) picture = {to_rgb8(picture)};
  return picture;
}

bool names_frames(const fs::path& path) {
  std::error_code error;
  return !fs::exists(path, error) && FramePattern::of(path).has_value();
}

Clip clip_of_frames(const RowFormat& rows, double rate) {
  constexpr std::int64_t kSteps = 1000;
  Clip clip;
  clip.width = rows.width;
  clip.height = rows.height;
  clip.frame_rate = {std::llround(rate * kSteps), kSteps};
  clip.time_base = {kSteps, clip.frame_rate.over};
  clip.even = true;
  clip.bits = 8 * rows.sample_bytes;
  clip.grey = rows.channels < 3;
  clip.alpha = rows.channels == 4;
  clip.pixel_format = clip.grey ? "gray" : "rgb";
  return clip;
}

Clip clip_of_files(const fs::path& path, double rate, const Limits& limits) {
  const FramePattern pattern = *FramePattern::of(path);
  std::vector<Frame> files = find_frames(pattern);
  const std::string missing = missing_from(files, {files.front().number, files.back().number});
  if (!missing.empty())
    throw Error(fmt::format("{}: missing: {}; a clip needs each frame", path.string(), missing));
  const Picture first = as_srgb_codes(read_picture(pattern.path_of(files.front()), limits));
  Clip clip = clip_of_frames(rows_of(first).format, rate);
  clip.path = path;
  clip.codec = "numbered files";
  clip.frames = std::ssize(files);
  clip.files = std::move(files);
  return clip;
}

bool FilesSource::read(ClipFrame& frame) {
  const auto seconds = [&](std::size_t at) { return static_cast<double>(at) * clip_.time_base.value(); };
  const auto lies_before = [&](const Moment& moment, std::size_t at) {
    return moment.timed ? seconds(at) < moment.at - 1e-6 : static_cast<std::int64_t>(at) < moment.frame();
  };
  while (range_.from && next_ < clip_.files.size() && lies_before(*range_.from, next_)) ++next_;
  if (next_ == clip_.files.size() || (range_.one && given_)) return false;
  if (range_.to && !lies_before(*range_.to, next_) &&
      (range_.to->timed || static_cast<std::int64_t>(next_) > range_.to->frame()))
    return false;
  const Frame& file = clip_.files[next_];
  const fs::path path = pattern_.path_of(file);
  frame.number = frame.time = static_cast<std::int64_t>(next_++);
  given_ = true;
  frame.key = file.number;
  frame.name = path.string();
  Picture picture = as_srgb_codes(read_picture(path, limits_));
  require_alike(path, rows_of(picture).format, clip_);
  frame.pixels = FramePixels(std::move(picture));
  return true;
}

void FilesSink::check(const fs::path& path, const WriteOptions& write) {
  check_output(file_of(path, 0), {}, write);
}

void FilesSink::write(ClipFrame& frame) {
  write_picture(file_of(path_, frame.number), frame.pixels.picture(), write_, say_);
}

}  // namespace scanlens
