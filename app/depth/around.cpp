#include "app/depth/around.h"

#include <algorithm>
#include <vector>

namespace scanlens {

float disparity_around(View<const float> disparity, std::int64_t x, std::int64_t y) {
  std::vector<float> around;
  for (std::int64_t j = std::max<std::int64_t>(y - kAroundReach, 0);
       j <= std::min(y + kAroundReach, disparity.height - 1); ++j)
    for (std::int64_t i = std::max<std::int64_t>(x - kAroundReach, 0);
         i <= std::min(x + kAroundReach, disparity.width - 1); ++i)
      around.push_back(disparity(i, j));
  const auto middle = around.begin() + static_cast<std::ptrdiff_t>(around.size() / 2);
  std::nth_element(around.begin(), middle, around.end());
  return *middle;
}

}  // namespace scanlens
