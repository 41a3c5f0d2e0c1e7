#include "app/picture.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <turbojpeg.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <functional>
#include <limits>
#include <random>
#include <thread>

#include "app/file.h"
#include "app/signals.h"
#include "tests/unit/files_support.h"

namespace scanlens::test {
namespace {

const Limits kLimits;

std::mt19937 generator() {
  const char* text = std::getenv("SCANLENS_TEST_SEED");
  const unsigned seed = text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 20240607u;
  std::printf("seed %u (SCANLENS_TEST_SEED)\n", seed);
  return std::mt19937(seed);
}

template <class T>
Picture random_picture(int width, int height, int channels, std::mt19937& random) {
  Image<T> image(width, height, channels);
  for (std::int64_t i = 0; i < image.view().extent(); ++i) image.view().data[i] = static_cast<T>(random());
  return {std::move(image)};
}

// Smooth, with detail that a JPEG keeps.
Picture smooth_picture(int width, int height, int channels) {
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

std::string saved_bytes(const TemporaryFolder& folder, const std::string& name, const Picture& picture) {
  write_picture(folder / name, picture);
  return load(folder / name);
}

Failure reading(const TemporaryFolder& folder, const std::string& name, const std::string& bytes,
                const Limits& limits = kLimits) {
  save(folder / name, bytes);
  const Failure failure = failure_of([&] { read_picture(folder / name, limits); });
  if (!failure.message.empty()) {
    EXPECT_TRUE(failure.message.starts_with((folder / name).string() + ": ")) << failure.message;
  }
  return failure;
}

Picture read_bytes(const TemporaryFolder& folder, const std::string& name, const std::string& bytes) {
  save(folder / name, bytes);
  return read_picture(folder / name, kLimits);
}

// ---- formats
// -------------------------------------------------------------------------------------------------------

template <class T>
void round_trip_png() {
  const TemporaryFolder folder;
  std::mt19937 random(1);
  for (const int channels : {1, 3, 4})
    for (const auto& [width, height] : {std::pair{1, 1}, {7, 5}, {300, 2}, {64, 65}}) {
      const Picture picture = random_picture<T>(width, height, channels, random);
      write_picture(folder / "a.png", picture);
      const Picture again = read_picture(folder / "a.png", kLimits);
      EXPECT_EQ(again.width(), width);
      EXPECT_EQ(again.height(), height);
      EXPECT_EQ(again.channels(), channels);
      EXPECT_EQ(samples<T>(again), samples<T>(picture)) << width << " x " << height << " x " << channels;
    }
}

TEST(Picture, PngKeepsEightBits) {
  round_trip_png<std::uint8_t>();
}
TEST(Picture, PngKeepsSixteenBits) {
  round_trip_png<std::uint16_t>();
}

TEST(Picture, DescribesItself) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_bytes(folder, "a.png", png_file({2, 1, 8, 2, "abcdef", ""})).description(),
            "2 x 1 RGB, 8 bit");
  EXPECT_EQ(read_bytes(folder, "a.png", png_file({2, 1, 16, 0, "abcd", ""})).description(),
            "2 x 1 grey, 16 bit");
}

TEST(Picture, ReadsEveryKindOfPng) {
  const TemporaryFolder folder;
  const auto read8 = [&](const PngParts& png) {
    return samples<std::uint8_t>(read_bytes(folder, "a.png", png_file(png)));
  };
  const auto read16 = [&](const PngParts& png) {
    return samples<std::uint16_t>(read_bytes(folder, "a.png", png_file(png)));
  };
  const std::string palette = png_chunk("PLTE", bytes_of(10, 20, 30, 40, 50, 60));
  EXPECT_EQ(read8({4, 1, 1, 0, bytes_of(0b10100000), ""}), (Bytes8{255, 0, 255, 0}));
  EXPECT_EQ(read8({4, 1, 2, 0, bytes_of(0b00011011), ""}), (Bytes8{0, 85, 170, 255}));
  EXPECT_EQ(read8({2, 1, 4, 0, bytes_of(0x3f), ""}), (Bytes8{51, 255}));
  EXPECT_EQ(read8({2, 1, 8, 0, bytes_of(7, 9), ""}), (Bytes8{7, 9}));
  EXPECT_EQ(read8({2, 1, 1, 3, bytes_of(0b10000000), palette}), (Bytes8{40, 50, 60, 10, 20, 30}));
  EXPECT_EQ(read8({2, 1, 8, 3, bytes_of(0, 1), palette + png_chunk("tRNS", bytes_of(99))}),
            (Bytes8{10, 20, 30, 99, 40, 50, 60, 255}));
  EXPECT_EQ(read8({2, 1, 8, 0, bytes_of(7, 9), png_chunk("tRNS", bytes_of(0, 9))}),
            (Bytes8{7, 7, 7, 255, 9, 9, 9, 0}));
  EXPECT_EQ(read8({2, 1, 8, 2, bytes_of(1, 2, 3, 4, 5, 6), png_chunk("tRNS", bytes_of(0, 1, 0, 2, 0, 3))}),
            (Bytes8{1, 2, 3, 0, 4, 5, 6, 255}));
  EXPECT_EQ(read8({1, 1, 8, 4, bytes_of(8, 200), ""}), (Bytes8{8, 8, 8, 200}));
  EXPECT_EQ(read16({1, 1, 16, 0, bytes_of(0x12, 0x34), ""}), (Bytes16{0x1234}));
  EXPECT_EQ(read16({1, 1, 16, 2, bytes_of(0, 1, 2, 3, 0xff, 0xfe), ""}), (Bytes16{1, 0x203, 0xfffe}));
  EXPECT_EQ(read16({1, 1, 16, 4, bytes_of(1, 2, 3, 4), ""}), (Bytes16{0x102, 0x102, 0x102, 0x304}));
  EXPECT_EQ(read16({2, 1, 16, 0, bytes_of(1, 2, 1, 3), png_chunk("tRNS", bytes_of(1, 2))}),
            (Bytes16{0x102, 0x102, 0x102, 0, 0x103, 0x103, 0x103, 0xffff}));
}

TEST(Picture, JpegStaysClose) {
  const TemporaryFolder folder;
  for (const int channels : {1, 3}) {
    const Picture picture = smooth_picture(75, 50, channels);
    write_picture(folder / "a.JPG", picture);
    const Picture again = read_picture(folder / "a.JPG", kLimits);
    ASSERT_EQ(again.channels(), channels);
    const Bytes8 before = samples<std::uint8_t>(picture), after = samples<std::uint8_t>(again);
    ASSERT_EQ(before.size(), after.size());
    int most = 0;
    for (std::size_t i = 0; i < before.size(); ++i) most = std::max(most, std::abs(before[i] - after[i]));
    EXPECT_LE(most, 4) << "quality 95 quantises smooth content by a few steps at most";
  }
}

TEST(Picture, JpegQualityDecidesSizeAndChroma) {
  const TemporaryFolder folder;
  const Picture picture = smooth_picture(64, 64, 3);
  const auto subsampling = [&](int quality) {
    write_picture(folder / "a.jpeg", picture, {quality});
    const std::string file = load(folder / "a.jpeg");
    int width = 0, height = 0, chroma = -1, colors = -1;
    const tjhandle handle = tjInitDecompress();
    tjDecompressHeader3(handle, reinterpret_cast<const unsigned char*>(file.data()), file.size(), &width,
                        &height, &chroma, &colors);
    tjDestroy(handle);
    return std::pair{chroma, file.size()};
  };
  EXPECT_EQ(subsampling(90).first, TJSAMP_444);
  EXPECT_EQ(subsampling(89).first, TJSAMP_420);
  EXPECT_LT(subsampling(30).second, subsampling(95).second);
  expect_failure(failure_of([&] { write_picture(folder / "a.jpg", picture, {0}); }), "quality",
                 ErrorKind::usage);
}

TEST(Picture, SixteenBitsRoundToEightInJpeg) {
  const TemporaryFolder folder;
  // A flat block at quality 100 is one DC coefficient without loss. 257 steps of 16 bits make one of 8.
  for (const auto& [wide, narrow] :
       {std::pair{0, 0}, {25700, 100}, {25828, 100}, {25829, 101}, {65535, 255}}) {
    Image<std::uint16_t> image(16, 16);
    std::fill_n(image.view().data, 256, static_cast<std::uint16_t>(wide));
    write_picture(folder / "a.jpg", {std::move(image)}, {100});
    EXPECT_EQ(samples<std::uint8_t>(read_picture(folder / "a.jpg", kLimits)), Bytes8(256, narrow)) << wide;
  }
}

TEST(Picture, FloatSamplesAreClippedAndEncoded) {
  const TemporaryFolder folder;
  Image<float> image(4, 2, 4);
  const float light[] = {0, 1,      2, 1, -1, 0.5f, 0.18f, 0.5f, NAN, INFINITY, -INFINITY,
                         2, 0.002f, 0, 0, -1, 1,    1,     1,    NAN, 1,        1,
                         1, 0.25f,  0, 0, 0,  0.1f, 0,     0,    0,   0};
  std::copy(std::begin(light), std::end(light), image.view().data);
  write_picture(folder / "a.png", {std::move(image)});
  // IEC 61966-2-1 worked out apart from this program; alpha is not light.
  const Bytes16 expected = {0,     65535, 65535, 65535, 0, 48192, 30235, 32768, 0, 65535, 0,
                            65535, 1693,  0,     0,     0, 65535, 65535, 65535, 0, 65535, 65535,
                            65535, 16384, 0,     0,     0, 6554,  0,     0,     0, 0};
  EXPECT_EQ(samples<std::uint16_t>(read_picture(folder / "a.png", kLimits)), expected);
}

std::string bmp_file() {  // 2 x 2, 24 bits, rows bottom-up and padded to 8 bytes
  return "BM" + little_endian_32(54 + 16) + little_endian_32(0) + little_endian_32(54) +
         little_endian_32(40) + little_endian_32(2) + little_endian_32(2) + little_endian_16(1) +
         little_endian_16(24) + little_endian_32(0) + little_endian_32(16) + std::string(16, '\0') +
         bytes_of(7, 8, 9, 10, 11, 12, 0, 0) + bytes_of(1, 2, 3, 4, 5, 6, 0, 0);
}

std::string tga_file(int type, int bits, int width, int height, const std::string& data) {
  return bytes_of(0, 0, type) + std::string(9, '\0') + little_endian_16(static_cast<unsigned>(width)) +
         little_endian_16(static_cast<unsigned>(height)) + bytes_of(bits, 0x20) +
         data;  // 0x20: top row first
}

std::string hdr_file() {  // narrower than 8 pixels: no run lengths
  return "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 2\n" + bytes_of(128, 64, 0, 129, 255, 0, 0, 0);
}

TEST(Picture, ReadsBmpTgaAndHdr) {
  const TemporaryFolder folder;
  EXPECT_EQ(samples<std::uint8_t>(read_bytes(folder, "a.bmp", bmp_file())),
            (Bytes8{3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10}));
  EXPECT_EQ(samples<std::uint8_t>(read_bytes(folder, "a.tga", tga_file(3, 8, 3, 1, bytes_of(1, 2, 3)))),
            (Bytes8{1, 2, 3}));
  EXPECT_EQ(samples<std::uint8_t>(read_bytes(folder, "a.TGA", tga_file(2, 32, 1, 1, bytes_of(1, 2, 3, 4)))),
            (Bytes8{3, 2, 1, 4}));
  EXPECT_EQ(
      samples<std::uint8_t>(read_bytes(folder, "a.tga", tga_file(11, 8, 4, 1, bytes_of(0x82, 9, 0, 5)))),
      (Bytes8{9, 9, 9, 5}));
  // Radiance: mantissa * 2^(exponent - 136).
  EXPECT_EQ(samples<float>(read_bytes(folder, "a.hdr", hdr_file())),
            (std::vector<float>{1, 0.5f, 0, 0, 0, 0}));
}

TEST(Picture, ReadsPnm) {
  const TemporaryFolder folder;
  EXPECT_EQ(samples<std::uint8_t>(read_bytes(folder, "a.pgm", "P5 # remark\n2 1\n255\n" + bytes_of(1, 255))),
            (Bytes8{1, 255}));
  EXPECT_EQ(samples<std::uint8_t>(read_bytes(folder, "a.ppm", "P6\n1 1 255 " + bytes_of(' ', 2, 3))),
            (Bytes8{32, 2, 3}));
  EXPECT_EQ(samples<std::uint8_t>(read_bytes(folder, "a.pgm", "P5 3 1 100\n" + bytes_of(0, 50, 100))),
            (Bytes8{0, 128, 255}));
  EXPECT_EQ(samples<std::uint16_t>(read_bytes(folder, "a.pgm", "P5 1 1 65535\n" + bytes_of(0x12, 0x34))),
            (Bytes16{0x1234}));
  EXPECT_EQ(samples<std::uint16_t>(read_bytes(folder, "a.pgm", "P5 2 1 1000\n" + bytes_of(3, 0xe8, 1, 0xf4))),
            (Bytes16{65535, 32768}));
  for (const char* header : {"P5", "P5 1", "P5 1 1", "P5 1 1 255", "P5 x 1 255\n", "P5 1 1 0\n",
                             "P5 1 1 70000\n", "P5 -1 1 255\n", "P5 0 1 255\n", "P5 # no end", "P5 1 1 1e3x",
                             "P5 99999999999999999999 1 255\n", "P6 4294967296 4294967296 255\n"})
    EXPECT_FALSE(reading(folder, "a.pgm", header + std::string(1, 'x')).message.empty()) << header;
}

TEST(Picture, ShortFilesOfSimpleFormatsAreRefused) {
  const TemporaryFolder folder;
  const std::string pnm = "P6 9 1 255\n" + std::string(27, 'x');
  const std::string wide_tga = tga_file(3, 8, 128, 3, std::string(384, 'x'));  // rows of stb's read-ahead
  const std::string run_tga = tga_file(10, 24, 4, 1, bytes_of(0x82, 1, 2, 3, 0, 4, 5, 6));
  const std::pair<const char*, std::string> files[] = {
      {"a.bmp", bmp_file().substr(0, 54 + 14)},  // without the last padding, which nobody needs
      {"a.tga", wide_tga},
      {"b.tga", run_tga},
      {"a.hdr", hdr_file()},
      {"a.ppm", pnm}};
  for (const auto& [name, bytes] : files) {
    EXPECT_EQ(reading(folder, name, bytes).message, "") << name;
    for (std::size_t size = 1; size < bytes.size(); ++size)
      EXPECT_NE(reading(folder, name, bytes.substr(0, size)).message, "") << name << " cut to " << size;
  }
}

TEST(Picture, TheBytesDecideNotTheName) {
  const TemporaryFolder folder;
  const std::string png = png_file({1, 1, 8, 0, bytes_of(5), ""});
  EXPECT_EQ(samples<std::uint8_t>(read_bytes(folder, "a.jpg", png)), Bytes8{5});
  EXPECT_EQ(samples<std::uint8_t>(read_bytes(folder, "a.tga", png)), Bytes8{5});
  const std::string tga = tga_file(3, 8, 1, 1, bytes_of(1));
  expect_failure(reading(folder, "a.bin", tga),
                 "not a picture in a known format (JPEG, PNG, BMP, TGA, HDR, PNM)");
  expect_failure(reading(folder, "a.png", "just a text\n"), "not a picture in a known format");
  expect_failure(reading(folder, "a.tga", "just a text that is long enough\n"),
                 "not a picture in a known format");
  expect_failure(reading(folder, "a.gif", "GIF89a" + std::string(40, '\1')),
                 "not a picture in a known format");
}

// ---- orientation
// ---------------------------------------------------------------------------------------------------

// EXIF 2.32: the sides of the upright picture at which the stored rows and columns begin.
struct Sides {
  char row, column;
};
constexpr Sides kSides[] = {{'t', 'l'}, {'t', 'r'}, {'b', 'r'}, {'b', 'l'},
                            {'l', 't'}, {'r', 't'}, {'r', 'b'}, {'l', 'b'}};

template <class Check>
void for_each_pixel(int orientation, int stored_width, int stored_height, Check check) {
  const bool sideways = orientation > 4;
  const int width = sideways ? stored_height : stored_width, height = sideways ? stored_width : stored_height;
  for (int row = 0; row < stored_height; ++row)
    for (int column = 0; column < stored_width; ++column) {
      int x = 0, y = 0;
      for (const auto& [side, steps] :
           {std::pair{kSides[orientation - 1].row, row}, {kSides[orientation - 1].column, column}}) {
        if (side == 't') y = steps;
        if (side == 'b') y = height - 1 - steps;
        if (side == 'l') x = steps;
        if (side == 'r') x = width - 1 - steps;
      }
      check(column, row, x, y);
    }
}

TEST(Picture, AppliesTheOrientationOfPng) {
  const TemporaryFolder folder;
  std::string rows;
  for (int i = 0; i < 70 * 67 * 3; ++i) rows += static_cast<char>(i * 7 / 3);
  for (const int color_type : {0, 2})
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const int channels = color_type == 0 ? 1 : 3;
      const Picture picture = read_bytes(
          folder, "a.png",
          png_file({70, 67, 8, color_type, rows.substr(0, static_cast<std::size_t>(70 * 67 * channels)),
                    png_chunk("eXIf", exif_block(orientation))}));
      ASSERT_EQ(picture.width(), orientation > 4 ? 67 : 70);
      const View<const std::uint8_t> view = std::get<Image<std::uint8_t>>(picture.samples).view();
      int wrong = 0;
      for_each_pixel(orientation, 70, 67, [&](int column, int row, int x, int y) {
        for (int c = 0; c < channels; ++c)
          wrong += view(x, y, c) != static_cast<std::uint8_t>(
                                        rows[static_cast<std::size_t>((row * 70 + column) * channels + c)]);
      });
      EXPECT_EQ(wrong, 0) << "orientation " << orientation << ", colour type " << color_type;
    }
}

