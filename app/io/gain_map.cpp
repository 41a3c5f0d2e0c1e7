#include "app/io/gain_map.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "app/color/profile.h"

namespace scanlens {
namespace {

constexpr std::size_t kCodes = 256;

/// Returns the gain of each code of a channel, in stops.
std::array<float, kCodes> gains_of(const GainMap& map, std::size_t channel) {
  std::array<float, kCodes> gains;
  for (std::size_t code = 0; code < kCodes; ++code) {
    const double share = std::pow(static_cast<double>(code) / (kCodes - 1), 1 / map.gamma[channel]);
    gains[code] = static_cast<float>(map.least[channel] + share * (map.most[channel] - map.least[channel]));
  }
  return gains;
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
  const std::array<float, kCodes> gains = gains_of(map, c);
  const View<const std::uint8_t> cells = map.samples.view();
  const int of = cells.channels == 1 ? 0 : channel;
  const auto offset = static_cast<float>(map.offset[c]),
             light_offset = static_cast<float>(map.light_offset[c]);
  for (std::int64_t y = 0; y < light.height; ++y) {
    const Between row = between(y, light.height, cells.height);
    for (std::int64_t x = 0; x < light.width; ++x) {
      const Between column = between(x, light.width, cells.width);
      const auto line = [&](std::int64_t at) {
        return std::lerp(gains[cells(column.first, at, of)], gains[cells(column.second, at, of)],
                         column.share);
      };
      const float gain = std::lerp(line(row.first), line(row.second), row.share);
      float& value = light(x, y, channel);
      value = std::max((value + offset) * std::exp2(gain) - light_offset, 0.0f);
    }
  }
}

/// Returns the gain of one sample, in stops.
double gain_of(float light, float base, float written, double offset) {
  constexpr double kOneCode = 1.03;  // so near is a code to the light that it stands for
  const double times = (light + offset) / (base + offset);
  if (base < 1 && times < kOneCode && times * kOneCode > 1) return 0;
  return std::log2(std::max((light + offset) / (written + offset), 1e-6));
}

/// Returns the means of cells of the gain.
Image<float> gain_cells(View<const float> base, View<const float> written, View<const float> light,
                        double offset, std::int64_t cell) {
  Image<float> cells((light.width + cell - 1) / cell, (light.height + cell - 1) / cell, light.channels);
  const View<float> to = cells.view();
  for (std::int64_t y = 0; y < to.height; ++y)
    for (std::int64_t x = 0; x < to.width; ++x)
      for (int c = 0; c < to.channels; ++c) {
        double sum = 0;
        std::int64_t count = 0;
        for (std::int64_t v = y * cell; v < std::min((y + 1) * cell, light.height); ++v)
          for (std::int64_t u = x * cell; u < std::min((x + 1) * cell, light.width); ++u, ++count)
            sum += gain_of(light(u, v, c), base(u, v, c), written(u, v, c), offset);
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

Picture light_of(const AnySamples& codes, const Metadata& metadata) {
  Picture lit{light_of_codes(codes, metadata.icc)};
  Image<float>& light = std::get<Image<float>>(lit.samples);
  for (int c = 0; c < light.channels(); ++c) apply(*metadata.gain, c, light.view());
  lit.metadata = metadata;
  lit.metadata.gain.reset();
  if (!lit.metadata.icc.empty())
    lit.metadata.icc = Profile(lit.metadata.icc, light.channels()).with_curve(ToneCurve::linear);
  return lit;
}

GainMap gain_between(const AnySamples& codes, const AnySamples& written, const std::vector<std::byte>& icc,
                     View<const float> light, std::int64_t cell) {
  GainMap map;
  const Image<float> base = light_of_codes(codes, icc), after = light_of_codes(written, icc);
  const Image<float> cells = gain_cells(base.view(), after.view(), light, map.offset[0], cell);
  const View<const float> gains = cells.view();
  const auto [least, most] = std::minmax_element(gains.data, gains.data + gains.extent());
  map.least.fill(std::min(*least, 0.0f));
  map.most.fill(std::max(*most, 0.0f));
  map.most_headroom = std::max(map.most[0], 0.01);
  const int channels = is_grey(gains) ? 1 : 3;
  map.samples = Image<std::uint8_t>(gains.width, gains.height, channels);
  const View<std::uint8_t> to = map.samples.view();
  const float span = std::max(static_cast<float>(map.most[0] - map.least[0]), 1e-6f);
  for (std::int64_t y = 0; y < to.height; ++y)
    for (std::int64_t x = 0; x < to.width; ++x)
      for (int c = 0; c < channels; ++c)
        to(x, y, c) = static_cast<std::uint8_t>(
            std::lround((gains(x, y, c) - static_cast<float>(map.least[0])) / span * (kCodes - 1)));
  return map;
}

bool takes_light(const Metadata& metadata, const std::filesystem::path& path, const WriteOptions& options) {
  if (!metadata.gain || options.no_gain_map) return false;
  const FormatTraits& traits = traits_of(output_format(path, options));
  return (traits.extras & kHoldsLight) || !(traits.samples & (kHolds8 | kHolds16));
}

}  // namespace scanlens
