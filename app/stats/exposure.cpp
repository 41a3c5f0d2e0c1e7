#include "app/stats/exposure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "filters/color.h"

namespace scanlens {
namespace {

constexpr double kMiddleGrey = 0.18;

/// Median and 99th percentile in linear light, 1 being white.
struct Tones {
  double median = 0, bright = 0;
};

Tones tones_of(const CodeCounts& codes) {
  const double white = static_cast<double>(codes.counts().size() - 1);
  const auto light = [&](double percent) {
    return static_cast<double>(srgb_to_linear(static_cast<float>(codes.percentile(percent) / white)));
  };
  return {light(50), light(99)};
}
Tones tones_of(const FloatStatistics& floats) {
  return {floats.percentiles[0], floats.percentiles[1]};
}

bool is_empty(const CodeCounts& codes) {
  return codes.total() == 0;
}
bool is_empty(const FloatStatistics& floats) {
  return floats.percentiles.size() < 2;
}

std::optional<double> stops(double from, double to) {
  if (!(from > 0)) return std::nullopt;
  return std::log2(to / from);
}

void raise(std::optional<double>& share, std::uint64_t count, std::uint64_t total) {
  share = std::max(share.value_or(0), static_cast<double>(count) / static_cast<double>(total));
}

std::string stops_text(double stops) {
  return fmt::format("{:+.1f} stops", std::abs(stops) < 0.05 ? 0.0 : stops);
}

}  // namespace

std::optional<Exposure> exposure_of(std::span<const ChannelStatistics> channels) {
  Exposure exposure;
  bool found = false;
  for (const ChannelStatistics& channel : channels) {
    const bool color = channel.channel <= Quantity::blue, luma = channel.channel == Quantity::luma;
    if (!color && !luma) continue;
    if (std::visit([](const auto& values) { return is_empty(values); }, channel.values)) return std::nullopt;
    if (const auto* codes = std::get_if<CodeCounts>(&channel.values);
        codes && (color || channels.front().channel == Quantity::luma)) {
      raise(exposure.at_black, codes->counts().front(), codes->total());
      raise(exposure.at_white, codes->counts().back(), codes->total());
    }
    if (!luma) continue;
    found = true;
    const Tones tones = std::visit([](const auto& values) { return tones_of(values); }, channel.values);
    exposure.to_middle_grey = stops(tones.median, kMiddleGrey);
    exposure.before_clipping = stops(tones.bright, 1);
  }
  if (!found) return std::nullopt;
  if (exposure.to_middle_grey && exposure.before_clipping)
    exposure.suggested = std::min(*exposure.to_middle_grey, *exposure.before_clipping);
  return exposure;
}

std::string Exposure::sentence() const {
  std::string text = "exposure: ";
  if (at_white)
    text += fmt::format("{:.3g} % of the pixels are at white, {:.3g} % at black; ", 100 * *at_white,
                        100 * *at_black);
  if (!to_middle_grey) return text + "the median is black";
  text += fmt::format("{} would bring the median to middle grey (18 %)", stops_text(*to_middle_grey));
  if (suggested && *suggested < *to_middle_grey)
    text += fmt::format(", but beyond {} more than 1 % would reach white", stops_text(*suggested));
  return text;
}

}  // namespace scanlens
