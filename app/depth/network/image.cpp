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

NetworkImage network_image(const PhotoRows& photo, const NetworkLayout& layout, const PixelNumbers& numbers) {
  constexpr std::size_t kColours = 3;
  constexpr float kFull = 255;
  constexpr std::array<float, kColours> kGrey = {123.675f, 116.28f, 103.53f};  // ImageNet's mean
  const auto [width, height, pads, colours_last] = layout;
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
  const auto pixels = static_cast<std::size_t>(width * height);
  const std::size_t step = colours_last ? kColours : 1;
  image.numbers.resize(kColours * pixels);
  for (std::size_t c = 0; c < kColours; ++c) {
    const auto number = [&, c](float code) {
      return (code / kFull - numbers.mean[c]) / numbers.deviation[c];
    };
    float* const out = image.numbers.data() + c * (colours_last ? 1 : pixels);
    for (std::size_t i = 0; pads && i < pixels; ++i) out[i * step] = number(kGrey[c]);
    for (std::int64_t y = 0; y < image.height; ++y) {
      const std::uint8_t* const row = codes.view().row(y) + c;
      float* const to = out + static_cast<std::size_t>((y + image.top) * width + image.left) * step;
      for (std::size_t x = 0; x < static_cast<std::size_t>(image.width); ++x)
        to[x * step] = number(row[kColours * x]);
    }
  }
  return image;
}

}  // namespace scanlens
