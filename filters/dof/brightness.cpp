#include "filters/brightness.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace scanlens {
namespace {

constexpr float kHeadRoom = 65536, kHeadRoomWithAlpha = 4096;
constexpr double kBrightShare = 0.01;
constexpr std::int64_t kMostLooks = 1 << 20;  ///< samples that the percentile is taken from

/// Calls `visit` with every `step`th sample of light and its place among all samples.
void for_each_light(View<const float> view, std::int64_t step, const auto& visit) {
  for (std::int64_t i = 0; i < view.extent(); i += step)
    if (view.channels != 4 || i % 4 != 3) visit(view.data[i], i);
}

/// Returns what all but a hundredth of the samples with light do not exceed; one at least is left out.
float high_percentile(View<const float> view) {
  const std::int64_t looks = std::min(view.extent(), kMostLooks);
  // An odd step meets all channels.
  const std::int64_t step = (looks > 0 ? view.extent() / looks : 1) | 1;
  std::vector<float> lights;
  for_each_light(view, step, [&](float light, std::int64_t) {
    if (light > 0 && std::isfinite(light)) lights.push_back(light);
  });
  if (lights.empty()) return 1;
  const auto left_out = std::max<std::ptrdiff_t>(
      1, static_cast<std::ptrdiff_t>(kBrightShare * static_cast<double>(lights.size())));
  const auto at = lights.begin() + std::max<std::ptrdiff_t>(0, std::ssize(lights) - 1 - left_out);
  std::nth_element(lights.begin(), at, lights.end());
  return *at;
}

}  // namespace

Brightness brightness_of(View<const float> view) {
  Brightness result;
  float brightest_finite = 0;
  std::int64_t place = 0;
  for_each_light(view, 1, [&](float light, std::int64_t i) {
    if (light > result.brightest) {
      result.brightest = light;
      place = i;
    }
    if (light > brightest_finite && std::isfinite(light)) brightest_finite = light;
  });
  if (result.brightest <= 1) return result;
  result.x = place / view.channels % view.width;
  result.y = place / view.channels / view.width;
  const float bright = high_percentile(view);
  const float most = bright * (view.channels == 4 ? kHeadRoomWithAlpha : kHeadRoom);
  result.light.most = std::max(1.f, std::min(brightest_finite, most));
  result.light.white = std::max(1.f, bright);
  for_each_light(view, 1, [&](float light, std::int64_t) { result.clipped += light > result.light.most; });
  return result;
}

}  // namespace scanlens