TEST(Picture, AppliesTheOrientationOfJpeg) {
  const TemporaryFolder folder;
  Image<std::uint8_t> image(24, 16);
  const auto value = [](int x, int y) { return 20 + 40 * (y / 8 * 3 + x / 8); };  // a level for each block
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 24; ++x) image.view()(x, y) = static_cast<std::uint8_t>(value(x, y));
  const std::string jpeg = saved_bytes(folder, "plain.jpg", {std::move(image)});
  for (int orientation = 1; orientation <= 8; ++orientation) {
    const Picture picture = read_bytes(folder, "a.jpg", with_exif(jpeg, exif_block(orientation)));
    ASSERT_EQ(picture.width(), orientation > 4 ? 16 : 24);
    const View<const std::uint8_t> view = std::get<Image<std::uint8_t>>(picture.samples).view();
    for_each_pixel(orientation, 24, 16, [&](int column, int row, int x, int y) {
      EXPECT_NEAR(view(x, y), value(column, row), 3) << orientation << ": " << x << ", " << y;
    });
  }
}

TEST(Picture, SenselessMetadataIsIgnored) {
  const TemporaryFolder folder;
  const std::string jpeg = saved_bytes(folder, "plain.jpg", smooth_picture(24, 16, 3));
  for (const std::string& block :
       {exif_block(0), exif_block(9), exif_block(255), exif_block(6).substr(0, 14),
        std::string("II*\0\xff\xff\xff\xff", 8), std::string("rubbish"), std::string()}) {
    const Picture picture = read_bytes(folder, "a.jpg", with_exif(jpeg, block));
    EXPECT_EQ(picture.width(), 24);
    EXPECT_EQ(picture.height(), 16);
  }
}

