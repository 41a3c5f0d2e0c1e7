#include "app/io/gain_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/color/profile.h"

namespace scanlens {
namespace {

/// Returns the light of a code from 0 to 1 by BT.709.
double light_by_bt709(double code) {
  return code < 0.081 ? code / 4.5 : std::pow((code + 0.099) / 1.099, 1 / 0.45);
}

/// Returns the gain of a sample from 0 to 1, in stops.
float gain_of_share(const GainMap& map, std::size_t channel, double share) {
  const double least = map.least[channel], most = map.most[channel];
  if (map.by_apple) return static_cast<float>(std::log2(1 + light_by_bt709(share) * (std::exp2(most) - 1)));
  return static_cast<float>(least + std::pow(share, 1 / map.gamma[channel]) * (most - least));
}

/// Returns the gain of each sample of a channel.
Image<float> gains_of(const GainMap& map, std::size_t channel) {
  return std::visit(
      [&]<class T>(const Image<T>& image) {
        const View<const T> samples = image.view();
        const int of = samples.channels == 1 ? 0 : static_cast<int>(channel);
        constexpr double kFull = std::is_floating_point_v<T> ? 1 : std::numeric_limits<T>::max();
        std::vector<float> table;
        if constexpr (!std::is_floating_point_v<T>)
          for (std::size_t code = 0; code <= std::numeric_limits<T>::max(); ++code)
            table.push_back(gain_of_share(map, channel, static_cast<double>(code) / kFull));
        Image<float> gains(samples.width, samples.height);
        const View<float> to = gains.view();
        for (std::int64_t y = 0; y < to.height; ++y)
          for (std::int64_t x = 0; x < to.width; ++x)
            if constexpr (std::is_floating_point_v<T>)
              to(x, y) = gain_of_share(map, channel, std::clamp<double>(samples(x, y, of), 0, 1));
            else
              to(x, y) = table[samples(x, y, of)];
        return gains;
      },
      map.samples);
}

/// Says between which two cells a pixel lies, and how near to the second.
struct Between {
  std::int64_t first, second;
  float share;
};

Between between(std::int64_t pixel, std::int64_t pixels, std::int64_t cells) {
  const double place =
      (static_cast<double>(pixel) + 0.5) * static_cast<double>(cells) / static_cast<double>(pixels) - 0.5;
  const double inside = std::clamp(place, 0.0, static_cast<double>(cells - 1));
  const auto first = static_cast<std::int64_t>(inside);
  return {first, std::min(first + 1, cells - 1), static_cast<float>(inside - static_cast<double>(first))};
}

/// Multiplies the light of one channel by its gain.
void apply(const GainMap& map, int channel, View<float> light) {
  const auto c = static_cast<std::size_t>(channel);
  const Image<float> gains = gains_of(map, c);
  const View<const float> cells = gains.view();
  const auto offset = static_cast<float>(map.offset[c]),
             light_offset = static_cast<float>(map.light_offset[c]);
  for (std::int64_t y = 0; y < light.height; ++y) {
    const Between row = between(y, light.height, cells.height);
    for (std::int64_t x = 0; x < light.width; ++x) {
      const Between column = between(x, light.width, cells.width);
      const auto line = [&](std::int64_t at) {
        return std::lerp(cells(column.first, at), cells(column.second, at), column.share);
      };
      const float gain = std::lerp(line(row.first), line(row.second), row.share);
      float& value = light(x, y, channel);
      value = std::max((value + offset) * std::exp2(gain) - light_offset, 0.0f);
    }
  }
}

/// Returns the gain of one sample, in stops.
double gain_of(float light, float base, float written, double offset, bool is_exact) {
  constexpr double kOneCode = 1.03;  // so near is a code to the light that it stands for
  const double times = (light + offset) / (base + offset);
  if (!is_exact && base < 1 && times < kOneCode && times * kOneCode > 1) return 0;
  return std::log2(std::max((light + offset) / (written + offset), 1e-6));
}

/// Returns the means of cells of the gain.
Image<float> gain_cells(View<const float> base, View<const float> written, View<const float> light,
                        double offset, const GainCells& how) {
  const std::int64_t cell = how.side;
  Image<float> cells((light.width + cell - 1) / cell, (light.height + cell - 1) / cell, light.channels);
  const View<float> to = cells.view();
  for (std::int64_t y = 0; y < to.height; ++y)
    for (std::int64_t x = 0; x < to.width; ++x)
      for (int c = 0; c < to.channels; ++c) {
        double sum = 0;
        std::int64_t count = 0;
        for (std::int64_t v = y * cell; v < std::min((y + 1) * cell, light.height); ++v)
          for (std::int64_t u = x * cell; u < std::min((x + 1) * cell, light.width); ++u, ++count)
            sum += gain_of(light(u, v, c), base(u, v, c), written(u, v, c), offset, how.is_exact);
        to(x, y, c) = static_cast<float>(sum / static_cast<double>(count));
      }
  return cells;
}

/// True if the channels' gains are the same but for what nobody sees.
bool is_grey(View<const float> cells) {
  constexpr float kStops = 0.02f;
  for (std::int64_t i = 0; i + 2 < cells.extent() && cells.channels == 3; i += 3) {
    const auto [least, most] = std::minmax({cells.data[i], cells.data[i + 1], cells.data[i + 2]});
    if (most - least > kStops) return false;
  }
  return true;
}

}  // namespace

std::int64_t samples_beyond_white(const Picture& picture) {
  const auto* light = std::get_if<Image<float>>(&picture.samples);
  if (!light) return 0;
  const View<const float> view = light->view();
  constexpr float kMoreThanWhite = 1.03f;
  return std::count_if(view.data, view.data + view.extent(),
                       [](float value) { return value > kMoreThanWhite; });
}

Picture light_of(const AnySamples& codes, const Metadata& metadata) {
  Picture lit{light_of_codes(codes, metadata.icc)};
  Image<float>& light = std::get<Image<float>>(lit.samples);
  for (int c = 0; metadata.gain && c < std::min(light.channels(), 3); ++c)
    apply(*metadata.gain, c, light.view());
  lit.metadata = metadata;
  lit.metadata.gain.reset();
  if (!lit.metadata.icc.empty())
    lit.metadata.icc = Profile(lit.metadata.icc, light.channels()).with_curve(ToneCurve::linear);
  return lit;
}

std::int64_t light_bytes(std::int64_t samples) {
  constexpr std::int64_t kTimes = 3;
  return kTimes * samples * static_cast<std::int64_t>(sizeof(float));
}

GainMap gain_between(const AnySamples& codes, const AnySamples& written, const std::vector<std::byte>& icc,
                     View<const float> light, const GainCells& how) {
  GainMap map;
  const Image<float> base = light_of_codes(codes, icc), after = light_of_codes(written, icc);
  const Image<float> cells = gain_cells(base.view(), after.view(), light, map.offset[0], how);
  const View<const float> gains = cells.view();
  const auto [least, most] = std::minmax_element(gains.data, gains.data + gains.extent());
  map.least.fill(std::min(*least, 0.0f));
  map.most.fill(std::max(*most, 0.0f));
  map.most_headroom = std::max(map.most[0], 0.01);
  const int channels = is_grey(gains) ? 1 : 3;
  Image<std::uint8_t> samples(gains.width, gains.height, channels);
  const View<std::uint8_t> to = samples.view();
  const float span = std::max(static_cast<float>(map.most[0] - map.least[0]), 1e-6f);
  for (std::int64_t y = 0; y < to.height; ++y)
    for (std::int64_t x = 0; x < to.width; ++x)
      for (int c = 0; c < channels; ++c)
        to(x, y, c) = static_cast<std::uint8_t>(
            std::lround((gains(x, y, c) - static_cast<float>(map.least[0])) / span * 255));
  map.samples = std::move(samples);
  return map;
}

bool takes_light(const Metadata& metadata, const std::filesystem::path& path, const WriteOptions& options) {
  if (!metadata.gain || options.no_gain_map) return false;
  const FormatTraits& traits = traits_of(output_format(path, options));
  return (traits.extras & kHoldsLight) || !(traits.samples & (kHolds8 | kHolds16));
}

}  // namespace scanlens
