#include "app/video/clip_reader.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <variant>
#include <vector>

#include "core/error.h"
#include "filters/amount.h"

namespace scanlens {
namespace {

constexpr int kPixels = 1;  ///< descriptors of ffmpeg
constexpr int kTimes = 3;

const char* raw_format(const Clip& clip) {
  const bool wide = clip.sample_bytes() == 2;
  switch (clip.channels()) {
    case 1:
      return wide ? "gray16le" : "gray";
    case 4:
      return wide ? "rgba64le" : "rgba";
    default:
      return wide ? "rgb48le" : "rgb24";
  }
}

/// Returns the filters that say when each frame is shown, on a line of their own, and make RGB of it.
std::string filters_of(const Clip& clip) {
  const std::string matrix = clip.rgb || clip.grey ? "" : "in_color_matrix=" + matrix_of(clip) + ":";
  return fmt::format(
      "metadata=mode=add:key=scanlens:value=1,settb={},metadata=mode=print:key=scanlens:direct=1:"
      "file=pipe\\\\:{},scale={}out_range=pc:flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp,"
      "format={}",
      clip.time_base.text(), kTimes, matrix, raw_format(clip));
}

std::vector<std::string> words_for(const Clip& clip) {
  std::vector<std::string> words = {"-v", "error", "-nostdin"};
  if (!clip.decoder.empty()) words.insert(words.end(), {"-c:v", clip.decoder});
  words.insert(words.end(),
               {"-i", url_of(clip.path), "-map", fmt::format("0:{}", clip.stream), "-vf", filters_of(clip),
                "-fps_mode", "passthrough", "-f", "rawvideo", fmt::format("pipe:{}", kPixels)});
  return words;
}

template <class T>
std::span<std::byte> bytes_of(Image<T>& image) {
  return std::as_writable_bytes(
      std::span(image.view().data, static_cast<std::size_t>(image.view().extent())));
}

}  // namespace

ClipReader::ClipReader(const Clip& clip)
    : clip_(clip),
      ffmpeg_("ffmpeg", "ffmpeg", words_for(clip),
              {{kPixels, ChildEnd::Kind::writes}, {kTimes, ChildEnd::Kind::writes}}) {}

void ClipReader::fail(const std::string& cause) {
  ffmpeg_.kill();
  ffmpeg_.wait();
  const std::string words = ffmpeg_.words();
  throw Error(fmt::format("{}: frame {}: {}{}", clip_.path.string(), frames_, cause,
                          words.empty() ? "" : ": ffmpeg: " + words));
}

/// Takes the next line "frame:7    pts:1001    pts_time:0.03". Returns false where there is none.
bool ClipReader::next_time() {
  constexpr std::string_view kMark = " pts:";
  std::array<std::byte, 4096> bytes;
  while (true) {
    for (std::size_t end; (end = lines_.find('\n')) != std::string::npos;) {
      const std::string line = lines_.substr(0, end);
      lines_.erase(0, end + 1);
      const std::size_t at = line.find(kMark);
      if (!line.starts_with("frame:") || at == std::string::npos) continue;
      const std::string_view rest = std::string_view(line).substr(at + kMark.size());
      // A frame without a time of its own follows the one before.
      time_ = parse_whole(rest.substr(0, rest.find(' '))).value_or(time_ + 1);
      return true;
    }
    const std::size_t got = ffmpeg_.read(kTimes, bytes);
    if (got == 0) return false;
    lines_.append(reinterpret_cast<const char*>(bytes.data()), got);
  }
}

bool ClipReader::read(ClipFrame& frame) {
  if (!next_time()) {
    if (!ffmpeg_.wait()) fail("cannot be decoded");
    if (frames_ == 0) fail("there is none");
    return false;
  }
  frame.number = frames_;
  frame.time = time_;
  if (clip_.sample_bytes() == 1)
    frame.picture.samples = Image<std::uint8_t>(clip_.width, clip_.height, clip_.channels());
  else
    frame.picture.samples = Image<std::uint16_t>(clip_.width, clip_.height, clip_.channels());
  std::visit(
      [&](auto& image) {
        const std::span<std::byte> bytes = bytes_of(image);
        if (ffmpeg_.read(kPixels, bytes) != bytes.size()) fail("it breaks off");
      },
      frame.picture.samples);
  ++frames_;
  return true;
}

}  // namespace scanlens
