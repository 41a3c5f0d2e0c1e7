// The histogram of what the viewer shows, from the statistics pass.
#include <algorithm>
#include <cmath>
#include <variant>

#include "app/gl/download.h"
#include "app/photo/readable.h"
#include "app/viewer/model/placement.h"
#include "app/viewer/model/screen_formula.h"
#include "app/viewer/model/stage.h"
#include "core/image.h"
#include "filters/color.h"
#include "filters/statistics.h"

namespace scanlens {
namespace {

constexpr std::size_t kBins = 256;

/// Returns the counts of codes, brought to 256 bins.
std::vector<float> binned(const CodeCounts& counts) {
  std::vector<float> bins(kBins);
  const std::size_t per_bin = counts.counts().size() / kBins;
  for (std::size_t code = 0; code < counts.counts().size(); ++code)
    bins[code / std::max<std::size_t>(per_bin, 1)] += static_cast<float>(counts.counts()[code]);
  return bins;
}

/// A part of a picture, in pixels.
struct Part {
  std::int64_t x, y, width, height;
};

template <class T>
SeenHistogram counted(Context& compute, const Image<T>& host, const Part& part) {
  const Readable<T> image(compute, host);
  PixelSources<T> sources;
  sources.image = image.view().region(part.x, part.y, part.width, part.height);
  SeenHistogram histogram;
  for (const ChannelStatistics& channel : pixel_statistics<T>(compute, sources, {}, {}))
    if (channel.channel != Quantity::alpha && (channel.channel != Quantity::luma || host.channels() == 1))
      histogram.channels.push_back(binned(std::get<CodeCounts>(channel.values)));
  return histogram;
}

/// Encodes light as the window shows it, so that its histogram is of what is seen.
Image<std::uint8_t> encoded(const Image<float>& light, double exposure, float brightest) {
  Image<std::uint8_t> codes(light.width(), light.height(), light.channels());
  const auto factor = static_cast<float>(std::exp2(exposure));
  std::transform(light.view().data, light.view().data + light.view().extent(), codes.view().data,
                 [&](float value) {
                   return static_cast<std::uint8_t>(
                       255 * linear_to_srgb(tone_mapped(value * factor, brightest * factor)) + 0.5f);
                 });
  return codes;
}

}  // namespace

void Stage::make_histogram() {
  if (!at_rest() || !result_) return;
  const bool of_input = open_.state.seen_view(open_.has_depth()) == ShownView::input;
  Values of = filter_of_;
  // The texels that lie in the area.
  const Placement placement(open_.state, open_.area(), glm::dvec2(open_.size()));
  const glm::dvec2 texels(image_->width(), image_->height()), per_pixel = texels / glm::dvec2(open_.size());
  const glm::dvec2 first = glm::clamp(glm::floor(placement.to_picture(open_.area().from) * per_pixel),
                                      glm::dvec2(0), texels - 1.0);
  const glm::dvec2 end =
      glm::clamp(glm::ceil(placement.to_picture(open_.area().end()) * per_pixel), first + 1.0, texels);
  const Part part{static_cast<std::int64_t>(first.x), static_cast<std::int64_t>(first.y),
                  static_cast<std::int64_t>(end.x - first.x), static_cast<std::int64_t>(end.y - first.y)};
  of.insert(of.end(), {open_.state.exposure, static_cast<double>(of_input), first.x, first.y, end.x, end.y});
  // The picture is not brought to the host for every frame of a pan.
  const bool still = of == histogram_wanted_;
  histogram_wanted_ = of;
  if (!still || of == histogram_of_) return;
  const Texture& seen = of_input ? image_->color() : *result_;
  const int channels = image_->channels == 1 ? 1 : 3;
  histogram_ =
      image_->bits == 8    ? counted(compute_, download_texture<std::uint8_t>(gl_, seen, channels), part)
      : image_->bits == 16 ? counted(compute_, download_texture<std::uint16_t>(gl_, seen, channels), part)
                           : counted(compute_,
                                     encoded(download_texture<float>(gl_, seen, channels),
                                             open_.state.exposure, image_->brightest),
                                     part);
  float most = 1;
  // Black and white, which a frame or a sky fills, would leave the rest flat.
  for (const auto& bins : histogram_.channels)
    most = std::max(most, *std::max_element(bins.begin() + 1, bins.end() - 1));
  for (auto& bins : histogram_.channels)
    for (float& bin : bins) bin = std::min(bin / most, 1.f);
  histogram_of_ = std::move(of);
}

}  // namespace scanlens
