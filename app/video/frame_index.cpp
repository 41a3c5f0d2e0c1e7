#include "app/video/frame_index.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "app/video/clip.h"
#include "filters/amount.h"

namespace scanlens {
namespace {

/// Takes the part of a line up to the next comma off its front.
std::string_view take_part(std::string_view& line) {
  const std::size_t end = std::min(line.find(','), line.size());
  const std::string_view part = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return part;
}

}  // namespace

FrameIndex::FrameIndex(std::vector<std::int64_t> times, std::int64_t origin) : times_(std::move(times)) {
  std::sort(times_.begin(), times_.end());
  times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
  for (std::int64_t& time : times_) time -= origin;
}

// Lines are "packet,PTS,DTS,FLAGS" in the order of decoding, and "format,SECONDS".
FrameIndex FrameIndex::of(const Clip& clip, Stopper* stopper) {
  const std::string text = ask_ffprobe(clip.path,
                                       {"-select_streams", std::to_string(clip.stream), "-show_entries",
                                        "packet=pts,dts,flags:format=start_time", "-print_format", "csv"},
                                       stopper);
  std::vector<std::int64_t> times;
  std::int64_t origin = 0;
  std::optional<std::int64_t> first_key;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (take_part(line) == "format") {
      const std::optional<Amount> seconds = parse_amount(take_part(line));
      if (seconds) origin = std::llround(seconds->value / clip.time_base.value());
      continue;
    }
    const std::optional<std::int64_t> shown = parse_whole(take_part(line)),
                                      decoded = parse_whole(take_part(line));
    const std::optional<std::int64_t> time = shown ? shown : decoded;
    const bool is_key = line.find('K') != std::string_view::npos;
    const bool is_left_out = line.find('D') != std::string_view::npos;
    if (!time || is_left_out) continue;
    // Frames before the first key frame cannot be decoded.
    if (!first_key && !is_key) continue;
    if (!first_key) first_key = time;
    if (*time >= *first_key) times.push_back(*time);
  }
  return {std::move(times), origin};
}

std::int64_t FrameIndex::first_from(std::int64_t time) const {
  return std::lower_bound(times_.begin(), times_.end(), time) - times_.begin();
}

std::int64_t FrameIndex::number_at(std::int64_t time) const {
  const std::int64_t next = first_from(time);
  if (next == frames()) return next - 1;
  if (next == 0 || this->time(next) - time <= time - this->time(next - 1)) return next;
  return next - 1;
}

}  // namespace scanlens
