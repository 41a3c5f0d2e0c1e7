// Histograms as an SVG, one below the other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "app/io/text.h"
#include "app/stats/report.h"
#include "core/error.h"

namespace scanlens {
namespace {

constexpr double kWidth = 768, kHeight = 140;  ///< of a histogram
constexpr double kLeft = 24, kTop = 56, kPitch = kHeight + 64;

std::string_view color_of(const ChannelReport& channel) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kColors = {
      {{"red", "#c8322b"}, {"green", "#2f8f3a"}, {"blue", "#2b62c8"}, {"depth", "#8a4fb0"}}};
  for (const auto& [name, color] : kColors)
    if (channel.name == name) return color;
  return "#555555";
}

std::string text_at(double x, double y, std::string_view anchor, std::string_view text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor,
                     markup_text(text));
}

/// Returns the outline of the bins, as high as the square roots of their counts, so that rare tones are seen.
std::string outline(std::span<const std::uint64_t> bins, double bottom) {
  const double most = std::sqrt(static_cast<double>(*std::max_element(bins.begin(), bins.end())));
  const double step = kWidth / static_cast<double>(bins.size());
  std::string path = fmt::format("M{:.2f} {:.2f}", kLeft, bottom);
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const double x = kLeft + step * static_cast<double>(i);
    const double y = bottom - kHeight * std::sqrt(static_cast<double>(bins[i])) / most;
    path += fmt::format("L{:.2f} {:.2f}L{:.2f} {:.2f}", x, y, x + step, y);
  }
  return path + fmt::format("L{:.2f} {:.2f}Z", kLeft + kWidth, bottom);
}

/// Returns a line from the top to the bottom of the histogram at the median.
std::string median_line(const ChannelReport& channel, double bottom) {
  const double width = channel.upper - channel.lower;
  // A code stands for the middle of its bin.
  const double value = *channel.spread->median + (channel.unit == "code" ? 0.5 : 0);
  const double x = kLeft + kWidth * (width > 0 ? (value - channel.lower) / width : 0);
  return fmt::format("<path d=\"M{:.2f} {:.2f}V{:.2f}\" stroke=\"black\" stroke-dasharray=\"4 3\"/>\n", x,
                     bottom - kHeight, bottom);
}

std::string histogram_of(const ChannelReport& channel, double bottom) {
  const double top = bottom - kHeight, right = kLeft + kWidth;
  std::string svg =
      fmt::format("<path d=\"M{0:.2f} {1:.2f}H{2:.2f}\" stroke=\"#999999\"/>\n", kLeft, bottom, right);
  const std::string name = channel.title();
  if (!channel.spread) return svg + text_at(kLeft, top - 8, "start", name + ": no samples");
  const Spread& spread = *channel.spread;
  if (!spread.median)
    return svg +
           text_at(kLeft, top - 8, "start", name + ": no histogram, as these are floats of many pictures");
  svg += text_at(kLeft, top - 8, "start", name);
  svg += text_at(right, top - 8, "end",
                 fmt::format("median {:.6g}, mean {:.6g}, standard deviation {:.6g}", *spread.median,
                             spread.mean, spread.deviation));
  svg += fmt::format("<path d=\"{}\" fill=\"{}\" fill-opacity=\"0.75\"/>\n", outline(channel.bins, bottom),
                     color_of(channel));
  svg += median_line(channel, bottom);
  svg += text_at(kLeft, bottom + 18, "start", fmt::format("{:.6g}", channel.lower));
  svg += text_at(right, bottom + 18, "end",
                 fmt::format("{:.6g}", channel.unit == "code" ? channel.upper - 1 : channel.upper));
  return svg;
}

}  // namespace

std::string stats_svg(const StatsReport& report, const std::string& title) {
  const double width = kWidth + 2 * kLeft;
  const double height = kTop + kPitch * static_cast<double>(report.channels.size());
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"13\" fill=\"black\">\n<rect width=\"{0}\" height=\"{1}\" "
      "fill=\"white\"/>\n",
      width, height);
  svg += text_at(kLeft, 24, "start", title);
  svg += text_at(kLeft + kWidth, 24, "end", "height: square root of the count");
  double bottom = kTop + kHeight + 16;
  for (const ChannelReport& channel : report.channels) {
    svg += histogram_of(channel, bottom);
    bottom += kPitch;
  }
  return svg + "</svg>\n";
}

void check_stats_plot(const std::filesystem::path& file, const std::filesystem::path& input,
                      Overwrite overwrite) {
  if (file.extension() != ".svg")
    throw Error(ErrorKind::usage, "--plot " + file.string() + ": the name must end in .svg");
  check_target(file, input, overwrite);
}

void plot_stats(const std::filesystem::path& file, const StatsReport& report, const std::string& title,
                Overwrite overwrite) {
  const std::string svg = stats_svg(report, title);
  write_file(file, std::as_bytes(std::span(svg)), overwrite);
}

}  // namespace scanlens
