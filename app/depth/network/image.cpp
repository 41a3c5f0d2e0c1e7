// A photo as a network's image.
#include <algorithm>
#include <cmath>
#include <opencv2/imgproc.hpp>
#include <utility>

#include "app/depth/network/network.h"
#include "app/depth/small_photo.h"

namespace scanlens {
namespace {

/// The mean over areas where the photo shrinks, bicubic where it grows, as the networks' authors do.
Image<std::uint8_t> photo_at(const PhotoRows& photo, std::int64_t width, std::int64_t height) {
  Image<std::uint8_t> small =
      small_photo(photo, std::min(width, photo.format.width), std::min(height, photo.format.height));
  if (small.width() == width && small.height() == height) return small;
  Image<std::uint8_t> result(width, height, 3);
  const auto wrapped = [](Image<std::uint8_t>& of) {
    return cv::Mat(static_cast<int>(of.height()), static_cast<int>(of.width()), CV_8UC3, of.view().data);
  };
  const cv::Mat from = wrapped(small);
  cv::Mat to = wrapped(result);
  cv::resize(from, to, to.size(), 0, 0, cv::INTER_CUBIC);
  return result;
}

}  // namespace

NetworkImage network_image(const PhotoRows& photo, std::int64_t width, std::int64_t height, bool pads,
                           const PixelNumbers& numbers) {
  constexpr std::size_t kColours = 3;
  constexpr float kFull = 255;
  constexpr std::array<float, kColours> kGrey = {123.675f, 116.28f, 103.53f};  // ImageNet's mean
  NetworkImage image;
  image.width = width;
  image.height = height;
  if (pads) {
    const double scale = std::min(static_cast<double>(width) / static_cast<double>(photo.format.width),
                                  static_cast<double>(height) / static_cast<double>(photo.format.height));
    const auto side = [scale](std::int64_t of, std::int64_t most) {
      return std::clamp<std::int64_t>(std::llround(scale * static_cast<double>(of)), 1, most);
    };
    image.width = side(photo.format.width, width);
    image.height = side(photo.format.height, height);
    image.left = (width - image.width) / 2;
    image.top = (height - image.height) / 2;
  }
  const Image<std::uint8_t> codes = photo_at(photo, image.width, image.height);
  const auto plane = static_cast<std::size_t>(width * height);
  image.planes.resize(kColours * plane);
  for (std::size_t c = 0; c < kColours; ++c) {
    const auto number = [&, c](float code) {
      return (code / kFull - numbers.mean[c]) / numbers.deviation[c];
    };
    float* const out = image.planes.data() + c * plane;
    if (pads) std::fill_n(out, plane, number(kGrey[c]));
    for (std::int64_t y = 0; y < image.height; ++y) {
      const std::uint8_t* const row = codes.view().row(y) + c;
      float* const to = out + (y + image.top) * width + image.left;
      for (std::int64_t x = 0; x < image.width; ++x)
        to[x] = number(row[kColours * static_cast<std::size_t>(x)]);
    }
  }
  return image;
}

}  // namespace scanlens
