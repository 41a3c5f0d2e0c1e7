#include "app/video/frame_log.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "filters/amount.h"

namespace scanlens {
namespace {

constexpr std::size_t kMostLines = 3, kMostCharacters = 300;

/// Returns what a line says after its level, "" for those that are no complaints: "[h264 @ 0x5a] [error] x"
/// becomes "h264: x".
std::string complaint_in(std::string_view line) {
  constexpr std::string_view kLevels[] = {"[error] ", "[fatal] ", "[panic] "};
  constexpr std::string_view kMarks[] = {"corrupt", "concealing"};  // in warnings about broken frames
  const auto in_line = [&](std::string_view mark) { return line.find(mark) != std::string_view::npos; };
  if (std::none_of(std::begin(kLevels), std::end(kLevels), in_line) &&
      std::none_of(std::begin(kMarks), std::end(kMarks), in_line))
    return "";
  std::string text;
  while (line.starts_with('[')) {
    const std::size_t end = line.find("] ");
    if (end == std::string_view::npos) break;
    const std::string_view inside = line.substr(1, end - 1);
    if (const std::size_t at = inside.find(" @ "); at != std::string_view::npos && inside.front() != 'N')
      text = std::string(inside.substr(0, at)) + ": ";
    line.remove_prefix(end + 2);
  }
  text += line.substr(0, kMostCharacters);
  for (char& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = '?';
  return text;
}

}  // namespace

void Complaints::add(std::string_view line) {
  if (line.empty() || std::find(lines_.begin(), lines_.end(), line) != lines_.end()) return;
  if (lines_.size() == kMostLines)
    more_ = true;
  else
    lines_.emplace_back(line);
}

void Complaints::add(const Complaints& more) {
  for (const std::string& line : more.lines_) add(line);
  more_ = more_ || more.more_;
}

std::string Complaints::text() const {
  std::string text;
  for (const std::string& line : lines_) text += (text.empty() ? "" : "; ") + line;
  return more_ ? text + "; and more" : text;
}

std::vector<std::string> FrameLog::words() {
  return {"-hide_banner", "-nostats", "-nostdin", "-v", "repeat+level+info"};
}

std::string FrameLog::filter() {
  return "metadata=mode=add:key=scanlens:value=1,metadata=mode=print:key=scanlens";
}

/// A frame's line is "[Parsed_metadata_2 @ 0x5a] [info] frame:7    pts:1001    pts_time:0.03".
void FrameLog::hear(std::string_view line) {
  constexpr std::string_view kFrame = "[info] frame:", kTime = " pts:";
  const std::size_t at = line.find(kTime);
  if (line.find(kFrame) == std::string_view::npos || at == std::string_view::npos) {
    since_.corrupt = since_.corrupt || line.find("corrupt decoded frame") != std::string_view::npos;
    since_.complaints.add(complaint_in(line));
    return;
  }
  const std::string_view rest = line.substr(at + kTime.size());
  since_.time = parse_whole(rest.substr(0, rest.find(' ')));
  news_.put(std::exchange(since_, {}));
}

}  // namespace scanlens
