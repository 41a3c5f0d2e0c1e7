#include "filters/brightness.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace scanlens {
namespace {

constexpr float kHeadRoom = 65536, kHeadRoomWithAlpha = 4096;
constexpr double kBrightShare = 0.01;
constexpr std::int64_t kMostLooks = 1 << 20;  ///< samples that the percentile is taken from

constexpr float kLampRoom = 16777216;
/// A field has 2^20 times the light of white where nothing exceeds the head room. Lamps may come to
/// 15 times as much: white has 256 steps then.
constexpr float kMostGathered = 15 * 1048576.f;

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

/// Sums of light in tiles.
struct TileSums {
  std::int64_t across, down;
  std::vector<double> of;

  TileSums(std::int64_t columns, std::int64_t rows)
      : across(columns), down(rows), of(static_cast<std::size_t>(columns * rows)) {}
  double& at(std::int64_t x, std::int64_t y) { return of[static_cast<std::size_t>(y * across + x)]; }

  /// Returns the greatest sum of a tile and those around it.
  double most_together() {
    double most = 0;
    for (std::int64_t y = 0; y < down; ++y)
      for (std::int64_t x = 0; x < across; ++x) {
        if (at(x, y) == 0) continue;
        for (int i = 0; i < 9; ++i) most = std::max(most, together(x + i % 3 - 1, y + i / 3 - 1));
      }
    return most;
  }
  TileSums halved() {
    TileSums half((across + 1) / 2, (down + 1) / 2);
    for (std::int64_t y = 0; y < down; ++y)
      for (std::int64_t x = 0; x < across; ++x) half.at(x / 2, y / 2) += at(x, y);
    return half;
  }

 private:
  double together(std::int64_t x, std::int64_t y) {
    double sum = 0;
    for (std::int64_t j = std::max<std::int64_t>(0, y - 1); j <= std::min(down - 1, y + 1); ++j)
      for (std::int64_t i = std::max<std::int64_t>(0, x - 1); i <= std::min(across - 1, x + 1); ++i)
        sum += at(i, j);
    return sum;
  }
};

/// Returns a bound of the light that pixels beyond `most` come to at any place, if each is blurred by 8
/// pixels or more. Light within 8 pixels is blurred over a disc of 8 pixels at least. Light that is farther
/// away is blurred over one that reaches here.
float gathered_light(View<const float> view, float most, float lamps) {
  constexpr int kTile = 8;
  constexpr double kArea = 3.14159 * kTile * kTile, kSoftEdge = 1.1;
  TileSums tiles((view.width + kTile - 1) / kTile, (view.height + kTile - 1) / kTile);
  for (std::int64_t y = 0; y < view.height; ++y)
    for (std::int64_t x = 0; x < view.width; ++x) {
      float light = 0;
      for (int c = 0; c < std::min(view.channels, 3); ++c) light = std::max(light, view(x, y, c));
      if (light > most) tiles.at(x / kTile, y / kTile) += std::min(light, lamps);
    }
  double bound = tiles.most_together(), share = 1;
  while (tiles.across > 1 || tiles.down > 1) {
    tiles = tiles.halved();
    bound += tiles.most_together() * share;
    share /= 4;
  }
  return static_cast<float>(bound * kSoftEdge / kArea);
}

/// Sets the light that lamps keep, `lamps` if no more than `most_gathered` comes together.
void keep_lamps(View<const float> view, float lamps, float most_gathered, LightRange& light) {
  for (; lamps > light.most; lamps /= 4) {
    const float gathered = gathered_light(view, light.most, lamps);
    if (gathered > most_gathered) continue;
    light.lamps = lamps;
    light.gathered = gathered;
    return;
  }
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
  if (brightest_finite > result.light.most) {
    keep_lamps(view, std::min(brightest_finite, bright * kLampRoom), bright * kMostGathered, result.light);
  }
  for_each_light(view, 1, [&](float light, std::int64_t) { result.clipped += light > result.light.most; });
  return result;
}

}  // namespace scanlens
