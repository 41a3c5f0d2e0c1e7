#include <algorithm>

#include "app/io/codecs/codecs.h"
#include "app/io/metadata/containers.h"
#include "app/io/metadata/metadata.h"

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

int exif_orientation(Bytes bytes) noexcept {
  try {
    const FileExtras extras = read_extras(bytes, sniff(bytes, {}));
    return extras.exif.empty() ? 1 : orientation_of(extras.exif);
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
