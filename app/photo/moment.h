// Moments of moving pictures, as people write them: 48 is a frame, 2.5s and 1:02.5 are seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace scanlens {

/// A frame by its number, or a time in seconds. Both count from 0, where the clip begins.
struct Moment {
  double at = 0;
  bool timed = false;  ///< in seconds

  std::int64_t frame() const { return static_cast<std::int64_t>(at); }
  std::string text() const;  ///< "frame 48", "2.5 s"
};

/// Reads all of the text: "48", "2.5s", "1:02.5" (minutes), "1:00:02.5" (hours). Returns nothing for all
/// else.
std::optional<Moment> parse_moment(std::string_view text);

/// Lists those forms for a message: "a frame's number (48), seconds (2.5s) or a time (1:02.5)".
std::string moment_forms();

}  // namespace scanlens
