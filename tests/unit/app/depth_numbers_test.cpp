// Depth maps of every kind of number: the same values mean the same in every format, and what is unknown
// stays so.
#include <cstdint>
#include <utility>

#include "tests/unit/support/depth.h"

namespace scanlens::test {
namespace {

template <class T>
std::string bytes_of_all(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// A little-endian TIFF of one strip. `format`: 1 unsigned, 2 signed, 3 floats.
template <class T>
std::string tiff(unsigned width, const std::vector<T>& values, unsigned format, unsigned samples = 1) {
  const auto height = static_cast<unsigned>(values.size()) / width / samples;
  const std::string data = bytes_of_all(values);
  std::string entries;
  unsigned count = 0;
  const auto entry = [&](unsigned tag, unsigned type, unsigned value) {
    entries += little_endian_16(tag) + little_endian_16(type) + little_endian_32(1) + little_endian_32(value);
    ++count;
  };
  entry(256, 4, width);
  entry(257, 4, height);
  entry(258, 3, 8 * sizeof(T));
  entry(259, 3, 1);
  entry(262, 3, samples == 3 ? 2 : 1);
  entry(273, 4, 8);
  entry(277, 3, samples);
  entry(278, 4, height);
  entry(279, 4, static_cast<unsigned>(data.size()));
  entry(339, 3, format);
  const auto directory = static_cast<std::uint32_t>(8 + data.size());
  return "II*" + bytes_of(0) + little_endian_32(directory) + data + little_endian_16(count) + entries +
         little_endian_32(0);
}

std::string npy(const std::string& type, const std::string& shape, const std::string& data) {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  return bytes_of(0x93) + "NUMPY" + bytes_of(1, 0) + little_endian_16(static_cast<unsigned>(header.size())) +
         header + data;
}

class DepthNumbersTest : public DepthTest {
 protected:
  /// Reads the floats as TIFF, PFM (whose rows go up) and NPY, and expects the same of each.
  void expect_same(const Floats& values, const Floats& expected, std::int64_t unknown) {
    const Depth as_tiff = read("a.tif", tiff(static_cast<unsigned>(values.size()), values, 3));
    const Depth as_pfm = read_pfm(values);
    const Depth as_npy =
        read("a.npy", npy("<f4", "(1, " + std::to_string(values.size()) + ")", bytes_of_all(values)));
    for (const Depth* depth : {&as_tiff, &as_pfm, &as_npy}) {
      expect_near(*depth, expected);
      EXPECT_EQ(depth->unknown, unknown) << depth->convention;
      EXPECT_FALSE(depth->metric) << depth->convention;
    }
  }
};

TEST_F(DepthNumbersTest, FloatsAreTheSameInEveryFormat) {
  expect_same({2, 8, 5, kInfinity}, {0, 1, 0.5f, 0.5f}, 1);
  expect_same({2, kNan, 8, 5}, {0, 0, 1, 0.5f}, 1);
  expect_same({-3, 0, 3}, {0, 0.5f, 1}, 0);
  const Depth shown = read("a.tif", tiff(3, Floats{-3, 0, 3}, 3));
  EXPECT_NE(shown.convention.find("-3 .. 3"), std::string::npos) << shown.convention;
}

/// Millimetres of 1 .. 4 m in a kind of integers, as NPY and TIFF.
template <class T>
std::vector<T> millimetres() {
  return {static_cast<T>(1000), static_cast<T>(0), static_cast<T>(2000), static_cast<T>(4000)};
}

TEST_F(DepthNumbersTest, IntegersOfAnyWidthAreMillimetres) {
  const auto check = [&]<class T>(T, const char* type, unsigned format) {
    for (const std::string& bytes :
         {npy(type, "(1, 4)", bytes_of_all(millimetres<T>())), tiff(4, millimetres<T>(), format)}) {
      const Depth depth = read("a.any", bytes);
      EXPECT_TRUE(depth.metric) << type << ": " << depth.convention;
      expect_near(depth, {1, 0.5f, 0.5f, 0.25f});
      EXPECT_EQ(depth.unknown, 1) << type;
    }
  };
  check(std::int16_t{}, "<i2", 2);
  check(std::int32_t{}, "<i4", 2);
  check(std::uint32_t{}, "<u4", 1);
  check(std::int64_t{}, "<i8", 2);
  check(std::uint64_t{}, "<u8", 1);
  check(std::uint16_t{}, "<u2", 1);
}

TEST_F(DepthNumbersTest, IntegersThatMeanSomethingElse) {
  // A map of 8 bits in wider integers.
  const Depth bytes = read("a.npy", npy("<i8", "(1, 3)", bytes_of_all<std::int64_t>({0, 51, 255})));
  EXPECT_FALSE(bytes.metric) << bytes.convention;
  expect_near(bytes, {0, 0.2f, 1});
  EXPECT_TRUE(warned(bytes, "--depth-kind depth"));
  // -1 for unknown, and the largest number for infinitely far.
  const Depth marks = read("a.npy", npy("<i4", "(1, 3)", bytes_of_all<std::int32_t>({-1, 2000, INT32_MAX})));
  expect_near(marks, {0.5f, 0.5f, 0});
  EXPECT_EQ(marks.unknown, 1);
  // Stretched over 15 bits.
  std::vector<std::int16_t> stretched(4096);
  for (std::size_t i = 0; i < stretched.size(); ++i)
    stretched[i] = static_cast<std::int16_t>(i * 32767 / 4095);
  const Depth network = read("a.npy", npy("<i2", "(64, 64)", bytes_of_all(stretched)));
  EXPECT_FALSE(network.metric) << network.convention;
  EXPECT_EQ(network.most, 1);
  EXPECT_TRUE(read("a.npy", npy("|i1", "(1, 3)", bytes_of_all<std::int8_t>({0, 51, 127}))).kind ==
              DepthKind::inverse);
}

TEST_F(DepthNumbersTest, WiderIntegersAreNoPictures) {
  save(folder_ / "a.tif", tiff(4, millimetres<std::int32_t>(), 2));
  expect_failure(failure_of([&] { read_picture(folder_ / "a.tif", {}); }), "signed integers of 32 bits");
}

TEST_F(DepthNumbersTest, EqualChannelsAreOne) {
  const Floats values = {1, 1, 1, 3, 3, 3, 2, 2, 2, kNan, kNan, kNan};
  const Depth as_tiff = read("a.tif", tiff(4, values, 3, 3));
  expect_near(as_tiff, {0, 1, 0.5f, 0.5f});
  std::string pfm = pfm_file(4, 3, values);  // grey of 4 x 3 is RGB of 4 x 1 but for the header
  pfm.replace(0, 6, "PF\n4 1");
  expect_near(read("a.pfm", pfm), {0, 1, 0.5f, 0.5f});
  expect_near(read("a.npy", npy("<f4", "(2, 2, 3)", bytes_of_all(values))), {0, 1, 0.5f, 0.5f});
  const Floats planes = {1, 3, 2, 4, 1, 3, 2, 4, 1, 3, 2, 4};
  expect_near(read("a.npy", npy("<f4", "(3, 2, 2)", bytes_of_all(planes))), {0, 2 / 3.f, 1 / 3.f, 1});
  const Floats apart = {1, 1, 2, 3, 3, 3, 1, 1, 1, 1, 1, 1};
  refused([&] { read("a.tif", tiff(4, apart, 3, 3)); }, "not a depth map");
  refused([&] { read("a.npy", npy("<f4", "(2, 2, 3)", bytes_of_all(apart))); }, "channels differ");
}

TEST_F(DepthNumbersTest, DepthInTheAlpha) {
  const std::string grey_alpha = bytes_of(0, 51, 0, 102, 0, 255);
  const Depth depth = read("a.png", png_file({3, 1, 8, 4, grey_alpha, ""}));
  expect_near(depth, {0.2f, 0.4f, 1});
  EXPECT_TRUE(warned(depth, "alpha is taken for the depth"));
  const std::string both = bytes_of(51, 0, 102, 255);
  expect_near(read("a.png", png_file({2, 1, 8, 4, both, ""})), {0.2f, 0.4f});
  DepthOptions alpha;
  alpha.channel = "a";
  expect_near(read("a.png", png_file({2, 1, 8, 4, both, ""}), alpha), {0, 1});
  alpha.channel = "Z";
  refused(
      [&] {
        read("a.png", png_file({2, 1, 8, 4, both, ""}), alpha);
      },
      "it has R, G, B, A", ErrorKind::usage);
}

TEST_F(DepthNumbersTest, PortableMapsKeepTheirNumbers) {
  const Depth millimetres = read("a.pgm", "P5\n3 1\n10000\n" + wide({1000, 0, 4000}));
  EXPECT_TRUE(millimetres.metric) << millimetres.convention;
  expect_near(millimetres, {1, 0.25f, 0.25f});
  expect_near(read("a.pgm", "P2\n2 1\n9999\n500 2000\n"), {2, 0.5f});
  expect_near(read("a.pgm", "P5\n2 1\n100\n" + bytes_of(50, 100)), {0.5f, 1});
  expect_near(read("a.pgm", "P5\n2 1\n100\n" + bytes_of(50, 100), options_of(DepthKind::depth, 0.02)),
              {1, 0.5f});
}

TEST_F(DepthNumbersTest, UnknownPixelsAreKeptApart) {
  DepthOptions options;
  options.is_measured = true;
  Depth depth = read_16({1000, 0, 2000}, options);
  EXPECT_EQ(depth.unknown_at.view()(1, 0), 1);
  EXPECT_EQ(depth.unknown_at.view()(0, 0), 0);
  depth = resized(std::move(depth), 6, 2);
  depth = turned(std::move(depth), 6);
  ASSERT_EQ(depth.disparity.width(), 2);
  ASSERT_EQ(depth.disparity.height(), 6);
  unfill(depth);
  for (std::int64_t y = 0; y < 6; ++y)
    EXPECT_EQ(std::isnan(depth.disparity.view()(1, y)), y == 2 || y == 3) << y;
  EXPECT_TRUE(read_16({1000, 0, 2000}).unknown_at.empty());
}

TEST_F(DepthNumbersTest, AMapIsTurnedByAnOption) {
  DepthOptions options = options_of(DepthKind::depth);
  options.orientation = 6;  // clockwise
  const Depth depth = read_16({1000, 2000, 4000}, options);
  ASSERT_EQ(depth.disparity.height(), 3);
  expect_near(depth, {1, 0.5f, 0.25f});
}

}  // namespace
}  // namespace scanlens::test
