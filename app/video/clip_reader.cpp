#include "app/video/clip_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"

namespace scanlens {
namespace {

constexpr int kPixels = 1;  ///< descriptor of ffmpeg

/// Frames that ffmpeg's threads may have ahead when one of them complains.
constexpr std::int64_t kAhead = 20;

/// Returns the first time step at or after `seconds`.
std::int64_t time_at(const Clip& clip, double seconds) {
  return std::llround(std::ceil(seconds / clip.time_base.value() - 1e-6));
}

/// Returns the filters that make samples of this format and of the clip's size. Planes of that size as they
/// are coded pass them as they are. ffmpeg has turned frames upright before.
std::string scaling(const Clip& clip, const RawFormat& format) {
  if (format.yuv) return fmt::format("scale={}:{},format={}", clip.width, clip.height, format.name);
  const std::string matrix = clip.rgb || clip.grey ? "" : "in_color_matrix=" + matrix_of(clip) + ":";
  return fmt::format(
      "scale={}:{}:{}out_range=pc:flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp,format={}",
      clip.width, clip.height, matrix, format.name);
}

/// Returns the filters that say when each frame is shown, leave out those before the range, and make samples.
std::string filters_of(const Clip& clip, const RawFormat& format, const ClipRange& range,
                       const ClipStart& start) {
  std::string select;
  if (start.index && start.frame > 0)
    select = fmt::format("select='gte(pts,{})',", start.index->time(start.frame));
  else if (start.frame > 0)
    select = fmt::format("select='gte(n,{})',", start.frame);
  else if (range.from && range.from->at > 0)
    select = range.from->timed ? fmt::format("select='gte(pts,{})',", time_at(clip, range.from->at))
                               : fmt::format("select='gte(n,{})',", range.from->frame());
  return fmt::format("settb={},{},{}{}", clip.time_base.text(), FrameLog::filter(), select,
                     scaling(clip, format));
}

/// Returns words that begin at the key frame before, and leave times as they are without them.
std::vector<std::string> fast_start(const Clip& clip, const ClipStart& start) {
  constexpr double kRounding = 1e-6;
  const double seconds =
      static_cast<double>(start.index->time(start.frame)) * clip.time_base.value() + kRounding;
  if (seconds <= kRounding) return {};
  return {"-copyts", "-start_at_zero", "-noaccurate_seek", "-ss", fmt::format("{:.6f}", seconds)};
}

std::vector<std::string> words_for(const Clip& clip, const RawFormat& format, const ClipRange& range,
                                   const ClipStart& start) {
  std::vector<std::string> words = FrameLog::words();
  if (start.index && start.fast)
    for (std::string& word : fast_start(clip, start)) words.push_back(std::move(word));
  if (clip.jumps) words.insert(words.end(), kFromOneStart.begin(), kFromOneStart.end());
  if (!clip.decoder.empty()) words.insert(words.end(), {"-c:v", clip.decoder});
  words.insert(words.end(), {"-i", url_of(clip.path), "-map", fmt::format("0:{}", clip.stream), "-vf",
                             filters_of(clip, format, range, start), "-fps_mode", "passthrough", "-f",
                             "rawvideo", fmt::format("pipe:{}", kPixels)});
  return words;
}

std::string frames_text(std::int64_t first, std::int64_t last) {
  return first == last ? fmt::format("frame {} is", first) : fmt::format("frames {} to {} are", first, last);
}

}  // namespace

ClipReader::ClipReader(const Clip& clip, const ClipRange& range) : ClipReader(clip, range, ClipStart()) {}

ClipReader::ClipReader(const Clip& clip, const ClipStart& start) : ClipReader(clip, ClipRange(), start) {}

ClipReader::ClipReader(const Clip& clip, const ClipRange& range, const ClipStart& start)
    : clip_(clip),
      range_(range),
      start_(start),
      format_(decoded_format(clip)),
      ffmpeg_("ffmpeg", "ffmpeg", words_for(clip, format_, range, start), {{kPixels, ChildEnd::Kind::writes}},
              &log_) {}

void ClipReader::fail(const std::string& cause) {
  ffmpeg_.kill();
  ffmpeg_.wait();
  Complaints all = pending_;
  all.add(log_.rest());
  const std::string words = ffmpeg_.was_silent() ? ffmpeg_.words() : all.text();
  throw Error(fmt::format("{}: frame {}: {}{}", clip_.path.string(), number_ + 1, cause,
                          words.empty() ? "" : ": ffmpeg: " + words));
}

/// Returns how many frames are missing between this one and the one before: those that the index has there,
/// else, where ffmpeg has complained, those that even times leave out.
std::int64_t ClipReader::lost_before(std::int64_t time, const FrameNews& news) const {
  if (start_.index)
    return seen_ > 0 ? std::max<std::int64_t>(0, start_.index->number_at(time) - number_ - 1) : 0;
  const bool complained = !pending_.empty() || !news.complaints.empty();
  if (!complained || seen_ == 0 || !clip_.even) return 0;
  const double step = 1 / (clip_.frame_rate.value() * clip_.time_base.value());
  return std::max<std::int64_t>(0, std::llround(static_cast<double>(time - time_) / step) - 1);
}

/// Takes a frame's number and time.
void ClipReader::count(const FrameNews& news) {
  // A frame without a time of its own follows the one before.
  const std::int64_t time = news.time.value_or(time_ + 1);
  if (start_.index && seen_ == 0) {
    first_seen_ = start_.index->number_at(time);
    number_ = first_seen_ - 1;
  }
  const std::int64_t lost = lost_before(time, news);
  number_ += 1 + lost;
  time_ = time;
  ++seen_;
  if (const std::string damage = damage_of(news, lost); !damage.empty())
    damage_ += (damage_.empty() ? "" : "; ") + damage;
}

std::string ClipReader::damage_of(const FrameNews& news, std::int64_t lost) {
  if (pending_.empty()) heard_at_ = number_ - lost;
  pending_.add(news.complaints);
  if (pending_.empty()) return "";
  const auto told = [&](const std::string& what) {
    return fmt::format("{}: ffmpeg: {}", what, std::exchange(pending_, {}).text());
  };
  if (lost > 0) return told(frames_text(number_ - lost, number_ - 1) + " broken and left out");
  if (news.corrupt) return told(frames_text(number_, number_) + " broken, and taken as far as it is decoded");
  if (number_ - heard_at_ >= kAhead) return told(fmt::format("broken near frame {}", heard_at_));
  return "";
}

bool ClipReader::before_range() const {
  if (start_.index) return number_ < start_.frame;
  if (start_.frame > 0) return seen_ - 1 < start_.frame;
  if (!range_.from) return false;
  return range_.from->timed ? time_ < time_at(clip_, range_.from->at) : seen_ - 1 < range_.from->frame();
}

bool ClipReader::behind_range() const {
  if (range_.one && given_ > 0) return true;
  if (!range_.to) return false;
  return range_.to->timed ? time_ >= time_at(clip_, range_.to->at) : number_ > range_.to->frame();
}

std::optional<FrameNews> ClipReader::next_news() {
  const Child::Awaited awaited(ffmpeg_);
  return log_.next();
}

bool ClipReader::read(ClipFrame& frame) {
  while (const std::optional<FrameNews> news = next_news()) {
    const std::int64_t last = number_;
    count(*news);
    if (behind_range()) {
      number_ = last;
      goes_on_ = true;
      break;
    }
    if (before_range()) {
      damage_.clear();
      continue;
    }
    frame.number = frame.key = number_;
    frame.name = fmt::format("{} frame {}", clip_.path.string(), number_);
    frame.time = time_;
    frame.damage = std::exchange(damage_, {});
    take_pixels(frame);
    ++given_;
    return true;
  }
  end();
  return false;
}

void ClipReader::take_pixels(ClipFrame& frame) {
  frame.pixels = FramePixels(format_);
  const std::span<std::byte> bytes = frame.pixels.bytes();
  if (ffmpeg_.read(kPixels, bytes) == bytes.size()) return;
  --number_;
  fail("its pixels do not all come; see that the clip is whole");
}

void ClipReader::end() {
  if (goes_on_) ffmpeg_.kill();
  if (!ffmpeg_.wait() && !goes_on_) fail("cannot be decoded");
  if (given_ > 0 || (start_.index && seen_ > 0)) return;
  if (start_.frame > 0 && seen_ > 0)
    throw Error(fmt::format("{}: frame {}: the clip ends before; its last frame is {}", clip_.path.string(),
                            start_.frame, number_));
  if (range_.from && seen_ > 0 && !goes_on_)
    throw Error(fmt::format("{}: {} {}: the clip ends before; its last frame is {}", clip_.path.string(),
                            range_.begins_by(), range_.from->text(), number_));
  if (seen_ > 0) throw Error(fmt::format("{}: no frame lies between --from and --to", clip_.path.string()));
  fail("the clip has no frame that can be decoded; see that it is whole");
}

std::string ClipReader::complaint() const {
  Complaints all = pending_;
  if (!goes_on_) all.add(log_.rest());
  if (all.empty()) return "";
  const std::int64_t near = pending_.empty() ? number_ + 1 : heard_at_;
  return fmt::format("broken near frame {}: ffmpeg: {}", near, all.text());
}

}  // namespace scanlens
