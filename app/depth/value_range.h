// The range of an image's values.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/view.h"

namespace scanlens {

/// Calls take(value) for each value of one channel, side by side, and returns the least and the
/// greatest that it returns; NaN does not count.
template <class Value, class Take>
std::pair<float, float> range_of(View<Value> values, const Take& take) {
  using Range = std::pair<float, float>;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  return tbb::parallel_reduce(
      tbb::blocked_range<std::int64_t>(0, values.height), Range(kInfinity, -kInfinity),
      [&](const auto& rows, Range found) {
        for (std::int64_t y = rows.begin(); y < rows.end(); ++y)
          for (Value* value = values.row(y); value < values.row(y) + values.width; ++value) {
            const float taken = take(*value);
            found = {std::min(found.first, taken), std::max(found.second, taken)};
          }
        return found;
      },
      [](const Range& a, const Range& b) {
        return Range(std::min(a.first, b.first), std::max(a.second, b.second));
      });
}

}  // namespace scanlens
