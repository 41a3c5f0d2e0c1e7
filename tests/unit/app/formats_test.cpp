// Pictures that independent tools wrote (tests/files/make.sh), beside what they were made from.
#include <cmath>
#include <fstream>

#include "app/io/format.h"
#include "tests/unit/support/pictures.h"

namespace scanlens::test {
namespace {

class Formats : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kFiles)) GTEST_SKIP() << kFiles << " is not on this machine";
  }

  static Picture file(const std::string& name) { return read_picture(kFiles / name, kLimits); }

  inline static const fs::path kFiles = SCANLENS_TEST_FILES;
};

struct Difference {
  double most = 0, mean = 0;
};

template <class T>
Difference difference(const Picture& picture, const std::vector<T>& expected) {
  const std::vector<T> got = samples<T>(picture);
  EXPECT_EQ(got.size(), expected.size());
  if (got.size() != expected.size()) return {1e9, 1e9};
  Difference result;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double one = std::abs(static_cast<double>(got[i]) - static_cast<double>(expected[i]));
    result.most = std::max(result.most, one);
    result.mean += one / static_cast<double>(got.size());
  }
  return result;
}

/// The picture in 8 bits with alpha, as the checksums are taken.
Bytes8 rgba_of(const Picture& picture) {
  const View<const std::uint8_t> view = std::get<Image<std::uint8_t>>(picture.samples).view();
  Bytes8 result;
  for (std::int64_t i = 0; i < view.width * view.height; ++i) {
    const std::uint8_t* pixel = view.data + i * view.channels;
    for (int c = 0; c < 3; ++c) result.push_back(pixel[view.channels == 1 ? 0 : c]);
    result.push_back(view.channels == 4 ? pixel[3] : 255);
  }
  return result;
}

/// POSIX's cksum.
std::uint32_t checksum(const Bytes8& bytes) {
  std::uint32_t crc = 0;
  const auto add = [&](std::size_t byte) {
    crc ^= static_cast<std::uint32_t>(byte) << 24;
    for (int bit = 0; bit < 8; ++bit) crc = crc << 1 ^ (crc >> 31 ? 0x04c11db7u : 0);
  };
  for (const std::uint8_t byte : bytes) add(byte);
  for (std::size_t length = bytes.size(); length; length >>= 8) add(length & 255);
  return ~crc;
}

/// Light of the reference at a pixel, 0..1 (make_reference.py).
double light(std::int64_t x, std::int64_t y, int c) {
  const auto at = [](std::int64_t i) { return static_cast<double>(i); };
  const double value = 0.5 + 0.4 * std::sin(0.11 * at(x) + c) * std::cos(0.09 * at(y) + 0.5 * c);
  return x > 30 && y > 20 ? 1 - value : value;
}

/// Compares float samples with factor * light of the colours. Pixels begin at (left, top) of the reference.
double worst_of_light(const Picture& picture, double factor, std::int64_t left = 0, std::int64_t top = 0) {
  const auto* image = std::get_if<Image<float>>(&picture.samples);
  EXPECT_TRUE(image);
  double worst = 0;
  for (std::int64_t y = 0; image && y < image->height(); ++y)
    for (std::int64_t x = 0; x < image->width(); ++x)
      for (int c = 0; c < 3; ++c) {
        const double expected = factor * light(x + left, y + top, c);
        worst = std::max(worst, std::abs(image->view()(x, y, c) - expected) / expected);
      }
  return worst;
}

constexpr double kHalfStep = 1.0 / 2048;  // of half precision, relative and rounded

std::string remarks_of(const Picture& picture) {
  std::string all;
  for (const Remark& remark : picture.remarks) all += (remark.warning ? "! " : "") + remark.text + "\n";
  return all;
}

TEST_F(Formats, LosslessFilesAreReadExactly) {
  const std::pair<const char*, std::vector<const char*>> groups[] = {
      {"reference.rgb.ppm",
       {"bmp/rgb24.bmp", "bmp/os2.bmp", "tiff/strips.tif", "tiff/tiles_lzw.tif", "tiff/planes_zip.tif",
        "tiff/planes_tiles.tif", "tiff/big_tiff_big_endian.tif", "tiff/two_pages.tif", "webp/lossless.webp"}},
      {"reference.rgba.pam", {"bmp/version5_alpha.bmp", "tiff/alpha.tif", "webp/lossless_alpha.webp"}},
      {"reference.rgb16.ppm", {"tiff/sixteen_bits.tif"}}};
  for (const auto& [reference, names] : groups)
    for (const char* name : names) {
      const Picture expected = file(reference), picture = file(name);
      EXPECT_EQ(picture.description(), expected.description()) << name;
      EXPECT_EQ(samples<std::uint8_t>(picture), samples<std::uint8_t>(expected)) << name;
      EXPECT_EQ(samples<std::uint16_t>(picture), samples<std::uint16_t>(expected)) << name;
    }
}

