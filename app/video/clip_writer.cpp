#include "app/video/clip_writer.h"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <variant>

#include "app/video/matroska.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr int kFrames = 0;  ///< descriptors of ffmpeg
constexpr int kFile = 4;

RowFormat format_of(const Picture& picture) {
  const auto samples = picture.width() * picture.height() * picture.channels();
  return {picture.width(), picture.height(), picture.channels(),
          static_cast<int>(picture.bytes() / static_cast<std::size_t>(samples))};
}

std::int64_t frame_ns(const Clip& clip) {
  return clip.frame_rate.over > 0 ? std::llround(1e9 / clip.frame_rate.value()) : 0;
}

}  // namespace

void ClipWriter::check(const std::filesystem::path& path, const Clip& clip, const ClipEncoding& encoding) {
  if (is_standard_stream(path))
    throw Error(ErrorKind::usage, "-o - takes pictures; a clip is written into a file: -o FILE.mp4");
  container_of(path);
  encoding.range.check();
  check_target(path, clip.path, encoding.overwrite);
  if (std::filesystem::is_fifo(path))
    throw Error(ErrorKind::usage,
                fmt::format("{}: a pipe takes no clip; write it into a file", path.string()));
}

ClipWriter::ClipWriter(const std::filesystem::path& path, const Clip& clip, const RowFormat& format,
                       std::int64_t first, const ClipEncoding& encoding, const Remarks& say)
    : name_(path.string()),
      clip_(clip),
      format_(format),
      begin_(encoding.range.from ? first : 0),
      file_(path, AtomicFile::Temporary::nameless, encoding.overwrite),
      plan_(plan_clip(clip, format, first, path, encoding, fmt::format("/proc/self/fd/{}", kFile))),
      ffmpeg_("ffmpeg", "ffmpeg", plan_.words,
              {{kFrames, ChildEnd::Kind::reads}, {kFile, ChildEnd::Kind::file, file_.descriptor()}}) {
  for (const Remark& remark : plan_.remarks) say(remark);
  if (!ffmpeg_.write(kFrames, matroska_head(format, frame_ns(clip)))) fail();
}

/// Times of frames before the clip's beginning do not occur: ffmpeg counts from there.
std::int64_t ClipWriter::ns_of(std::int64_t time) const {
  return std::llround(static_cast<long double>(time) * 1e9L * static_cast<long double>(clip_.time_base.over) /
                      static_cast<long double>(clip_.time_base.under));
}

void ClipWriter::fail() {
  ffmpeg_.close(kFrames);
  ffmpeg_.wait();
  throw Error(fmt::format("{}: cannot be encoded: ffmpeg: {}", name_, ffmpeg_.words()));
}

void ClipWriter::write(const Picture& picture, std::int64_t time) {
  const RowFormat format = format_of(picture);
  if (format.row_bytes() != format_.row_bytes() || format.height != format_.height)
    throw Error(fmt::format("{}: frames become {} x {} and {} x {}; a clip has one size", name_,
                            format_.width, format_.height, format.width, format.height));
  const bool taken =
      ffmpeg_.write(kFrames, matroska_frame(format_, std::max<std::int64_t>(0, ns_of(time - begin_)))) &&
      std::visit(
          [&](const auto& image) {
            const auto view = image.view();
            return ffmpeg_.write(
                kFrames, std::as_bytes(std::span(view.data, static_cast<std::size_t>(view.extent()))));
          },
          picture.samples);
  if (!taken) fail();
}

void ClipWriter::finish() {
  ffmpeg_.close(kFrames);
  if (!ffmpeg_.wait()) fail();
  file_.commit();
}

}  // namespace scanlens