// ---- bad input
// -----------------------------------------------------------------------------------------------------

TEST(Picture, SaysWhyAFileCannotBeRead) {
  const TemporaryFolder folder;
  const auto failure = [&](const std::string& name) {
    return failure_of([&] { read_picture(folder / name, kLimits); });
  };
  EXPECT_EQ(failure("none.jpg").message, (folder / "none.jpg").string() + ": no such file");
  EXPECT_EQ(failure("").message, (folder / "").string() + ": is a directory");
  expect_failure(reading(folder, "empty.png", ""), "the file is empty");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_failure(failure("pipe"), "not a regular file");
  expect_failure(failure_of([] { read_picture("/dev/zero", kLimits); }), "not a regular file");
  save(folder / "secret.png", "x");
  fs::permissions(folder / "secret.png", fs::perms::none);
  if (geteuid() != 0) expect_failure(failure("secret.png"), "permission denied");
}

TEST(Picture, DamagedPngIsRefused) {
  const TemporaryFolder folder;
  const std::string png =
      png_file({4, 4, 8, 0, std::string(16, 'x'), png_chunk("tEXt", std::string("a\0b", 3))});
  EXPECT_EQ(reading(folder, "a.png", png).message, "");
  for (const char* chunk : {"IHDR", "tEXt", "IDAT", "IEND"}) {
    const std::size_t at = png.find(chunk);
    const auto length = static_cast<unsigned char>(png[at - 1]);
    std::string damaged = png;
    damaged[at + 4 + length + 1] ^= 1;  // within the CRC
    expect_failure(reading(folder, "a.png", damaged), "the PNG data is corrupt (bad CRC");
  }
  expect_failure(reading(folder, "a.png", png.substr(0, png.size() - 12)), "the PNG data is truncated");
  expect_failure(reading(folder, "a.png", png_header({}) + png_chunk("IEND", "")), "the PNG data is");
  expect_failure(reading(folder, "a.png", png_file({0, 1, 8, 0, "x", ""})), "the PNG data is");
}

