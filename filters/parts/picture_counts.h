// Statistics of a whole picture that a filter asks for before it works on the pixels.
#pragma once

#include <span>
#include <vector>

#include "core/context.h"
#include "core/runtime/count.h"
#include "filters/statistics.h"

namespace scanlens {

/// Returns the statistics of each channel of all pixels; none where the context counts. Waits for the device.
template <class T>
std::vector<ChannelStatistics> picture_statistics(Context& context, View<const T> image,
                                                  std::span<const double> percents) {
  PixelSources<T> sources;
  sources.image = image;
  if (!counts(context)) return pixel_statistics<T>(context, sources, {}, percents);
  Workspace(context).take<std::byte>(
      pixel_statistics_workspace(image.width, image.height, image.channels, sizeof(T), false, false));
  return {};
}

/// Returns a percentile of a channel: the one that was asked for in this place.
inline double percentile_at(const ChannelStatistics& channel, std::span<const double> percents,
                            std::size_t place) {
  if (const auto* codes = std::get_if<CodeCounts>(&channel.values)) return codes->percentile(percents[place]);
  const auto& floats = std::get<FloatStatistics>(channel.values);
  return floats.percentiles.empty() ? 0 : floats.percentiles[place];
}

}  // namespace scanlens
