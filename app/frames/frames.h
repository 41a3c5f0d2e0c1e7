// The frames of a sequence: found by their pattern, and what is missing between them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/frames/frame_pattern.h"

namespace scanlens {

/// The frames from `first` to `last`, both included.
struct FrameSpan {
  std::int64_t first = 0, last = 0;
};

/// Throws Error (usage) unless the text is "A-B" with A <= B, or "A" for that frame alone.
FrameSpan parse_frames(std::string_view text);

/// Returns the frames that are there, by their numbers. Throws Error if no frame is there or the folder
/// cannot be read, and Error (usage) where two names have the same number.
std::vector<Frame> find_frames(const FramePattern& pattern);

/// Returns what is wrong with a pattern that passes over files whose numbers are padded otherwise, and what
/// takes them; nothing where none is passed over.
std::string passed_over(const FramePattern& pattern);

/// Returns those of the frames that lie in the span.
std::vector<Frame> within(const std::vector<Frame>& frames, const FrameSpan& span);

/// Returns "3, 7-9" where these numbers lie in the span but are not among the frames; empty where none is
/// missing. A long list ends with the count of the rest.
std::string missing_from(const std::vector<Frame>& frames, const FrameSpan& span);

}  // namespace scanlens
