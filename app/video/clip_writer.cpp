#include "app/video/clip_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/video/matroska.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr int kFrames = 0;  ///< descriptors of ffmpeg
constexpr int kFile = 4;

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

ClipWriter::ClipWriter(const std::filesystem::path& path, const Clip& clip, const RowFormat& rows,
                       std::int64_t first, const ClipEncoding& encoding, const Remarks& say)
    : name_(path.string()),
      clip_(clip),
      format_(encoded_format(clip, rows, encoded_pixels(clip, rows, path, encoding))),
      begin_(encoding.range.from ? first : 0),
      file_(path, AtomicFile::Temporary::nameless, encoding.overwrite),
      plan_(plan_clip(clip, format_, first, path, encoding, fmt::format("/proc/self/fd/{}", kFile))),
      ffmpeg_("ffmpeg", "ffmpeg", plan_.words,
              {{kFrames, ChildEnd::Kind::reads}, {kFile, ChildEnd::Kind::file, file_.descriptor()}}) {
  for (const Remark& remark : plan_.remarks) say(remark);
  if (!ffmpeg_.write(kFrames, matroska_head(format_, frame_ns(clip)))) fail();
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

void ClipWriter::write(ClipFrame& frame) {
  FramePixels& pixels = frame.pixels;
  const RowFormat &rows = pixels.format().rows, &first = format_.rows;
  if (rows.row_bytes() != first.row_bytes() || rows.height != first.height)
    throw Error(fmt::format("{}: frames become {} x {} and {} x {}; a clip has one size", name_, first.width,
                            first.height, rows.width, rows.height));
  if (pixels.format().yuv != format_.yuv) {
    Context host = Context::open("cpu");
    pixels.put(host, pixels.take(host), format_);
  }
  const std::int64_t ns = std::max<std::int64_t>(0, ns_of(frame.time - begin_));
  if (!ffmpeg_.write(kFrames, matroska_frame(format_.bytes(), ns)) || !ffmpeg_.write(kFrames, pixels.bytes()))
    fail();
}

void ClipWriter::finish() {
  ffmpeg_.close(kFrames);
  if (!ffmpeg_.wait()) fail();
  file_.commit();
}

}  // namespace scanlens