TEST_F(Formats, FilesAreReadAsImageMagickReadsThem) {
  std::ifstream list(kFiles / "checksums.txt");
  int count = 0;
  for (std::string name, sum; list >> name >> sum; ++count)
    if (traits_of(format_by_name(name)).reads) {
      EXPECT_EQ(checksum(rgba_of(file(name))), std::stoul(sum)) << name;
    }
  EXPECT_GT(count, 5);
}

TEST_F(Formats, LossyFilesStayClose) {
  const auto close = [&](const char* name, const char* reference, double mean, double most) {
    const Picture expected = file(reference), picture = file(name);
    EXPECT_EQ(picture.description(), expected.description()) << name;
    const Difference got = expected.samples.index() == 0
                               ? difference(picture, samples<std::uint8_t>(expected))
                               : difference(picture, samples<std::uint16_t>(expected));
    EXPECT_LT(got.mean, mean) << name;
    EXPECT_LT(got.most, most) << name;
  };
  // heif-enc of libheif 1.15 goes through YCbCr all the same.
  close("heif/lossless.heic", "reference.rgb.ppm", 0.6, 3);
  close("heif/lossless.avif", "reference.rgb.ppm", 0.6, 3);
  close("heif/lossy.heic", "reference.rgb.ppm", 3.5, 80);
  close("heif/grey.heic", "reference.grey.pgm", 2, 30);
  close("heif/ten_bits.heic", "reference.rgb16.ppm", 257, 30 * 257);
  close("heif/twelve_bits.avif", "reference.rgb16.ppm", 3.5 * 257, 80 * 257);
  close("bmp/rgb565.bmp", "reference.rgb.ppm", 4, 9);  // dropped bits
  close("tiff/jpeg.tif", "reference.rgb.ppm", 2, 60);
  close("tiff/cmyk.tif", "reference.rgb.ppm", 1, 3);
  close("jpeg/cmyk.jpg", "reference.rgb.ppm", 2, 40);
  close("heif/alpha.heic", "reference.rgba.pam", 2, 40);
}

TEST_F(Formats, GreyOfOnePlaneIsRead) {
  const Picture picture = file("heif/grey.avif"), reference = file("reference.grey.pgm");
  ASSERT_EQ(picture.description(), "40 x 28 grey, 8 bit");
  for (int y = 0; y < 28; ++y)
    for (int x = 0; x < 40; ++x)
      EXPECT_NEAR(std::get<Image<std::uint8_t>>(picture.samples).view()(x, y),
                  std::get<Image<std::uint8_t>>(reference.samples).view()(x, y), 12);
}

TEST_F(Formats, GridThatSaysAnotherSizeIsRefused) {
  expect_failure(failure_of([&] { file("heif/grid_of_another_size.heic"); }), "the HEIC or AVIF data");
}

TEST_F(Formats, GridOfItselfIsRefused) {
  const TemporaryFolder folder;
  std::string bytes = load(kFiles / "heif/lossy.heic");
  const std::size_t at = bytes.find("dimg");  // then the grid's item, a count, the tile's item
  ASSERT_NE(at, std::string::npos);
  bytes[at + 9] = bytes[at + 5];
  expect_failure(reading(folder, "a.heic", bytes), "a picture in it refers to itself");
}

// libheif 1.15 ends the program for it. The box of the reference announces a wrong size, too.
TEST_F(Formats, GridOfWhatIsNoPictureIsRefused) {
  const TemporaryFolder folder;
  std::string bytes = load(kFiles / "heif/lossy.heic");
  const std::size_t at = bytes.find("dimg"), tile = bytes.find("hvc1", bytes.find("infe"));
  ASSERT_NE(at, std::string::npos);
  ASSERT_NE(tile, std::string::npos);
  bytes[tile] = 'x';
  expect_failure(reading(folder, "a.heic", bytes), "it refers to item");
  bytes[at - 2] = 7;
  expect_failure(reading(folder, "b.heic", bytes), "it refers to item");
}

