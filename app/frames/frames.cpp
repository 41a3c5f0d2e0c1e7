#include "app/frames/frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "filters/amount.h"

namespace scanlens {
namespace {

namespace fs = std::filesystem;

/// Gaps that a message names.
constexpr std::size_t kMostGaps = 20;

std::string span_text(const FrameSpan& span) {
  return span.first == span.last ? fmt::format("{}", span.first)
                                 : fmt::format("{}-{}", span.first, span.last);
}

}  // namespace

FrameSpan parse_frames(std::string_view text) {
  const std::size_t dash = text.find('-');
  const std::optional<std::int64_t> first = parse_whole(text.substr(0, dash));
  const std::optional<std::int64_t> last =
      dash == std::string_view::npos ? first : parse_whole(text.substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first)
    throw Error(ErrorKind::usage,
                fmt::format("--frames takes the first and the last, as in 0-48, not '{}'", text));
  return {*first, *last};
}

namespace {

std::vector<Frame> frames_in_folder(const FramePattern& pattern) {
  std::vector<Frame> frames;
  std::error_code error;
  for (fs::directory_iterator at(pattern.folder(), error), end; !error && at != end; at.increment(error))
    if (std::optional<Frame> frame = pattern.match(at->path().filename().string()))
      frames.push_back(std::move(*frame));
  if (error)
    throw Error(fmt::format("{}: the folder cannot be read: {}", pattern.folder().string(), error.message()));
  return frames;
}

}  // namespace

std::string passed_over(const FramePattern& pattern) {
  std::vector<Frame> others = frames_in_folder(pattern.starred());
  const FramePattern star = pattern.starred();
  std::erase_if(others, [&](const Frame& frame) {
    return pattern.match(star.path_of(frame).filename().string()).has_value();
  });
  if (others.empty()) return "";
  const std::size_t digits = others.front().digits.size();
  const bool same = std::all_of(others.begin(), others.end(),
                                [&](const Frame& frame) { return frame.digits.size() == digits; });
  const auto first = std::min_element(others.begin(), others.end(),
                                      [](const Frame& a, const Frame& b) { return a.number < b.number; });
  return fmt::format("{}: {} file{} such as {} {} numbered otherwise; '{}' takes {}", pattern.text(),
                     others.size(), others.size() == 1 ? "" : "s", star.path_of(*first).filename().string(),
                     others.size() == 1 ? "is" : "are",
                     pattern.text_with(same && digits > 1 ? fmt::format("%0{}d", digits)
                                       : same             ? "%d"
                                                          : "*"),
                     others.size() == 1 ? "it" : "them");
}

std::vector<Frame> find_frames(const FramePattern& pattern) {
  std::vector<Frame> frames = frames_in_folder(pattern);
  if (frames.empty()) {
    const std::string others = passed_over(pattern);
    throw Error(others.empty() ? fmt::format("{}: no such file: no frame has such a name", pattern.text())
                               : fmt::format("{}: no such file; {}", pattern.text(),
                                             others.substr(pattern.text().size() + 2)));
  }
  std::sort(frames.begin(), frames.end(), [](const Frame& a, const Frame& b) {
    return a.number != b.number ? a.number < b.number : a.digits < b.digits;
  });
  const auto same = std::adjacent_find(frames.begin(), frames.end(),
                                       [](const Frame& a, const Frame& b) { return a.number == b.number; });
  if (same != frames.end())
    throw Error(ErrorKind::usage,
                fmt::format("{} and {} are both frame {}; a pattern such as %04d tells them apart",
                            pattern.path_of(*same).string(), pattern.path_of(*std::next(same)).string(),
                            same->number));
  return frames;
}

std::vector<Frame> within(const std::vector<Frame>& frames, const FrameSpan& span) {
  std::vector<Frame> chosen;
  std::copy_if(frames.begin(), frames.end(), std::back_inserter(chosen),
               [&](const Frame& frame) { return frame.number >= span.first && frame.number <= span.last; });
  return chosen;
}

std::string missing_from(const std::vector<Frame>& frames, const FrameSpan& span) {
  std::vector<FrameSpan> gaps;
  std::int64_t next = span.first;
  for (const Frame& frame : frames) {
    if (frame.number > next) gaps.push_back({next, frame.number - 1});
    next = frame.number + 1;
  }
  if (next <= span.last) gaps.push_back({next, span.last});

  std::string list;
  std::int64_t unnamed = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    if (i < kMostGaps)
      list += (i == 0 ? "" : ", ") + span_text(gaps[i]);
    else
      unnamed += gaps[i].last - gaps[i].first + 1;
  }
  return unnamed > 0 ? fmt::format("{} and {} more", list, unnamed) : list;
}

}  // namespace scanlens
