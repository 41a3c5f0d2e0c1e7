#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "app/depth/depth.h"

namespace scanlens {

Image<std::uint8_t> turbo_colors() {
  cv::Mat shares(1, 256, CV_8UC1), turbo;
  for (int i = 0; i < 256; ++i) shares.at<std::uint8_t>(0, i) = static_cast<std::uint8_t>(i);
  cv::applyColorMap(shares, turbo, cv::COLORMAP_TURBO);
  Image<std::uint8_t> colors(256, 1, 3);
  for (int i = 0; i < 256; ++i)
    for (int c = 0; c < 3; ++c) colors.view()(i, 0, c) = turbo.at<cv::Vec3b>(0, i)[2 - c];
  return colors;
}

Picture depth_preview(const Depth& depth) {
  const View<const float> values = std::as_const(depth.disparity).view();
  const float range = depth.most > depth.least ? depth.most - depth.least : 1;
  const Image<std::uint8_t> turbo = turbo_colors();
  Image<std::uint8_t> colors(values.width, values.height, 3);
  for (std::int64_t y = 0; y < values.height; ++y)
    for (std::int64_t x = 0; x < values.width; ++x) {
      const float share = (values(x, y) - depth.least) / range;
      const auto color = static_cast<std::int64_t>(std::clamp(share, 0.f, 1.f) * 255 + 0.5f);
      std::copy_n(&turbo.view()(color, 0), 3, &colors.view()(x, y));
    }
  return Picture{std::move(colors)};
}

}  // namespace scanlens
