// Pictures that must be refused, each with its cause, and never crash the reader.
#include <algorithm>

#include "tests/unit/support/pictures.h"

namespace scanlens::test {
namespace {

TEST(Picture, SaysWhyAFileCannotBeRead) {
  const TemporaryFolder folder;
  const auto failure = [&](const std::string& name) {
    return failure_of([&] { read_picture(folder / name, kLimits); });
  };
  EXPECT_EQ(failure("none.jpg").message, (folder / "none.jpg").string() + ": no such file");
  EXPECT_EQ(failure("").message, (folder / "").string() + ": is a directory");
  expect_failure(reading(folder, "empty.png", ""), "the file is empty");
  expect_failure(failure_of([] { read_picture("/dev/zero", kLimits); }), "is a device");
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

/// Returns a TIFF of 4 x 4 pixels of one bit in a tile of this size.
std::string tiff_of_one_tile(unsigned tile_width, unsigned tile_height) {
  const auto number = [](unsigned value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i);
    return text;
  };
  const unsigned tags[][2] = {{256, 4}, {257, 4},          {258, 1},           {259, 1}, {262, 1},
                              {277, 1}, {322, tile_width}, {323, tile_height}, {324, 8}, {325, 2}};
  std::string file = "II*" + std::string(1, 0) + number(10, 4) + "xx" + number(std::size(tags), 2);
  for (const auto& [tag, value] : tags)
    file += number(tag, 2) + number(4, 2) + number(1, 4) + number(value, 4);
  return file + number(0, 4);
}

TEST(Picture, TilesOutOfProportionAreRefused) {
  const TemporaryFolder folder;
  for (const auto& [width, height] : {std::pair{1u << 27, 16u}, std::pair{16u, 1u << 27}})
    expect_failure(reading(folder, "a.tif", tiff_of_one_tile(width, height)),
                   "its tiles are much larger than the picture");
  EXPECT_EQ(reading(folder, "a.tif", tiff_of_one_tile(16, 16)).message, "");
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
  const std::string bomb = png_header({20000, 20000, 8, 0, "", ""}) +
                           png_chunk("IDAT", std::string(400000, 'x')) + png_chunk("IEND", "");
  expect_failure(reading(folder, "a.png", bomb), "from 400 kB to 400 MB, 999 times");
  // A file shorter than its pixels can be is truncated, and no bomb.
  const std::string run = tga_file(10, 24, 30000, 30000, std::string(1000, 'x'));
  expect_failure(reading(folder, "a.tga", run), "the TGA data is truncated");
  expect_failure(reading(folder, "a.pgm", "P5 20000 20000 255\n "), "the PNM data is truncated");
  expect_failure(reading(folder, "a.png", bomb.substr(0, bomb.size() - 12)), "the PNG data is truncated");
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
  std::mt19937_64& random = generator();
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

}  // namespace
}  // namespace scanlens::test
