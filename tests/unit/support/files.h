// Files made by hand for the tests of pictures and depth maps, without the codecs under test.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "core/error.h"

namespace scanlens::test {

namespace fs = std::filesystem;

/// A folder of its own that goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "scanlens-test-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  fs::path operator/(const std::string& name) const { return path_ / name; }
  const fs::path& path() const { return path_; }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(path_)) all.push_back(entry.path().filename().string());
    return all;
  }

 private:
  fs::path path_;
};

inline void save(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(file.flush()) << path;
}

inline std::string load(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The message of the Error that `call` throws, and its kind; "" when it throws none.
struct Failure {
  std::string message;
  ErrorKind kind = ErrorKind::failed;
};

template <class Call>
Failure failure_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.what(), error.kind()};
  }
  return {};
}

inline void expect_failure(const Failure& failure, const std::string& part,
                           ErrorKind kind = ErrorKind::failed) {
  EXPECT_NE(failure.message.find(part), std::string::npos)
      << "got '" << failure.message << "', not '" << part << "'";
  EXPECT_EQ(static_cast<int>(failure.kind), static_cast<int>(kind)) << failure.message;
}

inline std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

inline std::string little_endian_16(unsigned value) {
  return {static_cast<char>(value), static_cast<char>(value >> 8)};
}

inline std::string little_endian_32(std::uint32_t value) {
  return little_endian_16(value & 0xffff) + little_endian_16(value >> 16);
}

template <class... Values>
std::string bytes_of(Values... values) {
  return {static_cast<char>(values)...};
}

/// A PNG chunk: length, type, data, CRC-32 as ISO 3309 defines it, bit by bit.
inline std::string png_chunk(const std::string& type, const std::string& data) {
  std::uint32_t crc = 0xffffffffu;
  for (const char c : type + data) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  return big_endian(static_cast<std::uint32_t>(data.size())) + type + data + big_endian(~crc);
}

/// A zlib stream of stored blocks: no compression, no library.
inline std::string zlib_stored(const std::string& data) {
  std::string stream = bytes_of(0x78, 0x01);
  std::uint32_t a = 1, b = 0;
  for (const char c : data) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  std::size_t at = 0;
  do {
    const std::size_t count = std::min<std::size_t>(data.size() - at, 65535);
    stream += bytes_of(at + count == data.size()) + little_endian_16(static_cast<unsigned>(count)) +
              little_endian_16(static_cast<unsigned>(~count & 0xffff)) + data.substr(at, count);
    at += count;
  } while (at < data.size());
  return stream + big_endian(b << 16 | a);
}

struct PngParts {
  std::uint32_t width = 1, height = 1;
  int bits = 8;
  int color_type = 0;  ///< 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA
  std::string rows;    ///< the samples of all rows, packed, without filter bytes
  std::string before;  ///< chunks between IHDR and IDAT
};

inline std::string png_header(const PngParts& png) {
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", big_endian(png.width) + big_endian(png.height) +
                                                     bytes_of(png.bits, png.color_type, 0, 0, 0));
}

inline std::string png_file(const PngParts& png) {
  std::string filtered;
  const std::size_t row = png.rows.size() / png.height;
  for (std::uint32_t y = 0; y < png.height; ++y) filtered += bytes_of(0) + png.rows.substr(y * row, row);
  return png_header(png) + png.before + png_chunk("IDAT", zlib_stored(filtered)) + png_chunk("IEND", "");
}

/// A TIFF structure that holds nothing but an orientation: what both JPEG's APP1 and PNG's eXIf carry.
inline std::string exif_block(int orientation) {
  return std::string("MM\0*\0\0\0\x08\0\x01", 10) +
         bytes_of(0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0) + big_endian(0);
}

/// Puts an APP1 segment behind the start of a JPEG.
inline std::string with_exif(const std::string& jpeg, const std::string& block) {
  const std::string data = std::string("Exif\0\0", 6) + block;
  const std::size_t length = data.size() + 2;
  return jpeg.substr(0, 2) + bytes_of(0xff, 0xe1, length >> 8, length & 255) + data + jpeg.substr(2);
}

inline std::string pfm_file(int width, int height, const std::vector<float>& bottom_up,
                            const std::string& scale = "-1.0") {
  std::string file = "Pf\n" + std::to_string(width) + " " + std::to_string(height) + "\n" + scale + "\n";
  for (const float value : bottom_up) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, 4);
    file += scale[0] == '-' ? little_endian_32(bits) : big_endian(bits);
  }
  return file;
}

}  // namespace scanlens::test
