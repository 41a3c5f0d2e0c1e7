#include "app/stats/picture_statistics.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "app/photo/readable.h"
#include "app/stats/report.h"

namespace scanlens {

void require_channels(const Selection& selection, const Picture& picture, const std::string& name) {
  const auto refuse = [&](const char* what) {
    throw Error(ErrorKind::usage, fmt::format("{}: --where uses {}", name, what));
  };
  for (const Quantity color : {Quantity::red, Quantity::green, Quantity::blue})
    if (selection.asks_for(color) && picture.channels() == 1)
      refuse("a colour, but this picture is grey; use luma");
  if (selection.asks_for(Quantity::alpha) && picture.channels() != 4)
    refuse("alpha, but this picture has no alpha");
}

PictureStatistics picture_statistics(Context& context, const StatsSources& sources,
                                     const Selection& selection, std::span<const double> percents,
                                     const std::string& name, Talk& talk) {
  // References, because clang 14 captures no structured bindings.
  const Picture& picture = sources.picture;
  const auto& depth = sources.depth;
  const Image<float>& mask = sources.mask;
  const std::int64_t pixels = picture.width() * picture.height();
  const int sample_bytes =
      static_cast<int>(picture.bytes() / static_cast<std::size_t>(pixels * picture.channels()));
  const auto copies = static_cast<std::int64_t>(picture.bytes() + mask.bytes() + depth.disparity.bytes());
  talk.settings.require_memory(
      context, name, 0,
      (context.on_cuda() ? copies : 0) +
          pixel_statistics_workspace(picture.width(), picture.height(), picture.channels(), sample_bytes,
                                     !depth.disparity.empty(), !selection.chooses_all()));
  const std::vector<double> asked = percents_asked_for(percents);
  auto channels = std::visit(
      [&]<class T>(const Image<T>& image) {
        std::optional<Readable<T>> samples;
        std::optional<Readable<float>> disparity, shares;
        talk.timed("upload", [&] {
          samples.emplace(context, image);
          disparity.emplace(context, depth.disparity);
          shares.emplace(context, mask);
        });
        const PixelSources<T> views{samples->view(), disparity->view(), shares->view(), depth.metric,
                                    sources.blur};
        return talk.timed("statistics", [&] {
          return about(name, [&] { return pixel_statistics(context, views, selection, asked); });
        });
      },
      picture.samples);
  return {static_cast<std::uint64_t>(pixels), depth.metric, std::move(channels)};
}

}  // namespace scanlens
