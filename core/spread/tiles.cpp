#include "core/spread/tiles.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace scanlens::cpu {
namespace {

/// Time of one thread relative to that of the deposits of a picture. A row or a column beside a tile costs
/// half of one in it, because about half of its pixels reach the tile; it is not shown. The rows of wide
/// tiles do not stay in the cache.
double work_of(double across, double down, double width, double height, double reach) {
  constexpr double kShown = 0.5, kCached = 512, kOutOfCache = 0.4;
  const double apron = (1 + (across - 1) * reach / width) * (1 + (down - 1) * reach / height);
  return kShown + apron * (1 + kOutOfCache * std::max(0., 1 - kCached * across / width));
}

/// Time of `threads` threads relative to the work of them all. Tiles differ in cost: the last thread ends
/// about a third of a tile after the mean one.
double share_of_work(double tiles, double threads) {
  const double even = std::ceil(tiles / threads) / tiles;
  return std::max(even, 1 / threads + (1 - 1 / threads) / (3 * tiles));
}

}  // namespace

SpreadTiles::SpreadTiles(std::int64_t width, std::int64_t height, int reach, int threads)
    : width_(width), height_(height), threads_(threads) {
  constexpr double kAspect = 0.75;           // height by width
  constexpr double kLeast = 32;              // pixels a side
  constexpr int kParts = 4, kMostTiles = 8;  // of a thread
  const auto w = static_cast<double>(width), h = static_cast<double>(height);
  double least = std::numeric_limits<double>::max();
  const auto try_out = [&](double across, double down) {
    across = std::clamp(std::round(across), 1., std::max(1., std::floor(w / kLeast)));
    down = std::clamp(std::round(down / across), 1., std::max(1., std::floor(h / kLeast)));
    const double time =
        work_of(across, down, w, h, rounded_reach(reach)) * share_of_work(across * down, threads);
    if (time >= least) return;
    least = time;
    across_ = static_cast<std::int64_t>(across);
    down_ = static_cast<std::int64_t>(down);
  };
  for (int i = 1; i <= kMostTiles; ++i) try_out(i, i);
  for (int i = 1; threads > 1 && i <= kMostTiles * kParts; ++i) {
    const double count = i * (1.0 / kParts) * threads;
    try_out(std::sqrt(count * kAspect * w / h), count);
  }
}

void for_each_spread_tile(const SpreadTiles& tiles, const std::function<double(const SpreadBox&)>& cost,
                          const std::function<void(int, const SpreadBox&)>& work) {
  std::vector<std::pair<double, int>> order(static_cast<std::size_t>(tiles.count()));
  for_each_task(tiles.count(), [&](std::int64_t i) {
    order[static_cast<std::size_t>(i)] = {tiles.workers() > 1 ? -cost(tiles[static_cast<int>(i)]) : 0,
                                          static_cast<int>(i)};
  });
  std::sort(order.begin(), order.end());
  for_each_task(tiles.count(), [&](std::int64_t i, int worker) {
    work(worker, tiles[order[static_cast<std::size_t>(i)].second]);
  });
}

}  // namespace scanlens::cpu
