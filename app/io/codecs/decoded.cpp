// Steps after decoding that several formats share.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "app/color/profile.h"
#include "app/io/codecs/codec.h"
#include "core/error.h"

namespace scanlens {
namespace {

// Says where the pixel (x, y) of the upright picture lies in the stored one: first + x * right + y * down,
// in pixels.
struct Walk {
  std::int64_t first, right, down;
};

// Follows EXIF 2.32, table 6: the sides of the upright picture that the stored row 0 and column 0 are.
Walk walk_for(int orientation, std::int64_t width, std::int64_t height) {
  const std::int64_t last_x = width - 1, last_y = (height - 1) * width;
  switch (orientation) {
    case 2:
      return {last_x, -1, width};
    case 3:
      return {last_y + last_x, -1, -width};
    case 4:
      return {last_y, 1, -width};
    case 5:
      return {0, width, 1};
    case 6:
      return {last_y, -width, 1};
    case 7:
      return {last_y + last_x, -width, -1};
    case 8:
      return {last_x, width, -1};
    default:
      return {0, 1, width};
  }
}

template <class T, int kChannels>
void move_pixels(View<const T> from, View<T> to, Walk walk) {
  constexpr std::int64_t kTile = 64;  // both sides of a transposition stay in the cache
  for (std::int64_t top = 0; top < to.height; top += kTile)
    for (std::int64_t left = 0; left < to.width; left += kTile)
      for (std::int64_t y = top; y < std::min(top + kTile, to.height); ++y)
        for (std::int64_t x = left; x < std::min(left + kTile, to.width); ++x) {
          const T* pixel = from.data + (walk.first + x * walk.right + y * walk.down) * kChannels;
          std::copy_n(pixel, kChannels, &to(x, y));
        }
}

template <class T>
Image<T> turned(const Image<T>& image, int orientation) {
  const bool sideways = orientation >= 5;
  Image<T> result(sideways ? image.height() : image.width(), sideways ? image.width() : image.height(),
                  image.channels());
  const Walk walk = walk_for(orientation, image.width(), image.height());
  switch (image.channels()) {
    case 1:
      move_pixels<T, 1>(image.view(), result.view(), walk);
      break;
    case 3:
      move_pixels<T, 3>(image.view(), result.view(), walk);
      break;
    default:
      move_pixels<T, 4>(image.view(), result.view(), walk);
      break;
  }
  return result;
}

}  // namespace

void make_light(Picture& picture) {
  constexpr float kMost = 65504;  // of half precision
  auto* image = std::get_if<Image<float>>(&picture.samples);
  if (!image) return;
  const View<float> view = image->view();
  std::int64_t nans = 0, infinities = 0, negatives = 0;
  for (std::int64_t i = 0; i < view.extent(); ++i) {
    float& sample = view.data[i];
    const bool alpha = view.channels == 4 && i % 4 == 3;
    if (std::isnan(sample)) {
      sample = 0;
      ++nans;
    } else if (sample < 0) {
      sample = 0;
      ++negatives;
    } else if (alpha) {
      sample = std::min(sample, 1.0f);
    } else if (std::isinf(sample)) {
      sample = kMost;
      ++infinities;
    }
  }
  const auto warn = [&](std::int64_t count, const char* what) {
    if (count > 0) picture.remarks.push_back({true, fmt::format("{} samples {}", count, what)});
  };
  warn(nans, "are not numbers (NaN) and are taken for 0");
  warn(infinities, "are infinite and are taken for 65504");
  warn(negatives, "are below 0 and are taken for 0");
}

void remark_on_rest(std::size_t bytes, std::vector<Remark>& remarks) {
  if (bytes == 0) return;
  remarks.push_back({true, fmt::format("{} byte{} behind its pixels {} left out", bytes,
                                       bytes == 1 ? "" : "s", bytes == 1 ? "is" : "are")});
}

template <class T>
void unpremultiply(View<T> image) {
  for (std::int64_t y = 0; y < image.height; ++y)
    for (std::int64_t x = 0; x < image.width; ++x) {
      T* pixel = &image(x, y);
      if (pixel[3] == 0) continue;
      for (int c = 0; c < 3; ++c)
        if constexpr (std::is_floating_point_v<T>) {
          pixel[c] /= pixel[3];
        } else {
          constexpr std::uint64_t kFull = static_cast<T>(-1);
          pixel[c] =
              static_cast<T>(std::min<std::uint64_t>((pixel[c] * kFull + pixel[3] / 2) / pixel[3], kFull));
        }
    }
}
template void unpremultiply(View<std::uint8_t>);
template void unpremultiply(View<std::uint16_t>);
template void unpremultiply(View<float>);

void drop_empty_alpha(Picture& picture) {
  const auto* image = std::get_if<Image<std::uint8_t>>(&picture.samples);
  if (!image || image->channels() != 4) return;
  const View<const std::uint8_t> view = image->view();
  for (std::int64_t i = 3; i < view.extent(); i += 4)
    if (view.data[i] != 0) return;
  picture.samples = to_rgb8(picture);
  picture.remarks.push_back({false, "its alpha is 0 in every pixel and is left out"});
}

template <class T>
Picture picture_of_inks(View<const T> cmyk, Bytes icc) {
  try {
    return {srgb_from_cmyk(cmyk, icc),
            {},
            {{false, "its CMYK inks are converted to sRGB by their colour profile"}}};
  } catch (const Error&) {
    Image<T> rgb(cmyk.width, cmyk.height, 3);
    for (std::int64_t y = 0; y < cmyk.height; ++y)
      for (std::int64_t x = 0; x < cmyk.width; ++x)
        for (int c = 0; c < 3; ++c) rgb.view()(x, y, c) = light_through(cmyk(x, y, c), cmyk(x, y, 3));
    return {std::move(rgb), {}, {{!icc.empty(), "its CMYK inks are made RGB without a colour profile"}}};
  }
}
template Picture picture_of_inks(View<const std::uint8_t>, Bytes);
template Picture picture_of_inks(View<const std::uint16_t>, Bytes);

int exif_orientation(Bytes bytes) noexcept {
  try {
    const Format format = sniff(bytes, {});
    const FileExtras extras = format == Format::unknown ? FileExtras{} : read_extras(bytes, format);
    return extras.carried.exif.empty() ? 1 : orientation_of(extras.carried.exif);
  } catch (...) {
    return 1;
  }
}

Picture upright(Picture picture, int orientation) {
  if (orientation <= 1 || orientation > 8) return picture;
  std::visit([&](auto& image) { image = turned(image, orientation); }, picture.samples);
  picture.orientation = orientation;
  return picture;
}

}  // namespace scanlens
