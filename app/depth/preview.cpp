#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "app/depth/depth.h"

namespace scanlens {

Picture depth_preview(const Depth& depth) {
  const View<const float> values = std::as_const(depth.disparity).view();
  const float range = depth.most > depth.least ? depth.most - depth.least : 1;
  Image<std::uint8_t> colors(values.width, values.height, 3);
  cv::Mat table(1, 256, CV_8UC1), turbo;
  for (int i = 0; i < 256; ++i) table.at<std::uint8_t>(0, i) = static_cast<std::uint8_t>(i);
  cv::applyColorMap(table, turbo, cv::COLORMAP_TURBO);
  for (std::int64_t y = 0; y < values.height; ++y)
    for (std::int64_t x = 0; x < values.width; ++x) {
      const float share = (values(x, y) - depth.least) / range;
      const auto& bgr = turbo.at<cv::Vec3b>(0, static_cast<int>(std::clamp(share, 0.f, 1.f) * 255 + 0.5f));
      for (int c = 0; c < 3; ++c) colors.view()(x, y, c) = bgr[2 - c];
    }
  return Picture{std::move(colors)};
}

}  // namespace scanlens
