#include "filters/depth/cpu/range.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "filters/depth/cpu/rows.h"
#include "filters/depth/tasks.h"

namespace scanlens::cpu {
namespace {

constexpr std::int64_t kBins = 1 << 16;

/// The bin of a value: its upper bits, in the order of the values.
std::uint32_t bin_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits ^ (bits >> 31 ? 0xFFFFFFFFu : 0x80000000u)) >> 16;
}

/// Returns the value that would stand at a rank, if the values were sorted. Only those of its bin are.
float at_rank(const std::vector<float>& values, const std::vector<std::uint32_t>& counts, std::int64_t rank) {
  std::uint32_t bin = 0;
  for (; rank >= counts[bin]; ++bin) rank -= counts[bin];
  std::vector<float> inside;
  inside.reserve(counts[bin]);
  for (const float value : values)
    if (bin_of(value) == bin) inside.push_back(value);
  std::nth_element(inside.begin(), inside.begin() + rank, inside.end());
  return inside[static_cast<std::size_t>(rank)];
}

}  // namespace

float range_of(View<const float> map) {
  const RangeRanks ranks(map.width * map.height);
  std::vector<float> values(static_cast<std::size_t>(ranks.count));
  constexpr std::int64_t kSome = 1 << 12;
  for_each_of((ranks.count + kSome - 1) / kSome, [&](std::int64_t some) {
    for (std::int64_t i = kSome * some; i < std::min(kSome * (some + 1), ranks.count); ++i) {
      const std::int64_t pixel = i * ranks.step;
      values[static_cast<std::size_t>(i)] = map(pixel % map.width, pixel / map.width);
    }
  });
  std::vector<std::uint32_t> counts(kBins);
  for (const float value : values) ++counts[bin_of(value)];
  const float low = at_rank(values, counts, ranks.low), high = at_rank(values, counts, ranks.high);
  if (high > low) return high - low;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least;
}

}  // namespace scanlens::cpu
