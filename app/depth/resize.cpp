#include <fmt/format.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "app/depth/depth.h"
#include "core/error.h"

namespace scanlens {
namespace {

Image<float> resized_image(Image<float> image, std::int64_t width, std::int64_t height, int method) {
  if (image.width() == width && image.height() == height) return image;
  Image<float> result(width, height);
  const auto wrapped = [](Image<float>& of) {
    return cv::Mat(static_cast<int>(of.height()), static_cast<int>(of.width()), CV_32FC1, of.view().data);
  };
  const cv::Mat from = wrapped(image);
  cv::Mat to = wrapped(result);
  cv::resize(from, to, to.size(), 0, 0, method);
  return result;
}

/// Takes each pixel from the one that its middle falls into.
Image<float> nearest_image(const Image<float>& image, std::int64_t width, std::int64_t height) {
  Image<float> result(width, height);
  const View<const float> from = image.view();
  const auto place = [](std::int64_t at, std::int64_t side, std::int64_t from_side) {
    return (2 * at + 1) * from_side / (2 * side);
  };
  for (std::int64_t y = 0; y < height; ++y) {
    const float* row = from.row(place(y, height, from.height));
    float* to = result.view().row(y);
    for (std::int64_t x = 0; x < width; ++x) to[x] = row[place(x, width, from.width)];
  }
  return result;
}

/// Averages what shrinks and interpolates what grows.
Image<float> smooth_image(Image<float> image, std::int64_t width, std::int64_t height) {
  try {
    // One direction may shrink while the other grows: first what needs an average, then what needs an
    // interpolation.
    image = resized_image(std::move(image), std::min(width, image.width()), std::min(height, image.height()),
                          cv::INTER_AREA);
    return resized_image(std::move(image), width, height, cv::INTER_LINEAR);
  } catch (const cv::Exception& error) {
    throw Error(error.code == cv::Error::StsNoMem ? ErrorKind::retry : ErrorKind::failed,
                fmt::format("a depth map cannot be resized to {} x {}: {}", width, height, error.err));
  }
}

}  // namespace

Depth resized(Depth depth, std::int64_t width, std::int64_t height, DepthResample resample) {
  constexpr std::int64_t kMostSide = INT32_MAX;  // OpenCV's sizes
  Image<float>& image = depth.disparity;
  if (image.empty() || width < 1 || height < 1 ||
      std::max({width, height, image.width(), image.height()}) > kMostSide)
    throw Error(ErrorKind::usage, fmt::format("a depth map of {} x {} pixels cannot be resized to {} x {}",
                                              image.width(), image.height(), width, height));
  if (image.width() == width && image.height() == height) return depth;
  image = resample == DepthResample::nearest ? nearest_image(image, width, height)
                                             : smooth_image(std::move(image), width, height);
  // A mean leaves the range of its terms by rounding at most, but "at most 1" has to hold to the bit.
  const View<float> values = image.view();
  for (std::int64_t i = 0; i < values.extent(); ++i)
    values.data[i] = std::clamp(values.data[i], depth.least, depth.most);
  find_extremes(depth);
  return depth;
}

}  // namespace scanlens
