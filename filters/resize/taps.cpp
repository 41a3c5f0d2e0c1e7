#include "filters/resize/taps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace scanlens {
namespace {

constexpr int kLobes = 3;

double lanczos(double x) {
  if (std::abs(x) >= kLobes) return 0;
  if (std::abs(x) < 1e-9) return 1;
  const double angle = std::numbers::pi * x;
  return kLobes * std::sin(angle) * std::sin(angle / kLobes) / (angle * angle);
}

}  // namespace

// Sides are at most 2^30 (kMostFilterSide), so that products fit 64 bits.
std::int64_t ResizedLine::first_of(std::int64_t i) const {
  if (!is_longer()) return i * from / to;
  // The first whole number above the middle, (2 i + 1) from / (2 to) - 1/2, less 3.
  return std::clamp<std::int64_t>(((2 * i + 1) * from + to) / (2 * to) - kLobes, 0, from - 1);
}

std::int64_t ResizedLine::end_of(std::int64_t i) const {
  if (!is_longer()) return ((i + 1) * from + to - 1) / to;
  return std::clamp<std::int64_t>(((2 * i + 1) * from + to) / (2 * to) + kLobes, 1, from);
}

std::int64_t ResizedLine::ready(std::int64_t seen) const {
  if (seen >= from) return to;
  // end_of() never falls.
  std::int64_t low = 0, high = to;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (end_of(middle) <= seen)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::int64_t ResizedLine::most_taps() const {
  return std::min(from, is_longer() ? 2 * kLobes : (from + to - 1) / to + 1);
}

TapTable taps_of(const ResizedLine& line, std::int64_t first, std::int64_t count) {
  TapTable table;
  for (std::int64_t i = first; i < first + count; ++i) {
    const std::int64_t begin = line.first_of(i), end = line.end_of(i);
    TapRun run{begin, end - begin, static_cast<std::int64_t>(table.weights.size()), 0};
    double sum = 0;
    for (std::int64_t sample = begin; sample < end; ++sample) {
      double weight = 1;
      if (line.is_longer()) {
        const double middle =
            (static_cast<double>(i) + 0.5) * static_cast<double>(line.from) / static_cast<double>(line.to);
        weight = lanczos(static_cast<double>(sample) + 0.5 - middle);
      } else if (line.to < line.from) {
        const std::int64_t least = std::max(sample * line.to, i * line.from);
        const std::int64_t most = std::min((sample + 1) * line.to, (i + 1) * line.from);
        weight = static_cast<double>(most - least) / static_cast<double>(line.to);
      }
      table.weights.push_back(weight);
      sum += weight;
    }
    run.scale = 1 / sum;
    table.runs.push_back(run);
  }
  return table;
}

}  // namespace scanlens
