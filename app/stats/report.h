// Statistics of pixels as tables, as JSON and as plots.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/io/file.h"
#include "app/io/json.h"
#include "app/stats/exposure.h"
#include "filters/statistics.h"

namespace scanlens {

/// Holds what is said of a channel's finite samples. Codes stay codes.
struct Spread {
  double least = 0, greatest = 0, mean = 0, deviation = 0;
  std::optional<double> median;  ///< nothing, and no percentiles, of floats of many pictures
  std::vector<double> percentiles;
};

struct ChannelReport {
  std::string name;          ///< "red", "luma", "depth"
  std::string unit;          ///< "code", "light", "m" or "relative"
  bool tells_unit = false;   ///< true if people are told the unit, too
  std::uint64_t pixels = 0;  ///< of the pictures that have this channel
  std::uint64_t count = 0;   ///< chosen samples, those that are not finite among them
  std::uint64_t nan = 0, infinite = 0, negative_infinite = 0;
  std::optional<Spread> spread;     ///< nothing where no sample is finite
  double lower = 0, upper = 0;      ///< what `bins` reach from and to, equally wide
  std::vector<std::uint64_t> bins;  ///< at most 256; none of floats of many pictures

  double share() const;       ///< count / pixels
  std::string title() const;  ///< the name, and the unit where people are told it
};

struct StatsReport {
  std::uint64_t pixels = 0, chosen = 0;
  std::vector<double> percents;
  std::vector<ChannelReport> channels;
  std::optional<Exposure> exposure;  ///< nothing for many pictures
};

/// Returns the report of one channel's statistics, without its pixels. Those of floats hold the percentiles
/// of percents_asked_for(percents), or none.
ChannelReport channel_report(const ChannelStatistics& statistics, std::span<const double> percents,
                             bool metric_depth);

/// Returns what pixel_statistics has to be asked for: the median, what the exposure takes, then `percents`.
std::vector<double> percents_asked_for(std::span<const double> percents);

/// Returns the report of what pixel_statistics found for percents_asked_for(percents).
StatsReport report_of(std::span<const ChannelStatistics> statistics, std::span<const double> percents,
                      std::uint64_t pixels, bool metric_depth);

/// Returns a table for people, and a line of bars for each channel: blocks of Unicode, or ASCII.
std::string table_of(const StatsReport& report, bool unicode);

/// Returns true if the environment asks for text in UTF-8.
bool speaks_utf8();

/// Returns "channels" and "exposure" as --json has them.
Json channels_json(const StatsReport& report);
Json exposure_json(const std::optional<Exposure>& exposure);

/// Throws Error before any work is done when plot_stats could not write to this file.
void check_stats_plot(const std::filesystem::path& file, const std::filesystem::path& input,
                      Overwrite overwrite);

/// Writes an SVG with a histogram for each channel. All or nothing.
void plot_stats(const std::filesystem::path& file, const StatsReport& report, const std::string& title,
                Overwrite overwrite);

/// Returns the SVG.
std::string stats_svg(const StatsReport& report, const std::string& title);

}  // namespace scanlens
