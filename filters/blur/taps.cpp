#include "filters/blur/taps.h"

#include <algorithm>
#include <cmath>

namespace scanlens {

Taps gaussian_taps(double sigma) {
  constexpr double kCut = 3;
  Taps taps;
  if (!(sigma > 0)) return taps;
  const int reach = std::min(static_cast<int>(std::ceil(kCut * sigma)), Taps::kMostRadius);
  const auto share = [&](int i) { return std::exp(-i * i / (2 * sigma * sigma)); };
  double sum = 1;
  for (int i = 1; i <= reach; ++i) sum += 2 * share(i);
  for (int i = 1; i <= reach; ++i) {
    taps.weights[i] = static_cast<std::int32_t>(std::lround(share(i) / sum * Taps::kWeight));
    taps.weights[0] -= 2 * taps.weights[i];
    if (taps.weights[i] > 0) taps.radius = i;
  }
  return taps;
}

}  // namespace scanlens
