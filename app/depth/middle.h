// The range of most values. Inside scanlens_files and for clips.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace scanlens {

/// Returns the least and the greatest of the values but for a share of them at each end, below a half. There
/// is at least one. Puts the values into another order.
inline std::pair<float, float> middle_range(std::vector<float>& values, double left_out) {
  const auto skipped = static_cast<std::ptrdiff_t>(left_out * static_cast<double>(values.size()));
  const auto low = values.begin() + skipped, high = values.end() - 1 - skipped;
  std::nth_element(values.begin(), low, values.end());
  const float least = *low;
  std::nth_element(low, high, values.end());
  return {least, *high};
}

}  // namespace scanlens
