// Depth maps from NPY, NPZ, EXR and HEIC: files by numpy and heif-enc (tests/files/depth/make.py), EXR by
// hand.
#include <functional>

#include "app/depth/files/raw.h"
#include "tests/unit/app/damage.h"
#include "tests/unit/support/depth.h"

namespace scanlens::test {
namespace {

const fs::path kFiles = fs::path(SCANLENS_TEST_FILES) / "depth";

class DepthFilesTest : public DepthTest {
 protected:
  void SetUp() override {
    if (!fs::exists(kFiles)) GTEST_SKIP() << kFiles << " is not on this machine";
  }

  static Depth read_file_of(const std::string& name, const DepthOptions& options = {}) {
    return read_depth(kFiles / name, options, {});
  }
};

const Floats kMetres = {1, 1.25f, 1.5f, 1.75f, 2, 2.25f, 2.5f, 2.75f, 3, 3.25f, 3.5f, 3.75f};

Floats reciprocals(Floats values) {
  for (float& value : values) value = 1 / value;
  return values;
}

TEST_F(DepthFilesTest, NumpyArraysOfEveryOrder) {
  for (const char* name : {"f16_big.npy", "f32_batch.npy", "f64_fortran.npy", "deflated.npz"}) {
    const Depth depth = read_file_of(name, options_of(DepthKind::depth));
    EXPECT_EQ(depth.disparity.width(), 4) << name;
    EXPECT_EQ(depth.disparity.height(), 3) << name;
    EXPECT_TRUE(depth.metric) << name;
    expect_near(depth, reciprocals(kMetres));
  }
  expect_near(read_file_of("i32_big_fortran.npy", options_of(DepthKind::depth, 0.01)), reciprocals(kMetres));
  const Depth millimetres = read_file_of("u16_last.npy");
  EXPECT_TRUE(millimetres.metric);
  expect_near(millimetres, reciprocals(kMetres));
}

TEST_F(DepthFilesTest, ANetworksArrayIsRelative) {
  const Depth depth = read_file_of("f32_batch.npy");
  EXPECT_FALSE(depth.metric);
  Floats shares = kMetres;
  for (float& share : shares) share = (share - 1) / 2.75f;
  expect_near(depth, shares);
  EXPECT_NE(depth.convention.find("NPY of float32"), std::string::npos) << depth.convention;
  EXPECT_NE(depth.convention.find("--depth-kind depth"), std::string::npos) << depth.convention;
}

TEST_F(DepthFilesTest, ArchivesOfSeveralArrays) {
  const Depth named = read_file_of("stored.npz");
  EXPECT_TRUE(named.metric);
  EXPECT_EQ(named.decided_by, "its array is named 'depth'");
  expect_near(named, reciprocals(kMetres));
  expect_near(read_file_of("zip64.npz"), reciprocals(kMetres));
  std::string far =
      load(kFiles / "zip64.npz");  // whose directory's count and place stand in the ZIP64 record alone
  const std::size_t end = far.size() - 22;
  far.replace(end + 10, 2, 2, '\xff').replace(end + 16, 4, 4, '\xff');
  expect_near(read("far.npz", far), reciprocals(kMetres));
  EXPECT_NE(read_file_of("deflated.npz").convention.find("'arr_1'"), std::string::npos)
      << "the one map of two arrays";
  const Failure failure = failure_of([&] { read_file_of("two_maps.npz"); });
  for (const char* part : {"'near' float64 (3, 4)", "'far' float64 (3, 4)", "'label'"})
    expect_failure(failure, part);
}

/// An NPY file of version 1 with this dictionary and data.
std::string npy(const std::string& header, const std::string& data) {
  return bytes_of(0x93) + "NUMPY" + bytes_of(1, 0) + little_endian_16(static_cast<unsigned>(header.size())) +
         header + data;
}

TEST_F(DepthFilesTest, BadArraysAreRefused) {
  const std::string data(48, '\0');
  const auto header = [](const std::string& type, const std::string& shape) {
    return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  };
  EXPECT_NO_THROW(read("a.npy", npy(header("<f4", "(3, 4)"), data)));
  refused([&] { read("a.npy", npy(header("<f4", "(3, 5)"), data)); }, "truncated (48 bytes where 5 x 3");
  refused([&] { read("a.npy", npy(header("<f4", "(3, 3)"), data)); }, "longer than announced");
  refused([&] { read("a.npy", npy(header("<f4", "(2, 3, 2)"), data)); }, "shape (2, 3, 2)");
  refused([&] { read("a.npy", npy(header("<f4", "(12,)"), data)); }, "shape (12)");
  refused([&] { read("a.npy", npy(header("<c8", "(3, 2)"), data)); }, "type '<c8'");
  refused([&] { read("a.npy", npy(header("|O", "(3, 2)"), data)); }, "type '|O'");
  refused(
      [&] { read("a.npy", npy("{'descr': [('z', '<f4')], 'fortran_order': False, 'shape': (3, 4)}", data)); },
      "records");
  refused([&] { read("a.npy", npy(header("<f4", "(0, 4)"), "")); }, "4 x 0");
  refused([&] { read("a.npy", npy(header("<f4", "(4000000000, 4000000000)"), data)); }, "4000000000");
  refused([&] { read("a.npy", npy(header("<f4", "(99999999999999999999, 4)"), data)); }, "header is corrupt");
  refused([&] { read("a.npy", npy(header("<f4", "(-3, 4)"), data)); }, "header is corrupt");
  refused([&] { read("a.npy", npy("{'shape': (3, 4)}", data)); }, "header is corrupt");
  refused([&] { read("a.npy", npy(header("<f4", "(3, 4)") + "x", data)); }, "header is corrupt");
}

TEST_F(DepthFilesTest, DamagedArraysAreReadOrRefused) {
  for (const char* name :
       {"f16_big.npy", "f64_fortran.npy", "stored.npz", "deflated.npz", "two_maps.npz", "zip64.npz"})
    damage(load(kFiles / name));
}

std::string float_bytes(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return little_endian_32(bits);
}

struct ExrBox {
  int left, top, right, bottom;
};

/// An uncompressed OpenEXR file by its specification. `channels` are names and types (0 unsigned, 1 half, 2
/// float), sorted; `sample` gives the bytes at a place of the data window.
std::string exr(const std::vector<std::pair<std::string, int>>& channels, ExrBox data, ExrBox display,
                const std::function<std::string(const std::string&, int, int)>& sample) {
  const auto attribute = [](const std::string& name, const std::string& type, const std::string& value) {
    return name + bytes_of(0) + type + bytes_of(0) +
           little_endian_32(static_cast<std::uint32_t>(value.size())) + value;
  };
  const auto box = [](ExrBox b) {
    std::string bytes;
    for (const int side : {b.left, b.top, b.right, b.bottom})
      bytes += little_endian_32(static_cast<std::uint32_t>(side));
    return bytes;
  };
  std::string list;
  for (const auto& [name, type] : channels)
    list += name + bytes_of(0) + little_endian_32(static_cast<std::uint32_t>(type)) + std::string(4, '\0') +
            little_endian_32(1) + little_endian_32(1);
  std::string file =
      bytes_of(0x76, 0x2f, 0x31, 0x01, 2, 0, 0, 0) + attribute("channels", "chlist", list + bytes_of(0)) +
      attribute("compression", "compression", bytes_of(0)) + attribute("dataWindow", "box2i", box(data)) +
      attribute("displayWindow", "box2i", box(display)) + attribute("lineOrder", "lineOrder", bytes_of(0)) +
      attribute("pixelAspectRatio", "float", float_bytes(1)) +
      attribute("screenWindowCenter", "v2f", std::string(8, '\0')) +
      attribute("screenWindowWidth", "float", float_bytes(1)) + bytes_of(0);
  std::vector<std::string> lines;
  for (int y = data.top; y <= data.bottom; ++y) {
    std::string line;
    for (const auto& [name, type] : channels)
      for (int x = data.left; x <= data.right; ++x) line += sample(name, x, y);
    lines.push_back(little_endian_32(static_cast<std::uint32_t>(y)) +
                    little_endian_32(static_cast<std::uint32_t>(line.size())) + line);
  }
  std::size_t at = file.size() + 8 * lines.size();
  for (const std::string& line : lines) {
    file += little_endian_32(static_cast<std::uint32_t>(at)) + little_endian_32(0);
    at += line.size();
  }
  for (const std::string& line : lines) file += line;
  return file;
}

TEST_F(DepthFilesTest, ExrDistances) {
  const auto z = [](const std::string& name, int x, int y) {
    if (name != "Z") return float_bytes(77);
    return float_bytes(x == 2 ? 1e10f : x == 1 && y == 1 ? kInfinity : static_cast<float>(1 + x + 2 * y));
  };
  const Depth depth =
      read("a.exr", exr({{"B", 2}, {"G", 2}, {"R", 2}, {"Z", 2}}, {0, 0, 2, 1}, {0, 0, 2, 1}, z));
  EXPECT_TRUE(depth.metric) << depth.convention;
  expect_near(depth, {1, 0.5f, 0, 1 / 3.f, 0, 0});
  EXPECT_EQ(depth.unknown, 0) << "the background is infinitely far, not unknown";
}

TEST_F(DepthFilesTest, ExrChannelsByTheirNames) {
  const auto one = [](const std::string& name, int, int) {
    return float_bytes(name.find("epth") != std::string::npos || name == "Y" ? 4.f : 9.f);
  };
  for (const char* name : {"ViewLayer.Depth.Z", "depth.Z", "depth.V", "View Layer.Depth.Z"}) {
    std::vector<std::pair<std::string, int>> channels = {{"A", 2}, {name, 2}, {"Normal.Z", 2}};
    std::sort(channels.begin(), channels.end());
    expect_near(read("a.exr", exr(channels, {0, 0, 0, 0}, {0, 0, 0, 0}, one)), {0.25f});
  }
  const Depth alone = read("a.exr", exr({{"Y", 2}}, {0, 0, 0, 0}, {0, 0, 0, 0}, one));
  EXPECT_FALSE(alone.metric);
  const auto colours = [](const std::string& name, int, int) { return float_bytes(name == "B" ? 4.f : 9.f); };
  refused(
      [&] {
        read("a.exr", exr({{"B", 2}, {"G", 2}, {"R", 2}}, {0, 0, 0, 0}, {0, 0, 0, 0}, colours));
      },
      "R, G, B differ");
  refused(
      [&] {
        read("a.exr", exr({{"B", 2}, {"G", 2}}, {0, 0, 0, 0}, {0, 0, 0, 0}, colours));
      },
      "B, G; choose one with --depth-channel NAME");
  expect_near(read("a.exr", exr({{"B", 2}, {"G", 2}, {"R", 2}}, {0, 0, 0, 0}, {0, 0, 0, 0}, one),
                   options_of(DepthKind::depth)),
              {1 / 9.f});
}

TEST_F(DepthFilesTest, ExrPassesThatHoldNoMetres) {
  const auto ramp = [](const std::string& name, int x, int) {
    return float_bytes(name == "R" ? 0.5f : 0.25f * static_cast<float>(x));
  };
  const auto file = [&](const std::string& name) {
    return exr({{name, 2}, {"R", 2}}, {0, 0, 4, 0}, {0, 0, 4, 0}, ramp);
  };
  const Depth mist = read("a.exr", file("Mist.Z"));
  EXPECT_FALSE(mist.metric) << mist.convention;
  expect_near(mist, {1, 0.75f, 0.5f, 0.25f, 0});
  EXPECT_TRUE(warned(mist, "a mist pass"));
  expect_near(read("a.exr", file("Mist.Z"), options_of(DepthKind::inverse, {}, 0, true)),
              {1, 0.75f, 0.5f, 0.25f, 0});
  EXPECT_TRUE(warned(read("a.exr", file("Depth.Z")), "normalised to 0 .. 1"));
  EXPECT_FALSE(warned(read("a.exr", file("Depth.Z"), options_of(DepthKind::depth)), ""));
  const auto backwards = [](const std::string&, int x, int) { return float_bytes(x == 0 ? -2.f : -4.f); };
  expect_near(read("a.exr", exr({{"Z", 2}}, {0, 0, 1, 0}, {0, 0, 1, 0}, backwards)), {0.5f, 0.25f});
}

TEST_F(DepthFilesTest, APhotosOwnZ) {
  const auto one = [](const std::string& name, int, int) {
    return float_bytes(name.ends_with("Z") ? 4.f : 0.5f);
  };
  const auto own = [&](const std::vector<std::pair<std::string, int>>& channels,
                       const DepthOptions& options = {}) {
    save(folder_ / "a.exr", exr(channels, {0, 0, 0, 0}, {0, 0, 0, 0}, one));
    return PhotoFile(folder_ / "a.exr", {}).depth(options);
  };
  expect_near(own({{"B", 2}, {"G", 2}, {"R", 2}, {"Z", 2}}).value(), {0.25f});
  EXPECT_FALSE(own({{"B", 2}, {"G", 2}, {"R", 2}}));
  EXPECT_FALSE(own({{"Z", 2}})) << "which would be the photo itself";
  DepthOptions options = options_of(DepthKind::depth);
  options.channel = "Q";
  expect_near(own({{"B", 2}, {"G", 2}, {"Q", 2}, {"R", 2}}, options).value(), {2});
}

TEST_F(DepthFilesTest, ExrHalfAndUnsignedSamples) {
  const auto half = [](const std::string&, int x, int) { return little_endian_16(x == 0 ? 0x3c00 : 0x4200); };
  expect_near(read("a.exr", exr({{"Z", 1}}, {0, 0, 1, 0}, {0, 0, 1, 0}, half)), {1, 1 / 3.f});
  const auto whole = [](const std::string&, int x, int) { return little_endian_32(x == 0 ? 2 : 8); };
  expect_near(read("a.exr", exr({{"Z", 0}}, {0, 0, 1, 0}, {0, 0, 1, 0}, whole)), {0.5f, 0.125f});
}

TEST_F(DepthFilesTest, ExrDataInsideAndBeyondTheDisplay) {
  const auto z = [](const std::string&, int x, int y) { return float_bytes(static_cast<float>(10 * y + x)); };
  const Depth inside = read("a.exr", exr({{"Z", 2}}, {2, 1, 3, 1}, {1, 1, 4, 2}, z));
  EXPECT_EQ(inside.unknown, 6);
  EXPECT_EQ(inside.disparity.width(), 4);
  expect_near(inside, {1 / 12.f, 1 / 12.f, 1 / 13.f, 1 / 13.f, 1 / 12.f, 1 / 12.f, 1 / 13.f, 1 / 13.f});
  const Depth beyond = read("a.exr", exr({{"Z", 2}}, {0, 0, 5, 4}, {2, 1, 3, 2}, z));
  EXPECT_EQ(beyond.unknown, 0);
  expect_near(beyond, {1 / 12.f, 1 / 13.f, 1 / 22.f, 1 / 23.f});
}

TEST_F(DepthFilesTest, ExrHeadersThatAskForTooMuchAreRefused) {
  const auto z = [](const std::string&, int, int) { return float_bytes(1); };
  const ExrBox small{0, 0, 3, 3};
  const std::string file = exr({{"Z", 2}}, small, small, z);
  for (const char* window : {"dataWindow", "displayWindow"})
    for (const std::uint32_t side : {39999u, 0x7ffffffeu, 0x3fffffffu}) {
      std::string bytes = file;
      const std::size_t at = bytes.find(window) + std::string(window).size() + 1 + 6 + 4 + 8;
      bytes.replace(at, 8, little_endian_32(side) + little_endian_32(side));
      EXPECT_NE(failure_of([&] { read("a.exr", bytes); }).message, "") << window << " " << side;
    }
}

TEST_F(DepthFilesTest, DamagedExrIsReadOrRefused) {
  const auto z = [](const std::string&, int x, int y) { return float_bytes(static_cast<float>(1 + x + y)); };
  damage(exr({{"A", 2}, {"Z", 2}}, {0, 0, 7, 7}, {0, 0, 7, 7}, z));
}

TEST_F(DepthFilesTest, TheDepthImageOfHeic) {
  const double bars[] = {40 / 255.0, 100 / 255.0, 160 / 255.0, 220 / 255.0};
  const auto check = [&](const char* name, bool metric, const std::function<double(double)>& disparity_of) {
    const Depth depth = read_file_of(name);
    EXPECT_EQ(depth.metric, metric) << name;
    ASSERT_EQ(depth.disparity.width(), 64) << name;
    ASSERT_EQ(depth.disparity.height(), 64) << name;
    for (std::int64_t y = 0; y < 64; ++y)
      for (std::int64_t x = 0; x < 64; ++x)
        ASSERT_NEAR(depth.disparity.view()(x, y), disparity_of(bars[x / 16]), 1e-5)
            << name << ": " << x << "," << y;
  };
  check("disparity.heic", true, [](double v) { return 0.25 + v * (2.8 - 0.25); });
  check("inverse_z.heic", true, [](double v) { return 1 / 8.0 + v * (2 - 1 / 8.0); });
  check("z.heic", true, [](double v) { return 1 / (0.5 + v * 8); });
  check("no_range.heic", false, [](double v) { return v; });
  EXPECT_EQ(read_file_of("no_range.heic").remarks.size(), 1u) << "no unit is warned of";
  expect_failure(failure_of([&] { read_file_of("no_depth.heic"); }), "carries no depth image");
  const Depth grey = read_depth(kFiles.parent_path() / "heif/grey.heic", {}, {});
  EXPECT_EQ(grey.kind, DepthKind::inverse);
  EXPECT_EQ(grey.remarks.size(), 2u) << "that it may have losses, and grows as distances do";
  EXPECT_FALSE(PhotoFile(kFiles / "no_depth.heic", {}).depth({}));
  const PhotoFile photo(kFiles / "disparity.heic", {});
  EXPECT_TRUE(photo.depth({}));
  EXPECT_EQ(photo.picture().channels(), 3);
  expect_failure(failure_of([&] {
                   read_depth(kFiles / "z.heic", {}, {64 * 64 - 1, SIZE_MAX});
                 }),
                 "more than the limit");
}

TEST_F(DepthFilesTest, GreyInColourIsGreyWithinTheLossOfItsCodec) {
  for (const char* name : {"grey_in_colour.heic", "grey_in_colour.avif"}) {
    const Depth depth = read_file_of(name);
    ASSERT_EQ(depth.disparity.width(), 128) << name;
    for (std::int64_t x = 0; x < 128; ++x)
      EXPECT_NEAR(depth.disparity.view()(x, 40), static_cast<double>(x) / 127, 0.03) << name << " " << x;
  }
  expect_failure(failure_of([&] { read_depth(kFiles.parent_path() / "heif/lossy.heic", {}, {}); }),
                 "its picture is not grey");
}

TEST_F(DepthFilesTest, DamagedHeicIsReadOrRefused) {
  damage(load(kFiles / "disparity.heic"));
}

TEST_F(DepthFilesTest, WhatIsWrittenIsReadAgainWithoutOptions) {
  const float metric[] = {0.5f, 4, 0, 2}, relative[] = {0, 0.25f, 1, 0.75f};
  for (const char* name : {"a.pfm", "a.exr", "a.npy", "a.png"})
    for (const bool has_unit : {true, false}) {
      const float* values = has_unit ? metric : relative;
      write_depth(folder_ / name, {values, 2, 2}, has_unit);
      const Depth again = read_depth(folder_ / name, {}, {});
      EXPECT_EQ(again.metric, has_unit) << name;
      EXPECT_EQ(again.unknown, 0) << name;
      const Floats read = values_of(again);
      const float bound =
          std::string(name) == "a.png" ? has_unit ? 0.016f : 1 / 65535.f : 0.f;  // 65.5 m for infinity
      for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(read[i], values[i], bound) << name << " " << i;
    }
}

}  // namespace
}  // namespace scanlens::test
