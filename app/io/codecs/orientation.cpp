#include <algorithm>
#include <exiv2/exiv2.hpp>
#include <mutex>

#include "app/io/codecs/codecs.h"

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

std::mutex exiv2_mutex;  // its log level and its XMP parser, which runs along, are global

/// Returns the orientation in the EXIF data that `read` returns, 1 when there is none or none that makes
/// sense.
int orientation_in(const auto& read) noexcept {
  try {
    const std::lock_guard lock(exiv2_mutex);
    Exiv2::LogMsg::setLevel(Exiv2::LogMsg::mute);
    const Exiv2::ExifData exif = read();
    const auto found = exif.findKey(Exiv2::ExifKey("Exif.Image.Orientation"));
    if (found == exif.end() || found->count() == 0) return 1;
#if EXIV2_TEST_VERSION(0, 28, 0)
    const auto value = found->toInt64();
#else
    const auto value = found->toLong();
#endif
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  } catch (...) {
    return 1;  // the pixels are sound, and metadata that cannot be read says nothing
  }
}

}  // namespace

int exif_orientation(Bytes bytes) noexcept {
  return orientation_in([&] {
    const auto image = Exiv2::ImageFactory::open(reinterpret_cast<const Exiv2::byte*>(bytes.data()),
                                                 static_cast<long>(bytes.size()));
    image->readMetadata();
    return image->exifData();
  });
}

int orientation_of_exif(Bytes exif) noexcept {
  return orientation_in([&] {
    Exiv2::ExifData data;
    Exiv2::ExifParser::decode(data, reinterpret_cast<const Exiv2::byte*>(exif.data()),
                              static_cast<std::uint32_t>(exif.size()));
    return data;
  });
}

Picture upright(Picture picture, int orientation) {
  if (orientation <= 1 || orientation > 8) return picture;
  std::visit([&](auto& image) { image = turned(image, orientation); }, picture.samples);
  return picture;
}

}  // namespace scanlens
