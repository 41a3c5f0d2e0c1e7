// Pictures for the tests of reading and writing them, and the ways in and out of a folder.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "app/io/picture.h"
#include "tests/unit/support/files.h"
#include "tests/unit/support/support.h"

namespace scanlens::test {

inline const Limits kLimits;

template <class T>
Picture random_picture(int width, int height, int channels) {
  return {random_image<T>(width, height, channels)};
}

// Smooth, with detail that a JPEG keeps.
inline Picture smooth_picture(int width, int height, int channels) {
  Image<std::uint8_t> image(width, height, channels);
  const View<std::uint8_t> view = image.view();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c)
        view(x, y, c) = static_cast<std::uint8_t>(128 + 100 * std::sin(0.05 * x + c) * std::cos(0.07 * y));
  return {std::move(image)};
}

template <class T>
std::vector<T> samples(const Picture& picture) {
  const Image<T>* image = std::get_if<Image<T>>(&picture.samples);
  if (!image) return {};
  return {image->view().data, image->view().data + image->view().extent()};
}

using Bytes8 = std::vector<std::uint8_t>;
using Bytes16 = std::vector<std::uint16_t>;

inline std::string saved_bytes(const TemporaryFolder& folder, const std::string& name,
                               const Picture& picture) {
  write_picture(folder / name, picture);
  return load(folder / name);
}

inline Failure reading(const TemporaryFolder& folder, const std::string& name, const std::string& bytes,
                       const Limits& limits = kLimits) {
  save(folder / name, bytes);
  const Failure failure = failure_of([&] { read_picture(folder / name, limits); });
  if (!failure.message.empty()) {
    EXPECT_TRUE(failure.message.starts_with((folder / name).string() + ": ")) << failure.message;
  }
  return failure;
}

inline Picture read_bytes(const TemporaryFolder& folder, const std::string& name, const std::string& bytes) {
  save(folder / name, bytes);
  return read_picture(folder / name, kLimits);
}

// Files of the simple formats, byte by byte.
inline std::string bmp_file() {  // 2 x 2, 24 bits, rows bottom-up and padded to 8 bytes
  return "BM" + little_endian_32(54 + 16) + little_endian_32(0) + little_endian_32(54) +
         little_endian_32(40) + little_endian_32(2) + little_endian_32(2) + little_endian_16(1) +
         little_endian_16(24) + little_endian_32(0) + little_endian_32(16) + std::string(16, '\0') +
         bytes_of(7, 8, 9, 10, 11, 12, 0, 0) + bytes_of(1, 2, 3, 4, 5, 6, 0, 0);
}

inline std::string tga_file(int type, int bits, int width, int height, const std::string& data) {
  return bytes_of(0, 0, type) + std::string(9, '\0') + little_endian_16(static_cast<unsigned>(width)) +
         little_endian_16(static_cast<unsigned>(height)) + bytes_of(bits, 0x20) +
         data;  // 0x20: top row first
}

inline std::string hdr_file() {  // narrower than 8 pixels: no run lengths
  return "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n" + bytes_of(128, 64, 0, 129, 255, 0, 0, 0);
}

}  // namespace scanlens::test
