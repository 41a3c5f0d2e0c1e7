#include "app/stats/report.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace scanlens {
namespace {

constexpr std::array<double, 2> kAlwaysAsked = {50, 99};
constexpr std::size_t kMostBins = 256;

const char* name_of(Quantity channel) {
  switch (channel) {
    case Quantity::red:
      return "red";
    case Quantity::green:
      return "green";
    case Quantity::blue:
      return "blue";
    case Quantity::alpha:
      return "alpha";
    case Quantity::depth:
      return "depth";
    default:
      return "luma";
  }
}

void fill(ChannelReport& report, const CodeCounts& codes, std::span<const double> percents) {
  report.count = codes.total();
  const std::span<const std::uint64_t> counts = codes.counts();
  report.upper = static_cast<double>(counts.size());
  const std::size_t width = counts.size() / kMostBins;
  report.bins.resize(kMostBins);
  for (std::size_t code = 0; code < counts.size(); ++code) report.bins[code / width] += counts[code];
  if (codes.total() == 0) return;
  Spread spread{static_cast<double>(codes.least()),
                static_cast<double>(codes.greatest()),
                codes.mean(),
                codes.deviation(),
                codes.percentile(50),
                {}};
  for (const double percent : percents) spread.percentiles.push_back(codes.percentile(percent));
  report.spread = std::move(spread);
}

void fill(ChannelReport& report, const FloatStatistics& floats, std::span<const double>) {
  report.count = floats.total();
  report.nan = floats.nan;
  report.infinite = floats.infinite;
  report.negative_infinite = floats.negative_infinite;
  const Moments& moments = floats.moments;
  report.bins = floats.bins;
  if (moments.count == 0) return;
  report.lower = moments.least;
  report.upper = moments.greatest;
  Spread spread{moments.least, moments.greatest, moments.mean, std::sqrt(moments.variance()), {}, {}};
  if (!floats.percentiles.empty()) {
    spread.median = floats.percentiles.front();
    spread.percentiles.assign(floats.percentiles.begin() + kAlwaysAsked.size(), floats.percentiles.end());
  }
  report.spread = std::move(spread);
}

std::string key_of(double percent) {
  return fmt::format("{}", percent);
}

Json number_or_null(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

}  // namespace

double ChannelReport::share() const {
  return pixels == 0 ? 0 : static_cast<double>(count) / static_cast<double>(pixels);
}

std::string ChannelReport::title() const {
  return tells_unit ? fmt::format("{} ({})", name, unit) : name;
}

std::vector<double> percents_asked_for(std::span<const double> percents) {
  std::vector<double> all(kAlwaysAsked.begin(), kAlwaysAsked.end());
  all.insert(all.end(), percents.begin(), percents.end());
  return all;
}

ChannelReport channel_report(const ChannelStatistics& statistics, std::span<const double> percents,
                             bool metric_depth) {
  ChannelReport report;
  report.name = name_of(statistics.channel);
  report.unit = statistics.channel == Quantity::depth                   ? (metric_depth ? "m" : "relative")
                : std::holds_alternative<CodeCounts>(statistics.values) ? "code"
                                                                        : "light";
  report.tells_unit = report.unit == "m";
  std::visit([&](const auto& values) { fill(report, values, percents); }, statistics.values);
  return report;
}

StatsReport report_of(std::span<const ChannelStatistics> statistics, std::span<const double> percents,
                      std::uint64_t pixels, bool metric_depth) {
  StatsReport report;
  report.pixels = pixels;
  report.percents.assign(percents.begin(), percents.end());
  for (const ChannelStatistics& channel : statistics)
    report.channels.emplace_back(channel_report(channel, percents, metric_depth)).pixels = pixels;
  if (!report.channels.empty()) report.chosen = report.channels.front().count;
  report.exposure = exposure_of(statistics);
  return report;
}

Json channels_json(const StatsReport& report) {
  Json list = Json::array();
  for (const ChannelReport& channel : report.channels) {
    Json entry = {
        {"name", channel.name}, {"unit", channel.unit}, {"count", channel.count}, {"share", channel.share()}};
    const bool codes = channel.unit == "code";
    const auto put = [&](const char* name, double Spread::*value, bool whole = false) {
      if (!channel.spread)
        entry[name] = nullptr;
      else if (whole)
        entry[name] = static_cast<std::int64_t>(*channel.spread.*value);
      else
        entry[name] = *channel.spread.*value;
    };
    put("min", &Spread::least, codes);
    put("max", &Spread::greatest, codes);
    put("mean", &Spread::mean);
    put("stddev", &Spread::deviation);
    const bool ranked = channel.spread && channel.spread->median;
    entry["median"] = ranked ? Json(*channel.spread->median) : Json(nullptr);
    Json percentiles = Json::object();
    for (std::size_t i = 0; i < report.percents.size(); ++i)
      percentiles[key_of(report.percents[i])] = ranked ? Json(channel.spread->percentiles[i]) : Json(nullptr);
    entry["percentiles"] = std::move(percentiles);
    if (!codes) {
      if (channel.name == "depth") entry["unknown"] = channel.nan;
      entry["nan"] = channel.nan;
      entry["inf"] = channel.infinite;
      entry["negative_inf"] = channel.negative_infinite;
    }
    if (channel.bins.empty())
      entry["histogram"] = nullptr;
    else
      entry["histogram"] = {{"lower", channel.lower}, {"upper", channel.upper}, {"counts", channel.bins}};
    list.push_back(std::move(entry));
  }
  return list;
}

Json exposure_json(const std::optional<Exposure>& exposure) {
  if (!exposure) return nullptr;
  return {{"at_black", number_or_null(exposure->at_black)},
          {"at_white", number_or_null(exposure->at_white)},
          {"stops_to_middle_grey", number_or_null(exposure->to_middle_grey)},
          {"stops_before_clipping", number_or_null(exposure->before_clipping)},
          {"stops_suggested", number_or_null(exposure->suggested)}};
}

}  // namespace scanlens
