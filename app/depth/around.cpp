#include "app/depth/around.h"

#include <algorithm>
#include <vector>

namespace scanlens {

namespace {

/// The pixels around one, as far as there are some.
View<const float> window(View<const float> disparity, std::int64_t x, std::int64_t y) {
  const std::int64_t left = std::max<std::int64_t>(x - kAroundReach, 0),
                     top = std::max<std::int64_t>(y - kAroundReach, 0);
  return disparity.region(left, top, std::min(x + kAroundReach + 1, disparity.width) - left,
                          std::min(y + kAroundReach + 1, disparity.height) - top);
}

float middle_of(View<const float> window) {
  std::vector<float> around;
  for (std::int64_t y = 0; y < window.height; ++y)
    around.insert(around.end(), window.row(y), window.row(y) + window.width);
  const auto middle = around.begin() + static_cast<std::ptrdiff_t>(around.size() / 2);
  std::nth_element(around.begin(), middle, around.end());
  return *middle;
}

}  // namespace

float disparity_around(View<const float> disparity, std::int64_t x, std::int64_t y) {
  return middle_of(window(disparity, x, y));
}

float disparity_around(const Image<float>& disparity, std::int64_t x, std::int64_t y, Context* context) {
  const View<const float> around = window(disparity.view(), x, y);
  if (disparity.backend() == Backend::cpu) return middle_of(around);
  Image<float> host(around.width, around.height);
  copy(*context, around, host.view());
  context->synchronize();
  return middle_of(host.view());
}

}  // namespace scanlens