TEST(Picture, CmykJpegIsRefused) {
  const TemporaryFolder folder;
  const std::vector<unsigned char> pixels(16 * 16 * 4, 100);
  const tjhandle handle = tjInitCompress();
  unsigned char* data = nullptr;
  unsigned long size = 0;
  ASSERT_EQ(tjCompress2(handle, pixels.data(), 16, 64, 16, TJPF_CMYK, &data, &size, TJSAMP_444, 90, 0), 0);
  const std::string file(reinterpret_cast<char*>(data), size);
  tjFree(data);
  tjDestroy(handle);
  expect_failure(reading(folder, "a.jpg", file), "CMYK");
}

TEST(Picture, TheGateComesBeforeAnyAllocation) {
  const TemporaryFolder folder;
  const std::string huge =
      png_header({40000, 40000, 8, 2, "", ""}) + png_chunk("IDAT", std::string(1000, 'x'));
  expect_failure(reading(folder, "a.png", huge),
                 "40000 x 40000 is 1.6 Gpx, more than the limit of 1.07 Gpx (--max-pixels)");
  const std::string small = png_file({10, 10, 8, 0, std::string(100, 'x'), ""});
  EXPECT_EQ(reading(folder, "a.png", small, {100, 100}).message, "");
  expect_failure(reading(folder, "a.png", small, {99, 100}), "100 px, more than the limit of 99 px");
  expect_failure(reading(folder, "a.png", small, {100, 99}),
                 "takes 100 B decoded, more than the limit of 99 B", ErrorKind::retry);
  const std::string bomb =
      png_header({20000, 20000, 8, 0, "", ""}) + png_chunk("IDAT", std::string(400000, 'x'));
  expect_failure(reading(folder, "a.png", bomb), "from 400 kB to 400 MB, 999 times");
  const std::string run = tga_file(10, 24, 30000, 30000, std::string(1000, 'x'));
  expect_failure(reading(folder, "a.tga", run), "decompression bomb");
  expect_failure(reading(folder, "a.pgm", "P5 2000000 2000000 255\n "), "more than the limit");
  save(folder / "long.png", small);
  fs::resize_file(folder / "long.png", 70'000'000);
  expect_failure(failure_of([&] {
                   read_picture(folder / "long.png", {100, SIZE_MAX});
                 }),
                 "the file has 70 MB, more than");
}

