#include "filters/dof/profile.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "filters/dof/least_cuts.h"

namespace scanlens {
namespace {

/// Rings of equal area that zones are made of.
constexpr int kRings = 96;

/// Returns the light at a square distance from the middle, 0 .. 1.
double light_at(const DofStyle& style, bool behind, bool lamps, double square) {
  if (square < style.mirror * style.mirror) return 0;
  const double v = style.spherical, size = std::abs(v);
  double light = 1;
  if (v != 0 && behind == (v > 0)) light = 1 + 3 * size * (square * square * square - 0.25);
  if (v != 0 && behind != (v > 0)) light = 1 - size + 2 * size * (1 - square);
  light *= 1 - style.soft_edge + 3 * style.soft_edge * (1 - square) * (1 - square);
  return lamps ? light * (1 + 0.6 * style.onion * std::cos(10 * std::numbers::pi * square)) : light;
}

/// Returns the mean light of each ring, so that the mean of all is 1.
std::array<double, kRings> rings_of(const DofStyle& style, bool behind, bool lamps) {
  constexpr int kPlaces = 40;  // of a ring
  std::array<double, kRings> rings = {};
  double sum = 0;
  for (int i = 0; i < kRings * kPlaces; ++i) {
    const double light = light_at(style, behind, lamps, (i + 0.5) / (kRings * kPlaces));
    rings[static_cast<std::size_t>(i / kPlaces)] += light;
    sum += light;
  }
  for (double& light : rings) light *= kRings / sum;
  return rings;
}

}  // namespace

bool has_profile(const DofStyle& style) {
  return style.spherical != 0 || style.soft_edge > 0 || style.mirror > 0 || style.onion > 0;
}

std::vector<LightZone> light_zones(const DofStyle& style, bool behind, bool lamps, int most) {
  const std::array<double, kRings> rings = rings_of(style, behind, lamps);
  std::array<double, kRings + 1> sums = {}, squares = {};
  for (std::size_t i = 0; i < kRings; ++i) {
    sums[i + 1] = sums[i] + rings[i];
    squares[i + 1] = squares[i] + rings[i] * rings[i];
  }
  const auto mean = [&](std::size_t begin, std::size_t end) {
    return (sums[end] - sums[begin]) / static_cast<double>(end - begin);
  };
  const auto error = [&](std::size_t begin, std::size_t end) {
    return squares[end] - squares[begin] - (sums[end] - sums[begin]) * mean(begin, end);
  };
  std::vector<LightZone> zones;
  double missed = std::numeric_limits<double>::infinity();
  for (std::size_t count = 1; count <= static_cast<std::size_t>(most) && missed > 1e-9; ++count) {
    const std::vector<std::size_t> cuts = least_cuts(kRings, count, error);
    zones.clear();
    missed = 0;
    for (std::size_t k = count; k > 0; --k) {
      zones.push_back({std::sqrt(static_cast<double>(cuts[k]) / kRings), mean(cuts[k - 1], cuts[k])});
      missed += error(cuts[k - 1], cuts[k]);
    }
  }
  return zones;
}

}  // namespace scanlens