TEST_F(Formats, PremultipliedAlphaIsDivided) {
  const Bytes8 expected = samples<std::uint8_t>(file("reference.rgba.pam"));
  const Bytes8 got = samples<std::uint8_t>(file("tiff/associated.tif"));
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    const int alpha = expected[i / 4 * 4 + 3];
    if (alpha > 0) {
      EXPECT_LE(std::abs(got[i] - expected[i]), 128 / alpha + 1) << i;
    }
  }
}

TEST_F(Formats, TiffOfFloatIsReadExactly) {
  const auto same = [&](const char* name, std::int64_t width, std::int64_t height, double step) {
    const Picture expected = file("reference.rgb16.ppm"), picture = file(name);
    const auto& image = std::get<Image<float>>(picture.samples);
    const View<const std::uint16_t> reference = std::get<Image<std::uint16_t>>(expected.samples).view();
    ASSERT_EQ(image.width(), width);
    ASSERT_EQ(image.height(), height);
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        for (int c = 0; c < 3; ++c) {
          const double value = reference(x, y, c) / 65535.0;
          ASSERT_NEAR(image.view()(x, y, c), value, value * step) << name << x << "," << y;
        }
  };
  same("tiff/float32.tif", 41, 29, 1e-7);
  same("tiff/float64.tif", 20, 10, 1e-7);
  same("tiff/half.tif", 41, 29, kHalfStep);
}

TEST_F(Formats, TiffIsTurnedByItsOrientation) {
  const Picture upright = file("tiff/strips.tif"), sideways = file("tiff/orientation6.tif");
  const View<const std::uint8_t> from = std::get<Image<std::uint8_t>>(upright.samples).view();
  const View<const std::uint8_t> to = std::get<Image<std::uint8_t>>(sideways.samples).view();
  ASSERT_EQ(to.width, 29);
  ASSERT_EQ(to.height, 41);
  for (std::int64_t y = 0; y < 41; ++y)
    for (std::int64_t x = 0; x < 29; ++x) ASSERT_EQ(to(x, y, 1), from(y, 28 - x, 1));
  const Picture flipped = file("tiff/orientation4.tif");
  const View<const std::uint8_t> rows = std::get<Image<std::uint8_t>>(flipped.samples).view();
  for (std::int64_t x = 0; x < 41; ++x) ASSERT_EQ(rows(x, 0, 2), from(x, 28, 2));
}

TEST_F(Formats, WebpHandsItsMetadataOnAndIsTurned) {
  const Picture picture = file("webp/metadata.webp");
  EXPECT_EQ(picture.width(), 29);
  EXPECT_EQ(picture.height(), 41);
  EXPECT_TRUE(picture.metadata.icc.empty()) << "200 zeros are no profile";
  EXPECT_NE(remarks_of(picture).find("it is not a colour profile"), std::string::npos);
  EXPECT_FALSE(picture.metadata.exif.empty());
  EXPECT_NE(
      std::string(reinterpret_cast<const char*>(picture.metadata.xmp.data()), picture.metadata.xmp.size())
          .find("adobe:ns:meta"),
      std::string::npos);
}

TEST_F(Formats, OfSeveralPicturesTheFirstIsReadAndSaid) {
  const auto begins = [](const Picture& picture, const char* remark) {
    EXPECT_TRUE(remarks_of(picture).starts_with(remark)) << remarks_of(picture);
  };
  begins(file("tiff/two_pages.tif"), "! it holds more than one page; the first is read\n");
  const Picture animated = file("webp/animated.webp");
  begins(animated, "! the first of its 2 frames is read\n");
  EXPECT_EQ(rgba_of(animated), rgba_of(file("reference.rgb.ppm")));
}

TEST_F(Formats, HeifNamesItsColours) {
  const TemporaryFolder folder;
  std::string bytes = load(kFiles / "heif/twelve_bits.avif");
  EXPECT_EQ(*file("heif/twelve_bits.avif").metadata.cicp, (Cicp{2, 2}));
  const std::size_t at = bytes.find("nclx");
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at + 4, 4, bytes_of(0, 12, 0, 13));
  const Metadata metadata = read_bytes(folder, "a.avif", bytes).metadata;
  EXPECT_FALSE(metadata.icc.empty()) << "Display P3, as a profile";
  EXPECT_EQ(*metadata.cicp, (Cicp{12, 13}));
}