TEST(Picture, EveryTruncationIsNoticed) {
  const TemporaryFolder folder;
  for (const char* name : {"a.jpg", "a.png"}) {
    const std::string file = saved_bytes(folder, name, smooth_picture(97, 61, 3));
    for (std::size_t i = 0; i < 16; ++i)
      EXPECT_NE(reading(folder, name, file.substr(0, file.size() * i / 16)).message, "")
          << name << " " << i << "/16";
    for (const std::size_t missing : {1, 2, 3, 4, 12})
      EXPECT_NE(reading(folder, name, file.substr(0, file.size() - missing)).message, "")
          << name << " - " << missing;
  }
}

TEST(Picture, DamagedBytesNeverCrash) {
  const TemporaryFolder folder;
  std::mt19937 random = generator();
  const Picture picture = smooth_picture(40, 30, 3);
  const std::string png = saved_bytes(folder, "a.png", picture);
  const std::pair<const char*, std::string> files[] = {
      {"a.png", png},        {"a.jpg", with_exif(saved_bytes(folder, "a.jpg", picture), exif_block(6))},
      {"a.bmp", bmp_file()}, {"a.tga", tga_file(10, 24, 4, 1, bytes_of(0x82, 1, 2, 3, 0, 4, 5, 6))},
      {"a.hdr", hdr_file()}, {"a.ppm", "P6 3 1 255\n" + std::string(9, 'x')}};
  const Limits limits{1 << 20, 1 << 24};
  for (const auto& [name, bytes] : files)
    for (int i = 0; i < 300; ++i) {
      std::string damaged = bytes;
      const std::size_t at = random() % bytes.size();
      damaged[at] = static_cast<char>(random());
      save(folder / name, damaged);
      try {
        const Picture result = read_picture(folder / name, limits);
        if (bytes == png) {  // nothing in a PNG is without a checksum
          EXPECT_EQ(samples<std::uint8_t>(result), samples<std::uint8_t>(picture)) << "byte " << at;
        }
      } catch (const Error&) {
      }
    }
}

