// Formats whose files are written here byte by byte: Radiance HDR, BMP, TGA, PNM and PAM; kinds of JPEG.
#include <turbojpeg.h>

#include "app/io/format.h"
#include "app/io/stream.h"
#include "tests/unit/support/pictures.h"

namespace scanlens::test {
namespace {

std::string hdr(const std::string& header, const std::string& resolution, const std::string& data) {
  return "#?RADIANCE\n" + header + "FORMAT=32-bit_rle_rgbe\n\n" + resolution + "\n" + data;
}

/// One pixel of a grey: mantissa / 128.
std::string rgbe(int mantissa) {
  return bytes_of(mantissa, mantissa, mantissa, 129);
}

std::vector<float> reds(const Picture& picture) {
  std::vector<float> result;
  const std::vector<float> all = samples<float>(picture);
  for (std::size_t i = 0; i < all.size(); i += 3) result.push_back(all[i]);
  return result;
}

TEST(SimpleFormats, HdrTurnsEveryResolutionUpright) {
  const TemporaryFolder folder;
  // Two scan lines of three pixels.
  const std::string data = rgbe(128) + rgbe(129) + rgbe(130) + rgbe(131) + rgbe(132) + rgbe(133);
  const std::pair<const char*, std::vector<int>> cases[] = {
      {"-Y 2 +X 3", {0, 1, 2, 3, 4, 5}}, {"-Y 2 -X 3", {2, 1, 0, 5, 4, 3}}, {"+Y 2 +X 3", {3, 4, 5, 0, 1, 2}},
      {"+Y 2 -X 3", {5, 4, 3, 2, 1, 0}}, {"+X 2 -Y 3", {0, 3, 1, 4, 2, 5}}, {"-X 2 -Y 3", {3, 0, 4, 1, 5, 2}},
      {"+X 2 +Y 3", {2, 5, 1, 4, 0, 3}}, {"-X 2 +Y 3", {5, 2, 4, 1, 3, 0}}};
  for (const auto& [resolution, order] : cases) {
    const Picture picture = read_bytes(folder, "a.hdr", hdr("", resolution, data));
    EXPECT_EQ(picture.width(), resolution[1] == 'Y' ? 3 : 2) << resolution;
    std::vector<float> expected;
    for (const int i : order) expected.push_back(static_cast<float>(128 + i) / 128);
    EXPECT_EQ(reds(picture), expected) << resolution;
  }
}

TEST(SimpleFormats, HdrRunsOfBothKinds) {
  const TemporaryFolder folder;
  // The old kind: 1, 1, 1, count repeats the pixel before, and the next such counts 256 times as much.
  const Picture old = read_bytes(
      folder, "a.hdr", hdr("", "-Y 1 +X 260", rgbe(128) + bytes_of(1, 1, 1, 2, 1, 1, 1, 1) + rgbe(64)));
  std::vector<float> expected(260, 1.0f);
  expected.back() = 0.5f;
  EXPECT_EQ(reds(old), expected);
  // The new kind: each component by itself, runs above 128, else that many bytes.
  const std::string mantissas = bytes_of(128 + 6, 128, 2, 64, 32);
  const std::string line = bytes_of(2, 2, 0, 8) + mantissas + mantissas + mantissas + bytes_of(128 + 8, 129);
  EXPECT_EQ(reds(read_bytes(folder, "a.hdr", hdr("", "-Y 1 +X 8", line))),
            (std::vector<float>{1, 1, 1, 1, 1, 1, 0.5f, 0.25f}));
  const std::pair<std::string, const char*> bad[] = {
      {hdr("", "-Y 1 +X 8", bytes_of(2, 2, 0, 8, 0, 0)), "a run does not fit"},
      {hdr("", "-Y 1 +X 8", bytes_of(2, 2, 0, 8, 128 + 9, 0)), "a run does not fit"},
      {hdr("", "-Y 1 +X 8", bytes_of(2, 2, 0, 9, 128 + 8, 0)), "a scanline of another length"},
      {hdr("", "-Y 1 +X 3", bytes_of(1, 1, 1, 2) + rgbe(1)), "a run does not fit"},
      {hdr("", "-Y 1 +Y 3", rgbe(1)), "its resolution"},
      {hdr("EXPOSURE=none\n", "-Y 1 +X 1", rgbe(1)), "EXPOSURE"}};
  for (const auto& [bytes, cause] : bad) expect_failure(reading(folder, "a.hdr", bytes), cause);
}

TEST(SimpleFormats, HdrIsDividedByItsExposure) {
  const TemporaryFolder folder;
  const Picture picture =
      read_bytes(folder, "a.hdr",
                 hdr("EXPOSURE=2\nEXPOSURE= 2.0\nCOLORCORR= 1 2 4\nPRIMARIES= .64 .33 .3 .6 .15 .06 "
                     ".333 .333\n",
                     "-Y 1 +X 1", rgbe(128)));
  EXPECT_EQ(samples<float>(picture), (std::vector<float>{0.25f, 0.125f, 0.0625f}));
  ASSERT_TRUE(picture.metadata.chromaticities.has_value());
  EXPECT_EQ((*picture.metadata.chromaticities)[7], 0.333f);
  ASSERT_FALSE(picture.remarks.empty());
  EXPECT_NE(picture.remarks[0].text.find("EXPOSURE"), std::string::npos);
}

// stb_image looped for ever on each of these.
TEST(SimpleFormats, TruncatedHdrEnds) {
  const TemporaryFolder folder;
  const std::string components = bytes_of(128 + 127, 128, 128 + 73, 128);
  const std::string line = bytes_of(2, 2, 0, 200) + components + components + components + components;
  const std::string whole = hdr("", "-Y 3 +X 200", line + line + line);
  EXPECT_EQ(reading(folder, "a.hdr", whole).message, "");
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_NE(reading(folder, "a.hdr", whole.substr(0, size)).message, "") << size;
}

struct Bmp {
  int width = 2, height = 2, bits = 24, compression = 0;
  std::string masks_and_palette;
  std::string data;
  unsigned colors = 0;
};

std::string file_of(const Bmp& bmp) {
  const auto offset = static_cast<unsigned>(54 + bmp.masks_and_palette.size());
  return "BM" + little_endian_32(offset + static_cast<unsigned>(bmp.data.size())) + little_endian_32(0) +
         little_endian_32(offset) + little_endian_32(40) +
         little_endian_32(static_cast<unsigned>(bmp.width)) +
         little_endian_32(static_cast<unsigned>(bmp.height)) + little_endian_16(1) +
         little_endian_16(static_cast<unsigned>(bmp.bits)) +
         little_endian_32(static_cast<unsigned>(bmp.compression)) + little_endian_32(0) +
         std::string(8, '\0') + little_endian_32(bmp.colors) + little_endian_32(0) + bmp.masks_and_palette +
         bmp.data;
}

Bytes8 read_bmp(const TemporaryFolder& folder, const Bmp& bmp) {
  return samples<std::uint8_t>(read_bytes(folder, "a.bmp", file_of(bmp)));
}

const std::string kTwoColors = bytes_of(1, 2, 3, 0, 4, 5, 6, 0);  // blue, green, red

TEST(SimpleFormats, BmpOfEveryDepth) {
  const TemporaryFolder folder;
  // Rows from the top, as a negative height says.
  EXPECT_EQ(read_bmp(folder, {1, -2, 24, 0, "", bytes_of(1, 2, 3, 0, 4, 5, 6, 0)}),
            (Bytes8{3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(read_bmp(folder, {3, 1, 1, 0, kTwoColors, bytes_of(0b01000000, 0, 0, 0)}),
            (Bytes8{3, 2, 1, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(read_bmp(folder, {3, 1, 4, 0, kTwoColors, bytes_of(0x10, 0x10, 0, 0), 2}),
            (Bytes8{6, 5, 4, 3, 2, 1, 6, 5, 4}));
  EXPECT_EQ(read_bmp(folder, {2, 1, 8, 0, kTwoColors, bytes_of(1, 0, 0, 0), 2}), (Bytes8{6, 5, 4, 3, 2, 1}));
  // Five bits each.
  EXPECT_EQ(read_bmp(folder, {2, 1, 16, 0, "", bytes_of(0x00, 0x7c, 0x21, 0x04)}),
            (Bytes8{255, 0, 0, 8, 8, 8}));
  // The fourth byte: nothing, or alpha.
  EXPECT_EQ(read_bmp(folder, {1, 1, 32, 0, "", bytes_of(1, 2, 3, 0)}), (Bytes8{3, 2, 1}));
  EXPECT_EQ(read_bmp(folder, {1, 1, 32, 0, "", bytes_of(1, 2, 3, 4)}), (Bytes8{3, 2, 1, 4}));
  // Masks of 5, 6 and 5 bits.
  const std::string masks = little_endian_32(0xf800) + little_endian_32(0x7e0) + little_endian_32(0x1f);
  EXPECT_EQ(read_bmp(folder, {2, 1, 16, 3, masks, bytes_of(0xe0, 0x07, 0x1f, 0x00)}),
            (Bytes8{0, 255, 0, 0, 0, 255}));
  // A palette of greys makes a grey picture.
  EXPECT_EQ(read_bmp(folder, {2, 1, 1, 0, bytes_of(0, 0, 0, 0, 255, 255, 255, 0), bytes_of(0x40, 0, 0, 0)}),
            (Bytes8{0, 255}));
  // OS/2's header of 12 bytes, with palette entries of three.
  EXPECT_EQ(samples<std::uint8_t>(read_bytes(
                folder, "a.bmp",
                "BM" + little_endian_32(36) + little_endian_32(0) + little_endian_32(32) +
                    little_endian_32(12) + little_endian_16(1) + little_endian_16(1) + little_endian_16(1) +
                    little_endian_16(1) + bytes_of(1, 2, 3, 4, 5, 6) + bytes_of(0x80, 0, 0, 0))),
            (Bytes8{6, 5, 4}));
}

TEST(SimpleFormats, BmpOfRuns) {
  const TemporaryFolder folder;
  const Bytes8 expected = {3, 2, 1, 6, 5, 4, 6, 5, 4, 6, 5, 4, 3, 2, 1, 3, 2, 1};  // rows 0 1 1 and 1 0 0
  // A run, the end of a row, pixels one by one, the end.
  EXPECT_EQ(read_bmp(folder, {3, 2, 8, 1, kTwoColors, bytes_of(1, 1, 2, 0, 0, 0, 0, 3, 0, 1, 1, 0, 0, 1), 2}),
            expected);
  EXPECT_EQ(
      read_bmp(folder, {3, 2, 4, 2, kTwoColors, bytes_of(1, 0x10, 2, 0x00, 0, 0, 0, 3, 0x01, 0x10, 0, 1), 2}),
      expected);
  // A step over two pixels of the second row leaves them to colour 0.
  const Picture skipped = read_bytes(
      folder, "a.bmp", file_of({3, 2, 8, 1, kTwoColors, bytes_of(3, 1, 0, 0, 0, 2, 2, 0, 1, 1, 0, 1), 2}));
  EXPECT_EQ(samples<std::uint8_t>(skipped), (Bytes8{3, 2, 1, 3, 2, 1, 6, 5, 4, 6, 5, 4, 6, 5, 4, 6, 5, 4}));
  ASSERT_FALSE(skipped.remarks.empty());
  EXPECT_NE(skipped.remarks[0].text.find("run lengths skip"), std::string::npos);
  const std::pair<Bmp, const char*> bad[] = {
      {{3, 2, 8, 1, kTwoColors, bytes_of(9, 1, 0, 1), 2}, "a run does not fit"},
      {{3, 2, 8, 1, kTwoColors, bytes_of(0, 2, 9, 0, 0, 1), 2}, "a step leads out"},
      {{3, 2, 8, 1, kTwoColors, bytes_of(1, 7, 0, 1), 2}, "beyond the palette"},
      {{3, 2, 8, 1, kTwoColors, bytes_of(3, 1, 0, 0), 2}, "truncated"},
      {{3, -2, 8, 1, kTwoColors, bytes_of(3, 1, 0, 1), 2}, "cannot begin at the top"},
      {{3, 2, 24, 1, "", "x"}, "cannot be combined"},
      {{3, 2, 8, 4, kTwoColors, "x"}, "wrapped in a BMP"},
      {{3, 2, 16, 3, little_endian_32(5) + little_endian_32(8) + little_endian_32(16), "x"}, "bit masks"}};
  for (const auto& [bmp, cause] : bad) expect_failure(reading(folder, "a.bmp", file_of(bmp)), cause);
}

TEST(SimpleFormats, TgaIsCheckedBeforeItIsRead) {
  const TemporaryFolder folder;
  const auto paletted = [&](int colors, const std::string& data) {
    return bytes_of(0, 1, 1, 0, 0, colors, 0, 24, 0, 0, 0, 0, 2, 0, 1, 0, 8, 0x20) + std::string("abcdef") +
           data;
  };
  EXPECT_EQ(samples<std::uint8_t>(read_bytes(folder, "a.tga", paletted(2, bytes_of(1, 0)))),
            (Bytes8{'f', 'e', 'd', 'c', 'b', 'a'}));
  expect_failure(reading(folder, "a.tga", paletted(2, bytes_of(2, 0))), "beyond the palette");
  expect_failure(reading(folder, "a.tga", paletted(2, bytes_of(1))), "truncated");
  expect_failure(reading(folder, "a.tga", tga_file(11, 8, 4, 1, bytes_of(0x84, 9))),
                 "a run is longer than the picture");
  std::string mirrored = tga_file(3, 8, 3, 1, bytes_of(1, 2, 3));
  mirrored[17] = 0x30;
  EXPECT_EQ(samples<std::uint8_t>(read_bytes(folder, "a.tga", mirrored)), (Bytes8{3, 2, 1}));
}

TEST(SimpleFormats, PnmOfTextAndBits) {
  const TemporaryFolder folder;
  const auto read8 = [&](const std::string& bytes) {
    return samples<std::uint8_t>(read_bytes(folder, "a.pnm", bytes));
  };
  EXPECT_EQ(read8("P1\n# remark\n3 2\n0 1 0\n101"), (Bytes8{255, 0, 255, 0, 255, 0}));
  EXPECT_EQ(read8("P2 3 1 255\n0 128 # half\n 255\n"), (Bytes8{0, 128, 255}));
  EXPECT_EQ(read8("P3 1 1 15 0 15 5"), (Bytes8{0, 255, 85}));
  EXPECT_EQ(read8("P4 9 2\n" + bytes_of(0x80, 0x80, 0x00, 0x00)),
            (Bytes8{0, 255, 255, 255, 255, 255, 255, 255, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255}));
  EXPECT_EQ(samples<std::uint16_t>(read_bytes(folder, "a.pnm", "P2 2 1 1000\n1000 500")),
            (Bytes16{65535, 32768}));
  for (const char* bad : {"P2 3 1 255\n1 2", "P2 1 1 255\n256", "P2 1 1 255\nx", "P1 2 1\n1", "P1 1 1\n2",
                          "P4 9 1\nx", "P3 1 1 255\n1 -2 3", "P1 1"})
    EXPECT_NE(reading(folder, "a.pnm", bad).message, "") << bad;
  // Rows come from them, too.
  save(folder / "a.pbm", "P4 1 1\n" + bytes_of(0x80));
  std::byte row[1] = {std::byte{9}};
  open_rows(folder / "a.pbm", kLimits, kLimits)->read(row);
  EXPECT_EQ(row[0], std::byte{0});
}

TEST(SimpleFormats, PamIsAPicture) {
  const TemporaryFolder folder;
  const auto pam = [](int depth, int most, const std::string& type, const std::string& data) {
    return "P7\nWIDTH 1\nHEIGHT 1\nDEPTH " + std::to_string(depth) + "\nMAXVAL " + std::to_string(most) +
           (type.empty() ? "" : "\nTUPLTYPE " + type) + "\nENDHDR\n" + data;
  };
  const auto read8 = [&](const std::string& bytes) {
    return samples<std::uint8_t>(read_bytes(folder, "a.pam", bytes));
  };
  EXPECT_EQ(read8(pam(1, 255, "GRAYSCALE", bytes_of(7))), Bytes8{7});
  EXPECT_EQ(read8(pam(1, 1, "BLACKANDWHITE", bytes_of(1))), Bytes8{255});
  EXPECT_EQ(read8(pam(2, 255, "GRAYSCALE_ALPHA", bytes_of(7, 8))), (Bytes8{7, 7, 7, 8}));
  EXPECT_EQ(read8(pam(3, 255, "RGB", bytes_of(7, 8, 9))), (Bytes8{7, 8, 9}));
  EXPECT_EQ(read8(pam(4, 255, "", bytes_of(7, 8, 9, 10))), (Bytes8{7, 8, 9, 10}));
  EXPECT_EQ(samples<std::uint16_t>(read_bytes(folder, "a.pam", pam(1, 65535, "GRAYSCALE", bytes_of(1, 2)))),
            Bytes16{258});
  expect_failure(reading(folder, "a.pam", pam(4, 255, "CMYK", "abcd")), "a PAM of type CMYK");
  expect_failure(reading(folder, "a.pam", pam(5, 255, "", "abcde")), "a PAM of depth 5");
  expect_failure(reading(folder, "a.pam", pam(3, 255, "RGB", "ab")), "truncated");
}

TEST(SimpleFormats, JpegOfAnotherKindIsNamed) {
  const TemporaryFolder folder;
  const std::string jpeg = saved_bytes(folder, "a.jpg", smooth_picture(16, 16, 3));
  const std::size_t frame = jpeg.find("\xff\xc0");
  ASSERT_NE(frame, std::string::npos);
  const auto changed = [&](std::size_t at, int value) {
    std::string bytes = jpeg;
    bytes[frame + at] = static_cast<char>(value);
    return reading(folder, "a.jpg", bytes);
  };
  expect_failure(changed(1, 0xc3),
                 "this is a lossless JPEG, which libjpeg-turbo 2.1 does not read; convert it");
  expect_failure(changed(1, 0xc5), "a hierarchical JPEG");
  expect_failure(changed(4, 12), "a 12-bit JPEG");
}

TEST(SimpleFormats, InksOfJpegBecomeLight) {
  const TemporaryFolder folder;
  std::vector<unsigned char> inks;  // stored inverted, as Adobe does: 255 is no ink
  for (int i = 0; i < 16 * 16; ++i) inks.insert(inks.end(), {255, 128, 0, 200});
  const tjhandle handle = tjInitCompress();
  unsigned char* data = nullptr;
  unsigned long size = 0;
  ASSERT_EQ(tjCompress2(handle, inks.data(), 16, 64, 16, TJPF_CMYK, &data, &size, TJSAMP_444, 100, 0), 0);
  const std::string file(reinterpret_cast<char*>(data), size);
  tjFree(data);
  tjDestroy(handle);
  const Picture picture = read_bytes(folder, "a.jpg", file);
  EXPECT_EQ(picture.description(), "16 x 16 RGB, 8 bit");
  const Bytes8 light = samples<std::uint8_t>(picture);
  EXPECT_NEAR(light[0], 200, 2);
  EXPECT_NEAR(light[1], 100, 2);
  EXPECT_NEAR(light[2], 0, 2);
}

TEST(SimpleFormats, AreRecognisedByTheirBytes) {
  const auto format = [](const std::string& bytes) { return sniff(std::as_bytes(std::span(bytes)), "a"); };
  using namespace std::string_literals;
  EXPECT_EQ(format("\0\0\0\x18"
                   "ftypheic\0\0\0\0"s),
            Format::heif);
  EXPECT_EQ(format("\0\0\0\x1c"
                   "ftypMiHE\0\0\0\0miafmif1heic"s),
            Format::heif);
  EXPECT_EQ(format("\0\0\0\x18"
                   "ftypavif\0\0\0\0"s),
            Format::avif);
  EXPECT_EQ(format("\0\0\0\x18"
                   "ftypmp42\0\0\0\0isom"s),
            Format::unknown);
  EXPECT_EQ(format("II*\0xxxx"s), Format::tiff);
  EXPECT_EQ(format("MM\0*xxxx"s), Format::tiff);
  EXPECT_EQ(format("MM\0+xxxx"s), Format::tiff);
  EXPECT_EQ(format("RIFFxxxxWEBPVP8 "), Format::webp);
  EXPECT_EQ(format("RIFFxxxxWAVEfmt "), Format::unknown);
  EXPECT_EQ(format("\x76\x2f\x31\x01xxxx"), Format::exr);
  EXPECT_EQ(format("\x93NUMPY\x01"), Format::npy);
  EXPECT_EQ(format("PK\3\4xxxx"), Format::npz);
  EXPECT_EQ(format("P1 1 1\n0"), Format::pnm);
}

}  // namespace
}  // namespace scanlens::test
