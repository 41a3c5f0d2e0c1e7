// Pictures that are as they should be: formats, conversions, orientation.
#include "app/io/picture.h"

#include <turbojpeg.h>

#include <algorithm>
#include <limits>

#include "app/io/format.h"
#include "tests/unit/support/pictures.h"

namespace scanlens::test {
namespace {

template <class T>
void round_trip_png() {
  const TemporaryFolder folder;
  for (const int channels : {1, 3, 4})
    for (const auto& [width, height] : {std::pair{1, 1}, {7, 5}, {300, 2}, {64, 65}}) {
      const Picture picture = random_picture<T>(width, height, channels);
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
    write_picture(folder / "a.jpeg", picture, {.quality = quality});
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
  expect_failure(failure_of([&] { write_picture(folder / "a.jpg", picture, {.quality = 0}); }), "quality",
                 ErrorKind::usage);
}

TEST(Picture, SixteenBitsRoundToEightInJpeg) {
  const TemporaryFolder folder;
  // A flat block at quality 100 is one DC coefficient without loss. 257 steps of 16 bits make one of 8.
  for (const auto& [wide, narrow] :
       {std::pair{0, 0}, {25700, 100}, {25828, 100}, {25829, 101}, {65535, 255}}) {
    Image<std::uint16_t> image(16, 16);
    std::fill_n(image.view().data, 256, static_cast<std::uint16_t>(wide));
    write_picture(folder / "a.jpg", {std::move(image)}, {.quality = 100});
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
                 "not a picture in a known format (" + readable_formats() + ")");
  expect_failure(reading(folder, "a.png", "just a text\n"), "not a picture in a known format");
  expect_failure(reading(folder, "a.tga", "just a text that is long enough\n"),
                 "not a picture in a known format");
  expect_failure(reading(folder, "a.psd", "8BPS" + std::string(40, '\1')), "not a picture in a known format");
}

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

}  // namespace
}  // namespace scanlens::test