TEST_F(Formats, ExrIsReadExactly) {
  for (const char* name : {"half_zips", "tiled", "mipmap_piz", "two_parts", "shifted", "layers", "outside"})
    EXPECT_LE(worst_of_light(file("exr/" + std::string(name) + ".exr"), 8), kHalfStep) << name;
  EXPECT_LE(worst_of_light(file("exr/float_none.exr"), 8), 1e-7);
}

TEST_F(Formats, ExrAlphaIsDivided) {
  const Picture picture = file("exr/alpha.exr");
  const View<const float> view = std::get<Image<float>>(picture.samples).view();
  ASSERT_EQ(view.channels, 4);
  for (const auto& [x, y] : {std::pair{1, 0}, {20, 3}, {40, 28}}) {
    EXPECT_NEAR(view(x, y, 3), std::min(1.0, (x + y) / 40.0), kHalfStep);
    EXPECT_NEAR(view(x, y, 0), 8 * light(x, y, 0), 3 * kHalfStep * 8);
  }
}

TEST_F(Formats, ExrIsItsDisplayWindow) {
  const Picture inside = file("exr/inside.exr");
  const View<const float> view = std::get<Image<float>>(inside.samples).view();
  ASSERT_EQ(view.width, 41);
  ASSERT_EQ(view.height, 29);
  for (std::int64_t y = 0; y < 29; ++y)
    for (std::int64_t x = 0; x < 41; ++x) {
      const bool there = x >= 5 && x <= 20 && y >= 4 && y <= 15;
      ASSERT_NEAR(view(x, y, 1), there ? 8 * light(x, y, 1) : 0, 8 * kHalfStep) << x << "," << y;
    }
  EXPECT_EQ(remarks_of(inside), "its data window does not fill its display window; the rest is 0\n");
  EXPECT_EQ(remarks_of(file("exr/outside.exr")),
            "! pixels of its data window outside of its display window are left out\n");
}

TEST_F(Formats, ExrSaysWhatItChose) {
  EXPECT_EQ(remarks_of(file("exr/layers.exr")), "the layer 'ViewLayer.Combined' is read\n");
  EXPECT_EQ(remarks_of(file("exr/two_parts.exr")), "! the layer without a name of part 2 of 2 is read\n");
  EXPECT_EQ(remarks_of(file("exr/not_numbers.exr")),
            "! 3 samples are not numbers (NaN) and are taken for 0\n"
            "! 3 samples are infinite and are taken for 65504\n"
            "! 3 samples are below 0 and are taken for 0\n");
  const Picture depth = file("exr/depth.exr");
  EXPECT_EQ(depth.channels(), 1);
  EXPECT_TRUE(remarks_of(depth).starts_with("its one channel, Z, is read as grey\n")) << remarks_of(depth);
}

TEST_F(Formats, ExrLuminanceIsGreyOrBecomesColours) {
  const Picture grey = file("exr/luminance.exr"), colors = file("exr/luminance_chroma.exr");
  ASSERT_EQ(grey.channels(), 1);
  ASSERT_EQ(colors.channels(), 3);
  EXPECT_NEAR(std::get<Image<float>>(grey.samples).view()(7, 9), 8 * light(7, 9, 1), 8 * kHalfStep);
  for (int c = 0; c < 3; ++c)
    EXPECT_NEAR(std::get<Image<float>>(colors.samples).view()(7, 9, c), 8 * light(7, 9, 1), 16 * kHalfStep);
}

TEST_F(Formats, ChromaticitiesAreHandedOn) {
  const Metadata metadata = file("exr/float_none.exr").metadata;
  ASSERT_TRUE(metadata.chromaticities.has_value());
  EXPECT_EQ(*metadata.chromaticities,
            (Chromaticities{0.68f, 0.32f, 0.265f, 0.69f, 0.15f, 0.06f, 0.3127f, 0.329f}));
  EXPECT_EQ((*file("hdr/imagemagick.hdr").metadata.chromaticities)[0], 0.64f);
}

TEST_F(Formats, RadianceIsReadWithinItsMantissa) {
  // The largest of the three mantissas has 8 bits; the least of this picture is an eighth of it.
  EXPECT_LE(worst_of_light(file("hdr/imagemagick.hdr"), 1), 0.06);
}

}  // namespace
}  // namespace scanlens::test