// ---- writing
// -------------------------------------------------------------------------------------------------------

TEST(Picture, RefusesOutputsThatCannotBe) {
  const TemporaryFolder folder;
  const auto failure = [&](const fs::path& path, const fs::path& input = {}) {
    return failure_of([&] { check_output(path, input); });
  };
  save(folder / "in.png", png_file({1, 1, 8, 0, "x", ""}));
  fs::create_symlink(folder / "in.png", folder / "link.png");
  fs::create_hard_link(folder / "in.png", folder / "hard.png");
  fs::create_symlink(folder / "nowhere.png", folder / "dangling.png");
  fs::create_directory(folder / "folder.png");
  ASSERT_EQ(mkfifo((folder / "pipe.png").c_str(), 0600), 0);

  for (const char* name : {"new.png", "new.JPG", "new.jpeg", "hard.png", "link.png"})
    EXPECT_EQ(failure(folder / name).message, "") << name;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  EXPECT_EQ(failure("new.png").message, "") << "a bare name lies in the current folder";
  expect_failure(failure("in.png", folder / "in.png"), "is the input itself");
  fs::current_path(before);
  for (const char* name : {"a.gif", "a", "a.png.bak", "a.tga"})
    expect_failure(failure(folder / name), ".png, .jpg or .jpeg", ErrorKind::usage);
  expect_failure(failure(folder / "none" / "a.png"), "no such file or directory");
  expect_failure(failure(folder / "in.png" / "a.png"), "is not a folder");
  expect_failure(failure(folder / "folder.png"), "is a directory");
  expect_failure(failure(folder / "pipe.png"), "not a regular file");
  expect_failure(failure(folder / "dangling.png"), "leads nowhere");
  for (const char* name : {"in.png", "link.png", "hard.png"})
    expect_failure(failure(folder / name, folder / "in.png"), "is the input itself");
  EXPECT_EQ(failure(folder / "other.png", folder / "in.png").message, "");
}

TEST(Picture, RefusesAFolderWithoutWritePermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  expect_failure(failure_of([&] { check_output(folder / "a.png"); }), "not writable: permission denied");
  expect_failure(failure_of([&] { write_picture(folder / "a.png", smooth_picture(4, 4, 1)); }),
                 "not writable");
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(Picture, AlphaDoesNotGoIntoJpeg) {
  const TemporaryFolder folder;
  expect_failure(failure_of([&] { write_picture(folder / "a.jpg", smooth_picture(4, 4, 4)); }), "alpha");
  EXPECT_TRUE(folder.names().empty());
}

// Runs `body` in a child process and returns how that ended, as waitpid tells.
int status_of_child(const std::function<int()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    int code = 99;
    try {
      code = body();
    } catch (...) {
    }
    _exit(code);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST(Picture, AFullDiskLeavesTheFolderAsItWas) {
  const TemporaryFolder folder;
  save(folder / "old.png", "what was there before");
  for (const char* name : {"new.png", "old.png"})
    for (const auto temporary : {AtomicFile::Temporary::nameless, AtomicFile::Temporary::named}) {
      const int status = status_of_child([&] {
        install_signal_handlers();  // or SIGXFSZ would end the process
        const rlimit limit = {5000, 5000};
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 1;
        const Failure failure = failure_of([&] {
          AtomicFile file(folder / name, temporary);
          const std::vector<std::byte> data(100'000);
          file.write(data);
          file.commit();
        });
        if (failure.message.find("cannot be written: file too large") == std::string::npos) return 2;
        std::mt19937 random(1);
        const Picture noise = random_picture<std::uint8_t>(100, 100, 3, random);
        return failure_of([&] { write_picture(folder / name, noise); }).message.empty() ? 3 : 0;
      });
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
      EXPECT_EQ(folder.names(), std::vector<std::string>{"old.png"});
      EXPECT_EQ(load(folder / "old.png"), "what was there before");
    }
}

std::vector<std::byte> as_bytes(const std::string& text) {
  const auto* first = reinterpret_cast<const std::byte*>(text.data());
  return {first, first + text.size()};
}

TEST(AtomicFile, AppearsWholeOrNotAtAll) {
  for (const auto temporary : {AtomicFile::Temporary::nameless, AtomicFile::Temporary::named}) {
    const TemporaryFolder folder;
    {
      AtomicFile abandoned(folder / "a", temporary);
      abandoned.write(as_bytes("half"));
    }
    EXPECT_TRUE(folder.names().empty());
    for (const char* text : {"first", "second"}) {
      AtomicFile file(folder / "a", temporary);
      file.write(as_bytes(text));
      EXPECT_NE(load(folder / "a"), text);
      file.commit();
      EXPECT_EQ(load(folder / "a"), text);
      EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
    }
  }
}

TEST(AtomicFile, KeepsPermissionsAndFollowsLinks) {
  const auto mode = [](const fs::path& path) {
    struct stat status = {};
    return stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0u;
  };
  for (const auto temporary : {AtomicFile::Temporary::nameless, AtomicFile::Temporary::named}) {
    const TemporaryFolder folder;
    const auto put = [&](const char* name, const std::string& text) {
      AtomicFile file(folder / name, temporary);
      file.write(as_bytes(text));
      file.commit();
    };
    const mode_t before = umask(027);
    put("fresh", "text");
    umask(before);
    EXPECT_EQ(mode(folder / "fresh"), 0640u);
    save(folder / "old", "old");
    ASSERT_EQ(chmod((folder / "old").c_str(), 0604), 0);
    fs::create_symlink("old", folder / "link");
    put("link", "new");
    EXPECT_TRUE(fs::is_symlink(folder / "link"));
    EXPECT_EQ(load(folder / "old"), "new");
    EXPECT_EQ(mode(folder / "old"), 0604u);
  }
}

TEST(Signals, WaitForTheCommitInHand) {
  const TemporaryFolder folder;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const int status = status_of_child([&] {
      install_signal_handlers();
      AtomicFile file(folder / "done", AtomicFile::Temporary::named);
      file.write(as_bytes("whole"));
      raise(signal);
      file.commit();
      return 1;  // not reached: the signal takes effect when the commit is over
    });
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << status;
    EXPECT_EQ(folder.names(), std::vector<std::string>{"done"});
    EXPECT_EQ(load(folder / "done"), "whole");
  }
}

TEST(Signals, TakeEffectAtOnceOtherwise) {
  const int status = status_of_child([] {
    install_signal_handlers();
    { const CommitGuard over; }
    raise(SIGTERM);
    return 1;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  const int nested = status_of_child([] {
    install_signal_handlers();
    const CommitGuard outer;
    raise(SIGINT);
    { const CommitGuard inner; }
    _exit(7);  // still within the outer guard
    return 0;
  });
  EXPECT_TRUE(WIFEXITED(nested) && WEXITSTATUS(nested) == 7) << nested;
}

TEST(Signals, LeaveNoTemporaryFileOfManyThreads) {
  for (int round = 0; round < 20; ++round) {
    const TemporaryFolder folder;
    const pid_t child = fork();
    if (child == 0) {
      install_signal_handlers();
      std::vector<std::thread> threads;
      for (int i = 0; i < 8; ++i)
        threads.emplace_back([&folder, i] {
          const std::vector<std::byte> data(100'000);
          for (;;) {
            AtomicFile file(folder / std::to_string(i), AtomicFile::Temporary::named);
            file.write(data);
            file.commit();
          }
        });
      for (std::thread& thread : threads) thread.join();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10 + round));
    kill(child, SIGTERM);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    for (const std::string& name : folder.names()) {
      EXPECT_EQ(name.size(), 1u) << name;
      EXPECT_EQ(fs::file_size(folder / name), 100'000u) << name;
    }
  }
}

TEST(Signals, RespectWhatWasIgnoredBefore) {
  const int status = status_of_child([] {
    std::signal(SIGHUP, SIG_IGN);
    install_signal_handlers();
    raise(SIGHUP);
    return 7;
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

}  // namespace
}  // namespace scanlens::test
