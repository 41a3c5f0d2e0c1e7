// Statistics for people at a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "app/stats/report.h"

namespace scanlens {
namespace {

constexpr std::size_t kBars = 64;

using Row = std::vector<std::string>;

std::string number_text(double value) {
  return fmt::format("{:.6g}", value);
}

/// Lays rows out in columns: the first to the left, all others to the right.
std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string text;
  for (const Row& row : rows) {
    std::string line = fmt::format("{:<{}}", row[0], widths[0]);
    for (std::size_t c = 1; c < row.size(); ++c) line += fmt::format("  {:>{}}", row[c], widths[c]);
    text += line + '\n';
  }
  return text;
}

Row row_of(const StatsReport& report, const ChannelReport& channel) {
  Row row = {channel.title()};
  if (!channel.spread) {
    row.resize(6 + report.percents.size(), "-");
    return row;
  }
  const Spread& spread = *channel.spread;
  for (const double value : {spread.least, spread.greatest, spread.mean, spread.deviation})
    row.push_back(number_text(value));
  if (!spread.median) {
    row.resize(6 + report.percents.size(), "-");
    return row;
  }
  row.push_back(number_text(*spread.median));
  for (const double value : spread.percentiles) row.push_back(number_text(value));
  return row;
}

/// Returns a bar for every few bins, as high as the fullest of them allows.
std::string bars_of(const ChannelReport& channel, bool unicode) {
  static constexpr std::array<std::string_view, 9> kBlocks = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static constexpr std::array<std::string_view, 9> kAscii = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
  std::array<std::uint64_t, kBars> bars{};
  for (std::size_t i = 0; i < channel.bins.size(); ++i)
    bars[i * kBars / channel.bins.size()] += channel.bins[i];
  const std::uint64_t most = std::max<std::uint64_t>(1, *std::max_element(bars.begin(), bars.end()));
  std::string text;
  for (const std::uint64_t bar : bars) {
    const double height = 8 * static_cast<double>(bar) / static_cast<double>(most);
    // A value above 0 is always visible.
    const std::size_t step = bar == 0 ? 0 : std::max<std::size_t>(1, static_cast<std::size_t>(height + 0.5));
    text += unicode ? kBlocks[step] : kAscii[step];
  }
  return text;
}

std::string bars_of(const StatsReport& report, bool unicode) {
  std::size_t width = 0;
  for (const ChannelReport& channel : report.channels) width = std::max(width, channel.title().size());
  std::string text;
  for (const ChannelReport& channel : report.channels)
    if (channel.spread && !channel.bins.empty())
      text += fmt::format("{:<{}}  |{}|  {} .. {}\n", channel.title(), width, bars_of(channel, unicode),
                          number_text(channel.lower),
                          number_text(channel.unit == "code" ? channel.upper - 1 : channel.upper));
  return text;
}

/// Returns a line for each channel with samples that count nowhere else.
std::string not_finite_of(const StatsReport& report) {
  std::string text;
  for (const ChannelReport& channel : report.channels)
    if (const std::uint64_t count = channel.nan + channel.infinite + channel.negative_infinite; count > 0)
      text += fmt::format(
          "{}: {} of {} samples are not finite ({} NaN, {} inf, {} -inf) and count nowhere else\n",
          channel.title(), count, channel.count, channel.nan, channel.infinite, channel.negative_infinite);
  return text;
}

}  // namespace

std::string table_of(const StatsReport& report, bool unicode) {
  const double share =
      static_cast<double>(report.chosen) / static_cast<double>(std::max<std::uint64_t>(1, report.pixels));
  std::string text = fmt::format("{} of {} pixels, {:.4g} %\n\n", report.chosen, report.pixels, 100 * share);
  std::vector<Row> rows = {{"channel", "least", "greatest", "mean", "stddev", "median"}};
  for (const double percent : report.percents) rows[0].push_back(fmt::format("{} %", percent));
  for (const ChannelReport& channel : report.channels) rows.push_back(row_of(report, channel));
  text += aligned(rows);
  if (const std::string bars = bars_of(report, unicode); !bars.empty()) text += '\n' + bars;
  if (const std::string others = not_finite_of(report); !others.empty()) text += '\n' + others;
  if (report.exposure) text += '\n' + report.exposure->sentence() + '\n';
  return text;
}

bool speaks_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    std::string lower(value);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower.find("utf-8") != std::string::npos || lower.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace scanlens
