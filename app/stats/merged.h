// Statistics of many pictures, from those of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "app/stats/picture_statistics.h"
#include "app/stats/report.h"

namespace scanlens {

/// Merges the statistics of pictures, the same whatever the order in which they come. A channel is merged
/// with those of its name and unit: codes with codes, light with light, metres with metres.
///
/// Codes are counted, so all that is said of them is exact: what it would be of all pictures' samples in one.
/// Where there are pictures of 8 and of 16 bits, codes of 8 count as 257 times themselves, which is the same
/// share of white. For floats and depth count, least and greatest are exact; mean and deviation are as near
/// as doubles come; their median and percentiles would take all samples at once, and so are missing.
///
/// Memory: less than 1 MB a channel of codes, and 120 bytes a picture and channel of floats. Safe for use by
/// any threads.
class MergedStatistics {
 public:
  /// Adds a picture. `place` is its own, and decides the order in which floats are added up.
  void add(std::size_t place, const PictureStatistics& picture);
  /// Adds what was merged of a clip's frames, as one picture of this place.
  void add(std::size_t place, const MergedStatistics& clip);

  /// Returns the report: channels of codes before those of light, then depth in metres, then relative depth.
  StatsReport report(std::span<const double> percents) const;

 private:
  enum class Unit { code, light, metre, relative };
  struct Channel {
    std::uint64_t pixels = 0;
    CodeCounts of_8_bits, of_16_bits;
    std::vector<std::pair<std::size_t, FloatStatistics>> floats;  ///< with their places
  };
  CodeCounts all_codes(const Channel& channel) const;
  static FloatStatistics all_floats(const Channel& channel);
  static Unit unit_of(const ChannelStatistics& channel, bool metric_depth);

  mutable std::mutex mutex_;
  std::uint64_t pixels_ = 0, chosen_ = 0;
  bool widens_ = false;  ///< true if there are codes of 16 bits
  std::map<std::pair<Unit, Quantity>, Channel> channels_;
};

}  // namespace scanlens
