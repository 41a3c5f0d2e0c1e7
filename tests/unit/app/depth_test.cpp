// Depth maps from and to files: what their values mean.
#include "tests/unit/support/depth.h"

namespace scanlens::test {
namespace {

TEST_F(DepthTest, SixteenBitsAreMillimetres) {
  const Depth depth = read_16({1000, 500, 65535, 4000});
  EXPECT_TRUE(depth.metric);
  expect_near(depth, {1, 2, 0.0152590219f, 0.25f});
  EXPECT_FLOAT_EQ(depth.least, 0.0152590219f);
  EXPECT_FLOAT_EQ(depth.most, 2);
  EXPECT_EQ(depth.unknown, 0);
  EXPECT_EQ(depth.convention,
            "16-bit PNG read as distance in millimetres (depth, scale 0.001): unlike stretched inverse "
            "depth, it does "
            "not reach 0");
}

TEST_F(DepthTest, ZeroDistanceIsUnknownAndFilledFromTheBackground) {
  const Depth depth = read_16({1000, 0, 0, 2000, 0});
  expect_near(depth, {1, 0.5f, 0.5f, 0.5f, 0.5f});
  EXPECT_EQ(depth.unknown, 3);
  EXPECT_NE(depth.convention.find("; 3 unknown pixels filled"), std::string::npos) << depth.convention;
}

TEST_F(DepthTest, OtherScalesOfDistance) {
  expect_near(read_16({5000, 10000}, options_of(DepthKind::depth, 1.0 / 5000)), {1, 0.5f});  // TUM
  expect_near(read_16({256, 512}, options_of(DepthKind::depth, 1.0 / 256)), {1, 0.5f});      // KITTI
  expect_near(read_8(bytes_of(10, 200), options_of(DepthKind::depth, 0.1)), {1, 0.05f});
  refused([&] { read_8("ab", options_of(DepthKind::depth)); }, "--depth-scale", ErrorKind::usage);
  for (const double scale : {0.0, -1.0, std::nan(""), HUGE_VAL})
    refused([&] { read_16({1}, options_of(DepthKind::depth, scale)); }, "--depth-scale", ErrorKind::usage);
}

TEST_F(DepthTest, FloatDistanceIsMetres) {
  const Depth depth = read_pfm({2, kInfinity, 4, 1e10f, 1e11f}, options_of(DepthKind::depth));
  EXPECT_TRUE(depth.metric);
  expect_near(depth,
              {0.5f, 0.25f, 0.25f, 0, 0});  // infinity is Middlebury's unknown, 1e10 Blender's infinity
  EXPECT_EQ(depth.unknown, 1);
  expect_near(read_pfm({200, 400}, options_of(DepthKind::depth, 0.01)), {0.5f, 0.25f});
  const Depth holes = read_pfm({2, kNan, 0, -1, -kInfinity, 1e-42f}, options_of(DepthKind::depth));
  expect_near(holes, {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f});
  EXPECT_EQ(holes.unknown, 5);
}

TEST_F(DepthTest, MiddleburyDisparity) {
  // Quarter-size Motorcycle: f = 994.978, baseline 0.193001 m, doffs 31.086; Z = baseline * f / (d + doffs).
  const double scale = 1 / (0.193001 * 994.978);
  const Depth depth =
      read_pfm({50, kInfinity, 7.19136f, 59.909f}, options_of(DepthKind::disparity, scale, 31.086));
  EXPECT_TRUE(depth.metric);
  expect_near(depth, {0.4222533f, 0.1993287f, 0.1993287f, 0.4738532f});
  EXPECT_EQ(depth.unknown, 1);
}

TEST_F(DepthTest, DisparityFromPng) {
  const DepthOptions options = options_of(DepthKind::disparity, 0.01);
  const Depth depth = read_16({100, 0, 300}, options);
  EXPECT_TRUE(depth.metric);
  expect_near(depth, {1, 1, 3});
  EXPECT_EQ(depth.unknown, 1);
  expect_near(read_16({100, 300}, options_of(DepthKind::disparity, 0.01, -200)),
              {0, 1});  // beyond infinity: there
}

TEST_F(DepthTest, DisparityWithoutScaleIsRelative) {
  const Depth png = read_8(bytes_of(51, 0, 255), options_of(DepthKind::disparity));
  EXPECT_FALSE(png.metric);
  expect_near(png, {0.2f, 0.2f, 1});
  EXPECT_EQ(png.unknown, 1);
  const Depth pfm = read_pfm({10, kInfinity, 30, 20, 0, -5, kNan}, options_of(DepthKind::disparity));
  expect_near(pfm, {0, 0, 1, 0.5f, 0.5f, 0.5f, 0.5f});
  EXPECT_EQ(pfm.unknown, 4);
  refused([&] { read_8("ab", options_of(DepthKind::disparity, {}, 1)); }, "--depth-offset", ErrorKind::usage);
  refused([&] { read_8("ab", options_of(DepthKind::inverse, 1, 1)); }, "--depth-offset", ErrorKind::usage);
  refused([&] { read_16({1}, options_of(DepthKind::depth, 1, 1)); }, "--depth-offset", ErrorKind::usage);
}

TEST_F(DepthTest, InverseIsDividedByTheFullScale) {
  const Depth eight = read_8(bytes_of(0, 51, 102));
  EXPECT_FALSE(eight.metric);
  expect_near(eight, {0, 0.2f, 0.4f});
  EXPECT_EQ(eight.unknown, 0);
  EXPECT_FLOAT_EQ(eight.most, 0.4f);
  EXPECT_EQ(
      eight.convention,
      "8-bit PNG read as relative inverse depth (inverse, divided by 255): 8 bits are what networks write");
  expect_near(read_16({0, 13107, 65535}, options_of(DepthKind::inverse)), {0, 0.2f, 1});
}

TEST_F(DepthTest, InverseFromPfm) {
  const Depth within = read_pfm({0.25f, 0, 0.75f});
  EXPECT_EQ(values_of(within), (Floats{0.25f, 0, 0.75f}));
  EXPECT_NE(within.convention.find("taken as they are"), std::string::npos) << within.convention;
  const Depth beyond = read_pfm({-10, kNan, 30, 10, kInfinity, 0});
  expect_near(beyond, {0, 0, 1, 0.5f, 0.25f, 0.25f});
  EXPECT_EQ(beyond.unknown, 2);
  EXPECT_NE(beyond.convention.find("normalised from its own range -10 .. 30"), std::string::npos)
      << beyond.convention;
  expect_near(read_pfm({7, 7}), {0, 0});
}

TEST_F(DepthTest, InverseWithScaleIsClamped) {
  expect_near(read_pfm({-10, 2, 30}, options_of(DepthKind::inverse, 0.1)), {0, 0.2f, 1});
  expect_near(read_8(bytes_of(50, 150), options_of(DepthKind::inverse, 0.01)), {0.5f, 1});
}

TEST_F(DepthTest, InvertTurnsRelativeMapsAround) {
  expect_near(read_8(bytes_of(0, 51, 255), options_of(DepthKind::inverse, {}, 0, true)), {1, 0.8f, 0});
  // Unknown pixels are filled from the farther side after the turn: 1 - 30/30, not 1 - 10/30.
  expect_near(read_pfm({10, kNan, 30, 20}, options_of(DepthKind::disparity, {}, 0, true)), {1, 0, 0, 0.5f});
  refused([&] { read_16({1}, options_of(DepthKind::depth, {}, 0, true)); }, "--invert", ErrorKind::usage);
  refused([&] { read_8("a", options_of(DepthKind::disparity, 1, 0, true)); }, "--invert", ErrorKind::usage);
}

TEST_F(DepthTest, GreyInColourIsReadAndColourMapsAreRefused) {
  expect_near(read("a.png", png_file({2, 1, 8, 2, bytes_of(51, 51, 51, 255, 255, 255), ""})), {0.2f, 1});
  expect_near(read("a.png", png_file({1, 1, 8, 6, bytes_of(51, 51, 51, 9), ""})), {0.2f});
  for (const auto& pixel : {bytes_of(51, 50, 51), bytes_of(51, 51, 50)})
    refused([&] { read("a.png", png_file({2, 1, 8, 2, bytes_of(1, 1, 1) + pixel, ""})); }, "colour-mapped");
  refused([&] { read("a.jpg", "\xff\xd8\xff\xe0 no matter what"); }, "the JPEG data is truncated");
  refused([&] { read("a.png", "text"); }, "no depth map in a known format");
  refused([&] { read_depth(folder_ / "none.pfm", {}, {}); }, "no such file");
}

TEST_F(DepthTest, AMapWithoutOneKnownPixelIsRefused) {
  refused([&] { read_16({0, 0}); }, "no known pixel");
  refused([&] { read_pfm({kNan, kInfinity}); }, "no known pixel");
  refused([&] { read_pfm({-1, 0}, options_of(DepthKind::disparity)); }, "no known pixel");
}

TEST_F(DepthTest, DamagedFilesAreRefused) {
  const std::string png = png_file({4, 4, 16, 0, std::string(32, 'x'), ""});
  refused([&] { read("a.png", png.substr(0, png.size() - 1)); }, "the PNG data is");
  save(folder_ / "a.png", png);
  refused([&] { read_depth(folder_ / "a.png", {}, {15, SIZE_MAX}); }, "more than the limit");
}

TEST_F(DepthTest, PfmRowsGoFromTheBottomUpInBothByteOrders) {
  const Floats bottom_up = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f};
  const Floats top_down = {0.5f, 0.6f, 0.3f, 0.4f, 0.1f, 0.2f};
  for (const char* scale : {"-1.0", "-1", "-0.0033", "1", "1.0", "2.5e3"})
    EXPECT_EQ(values_of(read("a.pfm", pfm_file(2, 3, bottom_up, scale))), top_down) << scale;
  const std::string data = pfm_file(2, 3, bottom_up).substr(std::string("Pf\n2 3\n-1.0\n").size());
  for (const char* header : {"Pf 2 3 -1 ", "Pf\r\n2 3\r\n-1\r\n", "Pf\n# made by hand\n2\n3\n-1\n",
                             "Pf\t2\t3\t-1.\t", "Pf\n +2 +3 \n-1.000000 \n", "Pf\r\n\r\n2 3\n-1.0\t\r\n"})
    EXPECT_EQ(values_of(read("a.pfm", header + data)), top_down) << header;
}

std::string floats_of(const Floats& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

TEST_F(DepthTest, BadPfmIsRefused) {
  const std::string data(24, '\0');
  for (const char* header :
       {"Pf", "Pf\n", "Pf\n2\n", "Pf\n2 3\n", "Pf\n2 3\n-1", "Pf\nx 3\n-1\n", "Pf\n2 3\nnan\n",
        "Pf\n2 3\n0\n", "Pf\n2 3\ninf\n", "Pf\n0 3\n-1\n", "Pf\n-2 3\n-1\n", "Pf\n3 3\n-1\n",
        "Pf\n1000000 1000000\n-1\n", "Pf\n4294967296 4294967296\n-1\n", "Pf\n99999999999999999999 3\n-1\n",
        "Pf\n#", "Pf#"})
    EXPECT_NE(failure_of([&] { read("a.pfm", header + data); }).message, "") << header;
  refused([&] { read("a.pfm", "PF\n2 1\n-1\n" + floats_of({1, 1, 2, 3, 3, 3})); }, "not a depth map");
  const std::string whole = pfm_file(2, 3, Floats(6, 0.5f));
  for (std::size_t size = 1; size < whole.size(); ++size)
    EXPECT_NE(failure_of([&] { read("a.pfm", whole.substr(0, size)); }).message, "") << size;
  refused([&] { read("a.pfm", whole.substr(0, whole.size() - 1)); },
          "truncated (23 bytes where 2 x 3 pixels take 24)");
  const Depth longer = read("a.pfm", whole + "x");
  ASSERT_EQ(longer.remarks.size(), 1u);
  EXPECT_EQ(longer.remarks[0].text, "1 byte behind its pixels is left out");
}

TEST_F(DepthTest, WritesPfmBitForBit) {
  const float disparity[] = {0.5f, 4, 99, 0, 2, 99};  // a pitch of three
  write_depth(folder_ / "a.pfm", {disparity, 2, 2, 1, 3});
  EXPECT_EQ(load(folder_ / "a.pfm"), pfm_file(2, 2, {1e10f, 0.5f, 2, 0.25f}, "-1.00e0"));
  for (const DepthOptions& options : {DepthOptions(), options_of(DepthKind::depth)}) {
    const Depth again = read_depth(folder_ / "a.pfm", options, {});
    EXPECT_TRUE(again.metric) << "no option is needed";
    EXPECT_EQ(values_of(again), (Floats{0.5f, 4, 0, 2}));
    EXPECT_EQ(again.unknown, 0);
  }
}

TEST_F(DepthTest, WritesMillimetres) {
  // 1.2344 m, 65.535 m, 65.536 m, infinity, 0.1 mm, and three unknown values
  const float disparity[] = {1 / 1.2344f, 1 / 65.535f, 1 / 65.536f, 0, 10000, kNan, -1, 1 / 1.2346f};
  write_depth(folder_ / "a.png", {disparity, 8, 1});
  const Picture picture = read_picture(folder_ / "a.png", {});
  const View<const std::uint16_t> view = std::get<Image<std::uint16_t>>(picture.samples).view();
  EXPECT_EQ(std::vector<int>(view.data, view.data + 8),
            (std::vector<int>{1234, 65535, 65535, 65535, 1, 0, 0, 1235}));
}

TEST_F(DepthTest, RefusesOutputsThatCannotBe) {
  const float disparity[] = {1, 1, 1};
  EXPECT_EQ(failure_of([&] { check_depth_output(folder_ / "a.pfm"); }).message, "");
  refused([&] { check_depth_output(folder_ / "a.jpg"); }, ".png, .pfm, .exr or .npy", ErrorKind::usage);
  refused(
      [&] {
        write_depth(folder_ / "a.tif", {disparity, 3, 1});
      },
      ".png, .pfm, .exr or .npy", ErrorKind::usage);
  refused([&] { write_depth(folder_ / "none" / "a.pfm", {disparity, 3, 1}); }, "no such file or directory");
  refused([&] { write_depth(folder_ / "a.pfm", {disparity, 1, 1, 3}); }, "3 channels", ErrorKind::usage);
  refused([&] { write_depth(folder_ / "a.pfm", {disparity, 0, 0}); }, "0 x 0", ErrorKind::usage);
  EXPECT_TRUE(folder_.names().empty());
}

}  // namespace
}  // namespace scanlens::test
