#include "app/stats/merged.h"

#include <algorithm>
#include <variant>

namespace scanlens {

MergedStatistics::Unit MergedStatistics::unit_of(const ChannelStatistics& channel, bool metric_depth) {
  if (channel.channel == Quantity::depth) return metric_depth ? Unit::metre : Unit::relative;
  return std::holds_alternative<CodeCounts>(channel.values) ? Unit::code : Unit::light;
}

void MergedStatistics::add(std::size_t place, const PictureStatistics& picture) {
  const std::lock_guard lock(mutex_);
  pixels_ += picture.pixels;
  for (const ChannelStatistics& channel : picture.channels) {
    Channel& known = channels_[{unit_of(channel, picture.metric_depth), channel.channel}];
    known.pixels += picture.pixels;
    if (const auto* codes = std::get_if<CodeCounts>(&channel.values)) {
      const bool is_wide = codes->counts().size() > 256;
      widens_ |= is_wide;
      (is_wide ? known.of_16_bits : known.of_8_bits).merge(*codes);
    } else {
      FloatStatistics unranked = std::get<FloatStatistics>(channel.values);
      unranked.percentiles = {};
      unranked.bins = {};
      known.floats.emplace_back(place, std::move(unranked));
    }
  }
  if (!picture.channels.empty())
    chosen_ += std::visit([](const auto& values) { return values.total(); }, picture.channels[0].values);
}

void MergedStatistics::add(std::size_t place, const MergedStatistics& clip) {
  const std::scoped_lock lock(mutex_, clip.mutex_);
  pixels_ += clip.pixels_;
  chosen_ += clip.chosen_;
  widens_ |= clip.widens_;
  for (const auto& [key, channel] : clip.channels_) {
    Channel& known = channels_[key];
    known.pixels += channel.pixels;
    known.of_8_bits.merge(channel.of_8_bits);
    known.of_16_bits.merge(channel.of_16_bits);
    if (!channel.floats.empty()) known.floats.emplace_back(place, all_floats(channel));
  }
}

CodeCounts MergedStatistics::all_codes(const Channel& channel) const {
  if (!widens_) return channel.of_8_bits;
  CodeCounts all = channel.of_8_bits.widened();
  all.merge(channel.of_16_bits);
  return all;
}

FloatStatistics MergedStatistics::all_floats(const Channel& channel) {
  auto parts = channel.floats;
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  FloatStatistics all;
  for (const auto& [place, part] : parts) all.merge(part);
  return all;
}

StatsReport MergedStatistics::report(std::span<const double> percents) const {
  const std::lock_guard lock(mutex_);
  StatsReport report{pixels_, chosen_, {percents.begin(), percents.end()}, {}, {}};
  const auto holds = [&](Unit unit) {
    return std::any_of(channels_.begin(), channels_.end(),
                       [&](const auto& channel) { return channel.first.first == unit; });
  };
  const bool is_mixed = holds(Unit::code) && holds(Unit::light);
  for (const auto& [key, channel] : channels_) {
    const auto& [unit, name] = key;
    ChannelStatistics all{name, {}};
    if (unit == Unit::code)
      all.values = all_codes(channel);
    else
      all.values = all_floats(channel);
    ChannelReport& added = report.channels.emplace_back(channel_report(all, percents, unit == Unit::metre));
    added.pixels = channel.pixels;
    added.tells_unit |= unit == Unit::relative || (is_mixed && unit != Unit::metre);
  }
  return report;
}

}  // namespace scanlens
