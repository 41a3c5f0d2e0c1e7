// Reads ffmpeg's messages while it decodes, line by line: the time of each frame, and which frames are
// broken.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/work/channel.h"
#include "app/work/process.h"

namespace scanlens {

/// Complaints, each once, the first few of them.
class Complaints {
 public:
  void add(std::string_view line);
  void add(const Complaints& more);
  bool empty() const { return lines_.empty(); }
  void clear() { *this = {}; }
  std::string text() const;  ///< on one line

 private:
  std::vector<std::string> lines_;
  bool more_ = false;
};

/// A frame on its way.
struct FrameNews {
  std::optional<std::int64_t> time;  ///< in steps of the time base; empty: unknown
  bool corrupt = false;              ///< decoded in part
  Complaints complaints;             ///< since the frame before
};

/// Separates frames from complaints. ffmpeg prints both on standard error, in order, so that a frame's
/// complaints stand before it. Threads that decode ahead complain some frames too early.
class FrameLog : public Hearer {
 public:
  /// The words of ffmpeg's command line that make it talk so.
  static std::vector<std::string> words();

  /// The filter that makes it say each frame's time.
  static std::string filter();

  void hear(std::string_view line) override;
  void end() override { news_.end(); }

  /// Waits for the next frame. Returns nothing after the last one.
  std::optional<FrameNews> next() { return news_.take(); }

  /// Returns the complaints behind the last frame. After the end.
  const Complaints& rest() const { return since_.complaints; }

 private:
  Channel<FrameNews> news_{std::numeric_limits<std::size_t>::max()};  // ffmpeg waits for who takes the pixels
  FrameNews since_;
};

}  // namespace scanlens
