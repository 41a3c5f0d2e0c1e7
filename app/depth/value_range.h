// The range of an image's values.
#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "core/view.h"

namespace scanlens {

/// Calls take(value) for each value of one channel, side by side, and returns the least and the
/// greatest that it returns; NaN does not count.
template <class Value, class Take>
std::pair<float, float> range_of(View<Value> values, const Take& take) {
  constexpr std::int64_t kRows = 64;  // taken together
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::pair<float, float> all(kInfinity, -kInfinity);
  const std::int64_t parts = (values.height + kRows - 1) / kRows;
  std::vector<std::pair<float, float>> found(static_cast<std::size_t>(parts), all);
  tbb::parallel_for(std::int64_t{0}, parts, [&](std::int64_t part) {
    auto [least, most] = all;
    for (std::int64_t y = part * kRows; y < std::min(values.height, (part + 1) * kRows); ++y)
      for (Value* value = values.row(y); value < values.row(y) + values.width; ++value) {
        const float taken = take(*value);
        least = std::min(least, taken);
        most = std::max(most, taken);
      }
    found[static_cast<std::size_t>(part)] = {least, most};
  });
  for (const auto& [least, most] : found) all = {std::min(all.first, least), std::max(all.second, most)};
  return all;
}

}  // namespace scanlens
