// Depth in the further pictures of Apple's portraits in JPEG.
#include "tests/unit/app/damage.h"
#include "tests/unit/app/phones.h"

namespace scanlens::test {
namespace {

const std::string kRange = element("apdi:IntMinValue", "0") + element("apdi:IntMaxValue", "255") +
                           element("apdi:FloatMinValue", "0.5") + element("apdi:FloatMaxValue", "2.5") +
                           element("apdi:StoredFormat", "1278226488");
const std::string kDisparity = element("apdi:AuxiliaryImageType", "disparity");

std::string auxiliary(const std::string& elements, const std::vector<int>& tones = kTones, int columns = 2) {
  return with_segments(tones_jpeg(tones, columns), xmp_segment(apple_packet(elements)));
}

std::string gain_map() {
  return auxiliary(element("apdi:AuxiliaryImageType", "urn:com:apple:photo:2020:aux:hdrgainmap"),
                   {9, 9, 9, 9});
}

std::string matte(const std::vector<int>& tones, int columns) {
  return auxiliary(element("apdi:AuxiliaryImageSubType", "portraiteffectsmatte") +
                       element("apdi:AuxiliaryImageType", "depth"),
                   tones, columns);
}

TEST_F(PhoneDepthTest, ApplesDisparityIsFoundByItsXmp) {
  const std::string map = auxiliary(kRange + kDisparity + element("depthData:Accuracy", "absolute"));
  const std::string skin = auxiliary(element("apdi:AuxiliaryImageSubType", "semanticsegmentationskinmatte") +
                                     element("apdi:AuxiliaryImageType", "depth") + kRange);
  for (const auto& further : {std::vector{map}, {gain_map(), skin, map}, {map, gain_map()}}) {
    const std::optional<Depth> depth = own(multi_picture(kPhoto, further));
    expect_blocks(depth, {0.5f, 0.9f, 1.3f, 2.5f});
    EXPECT_TRUE(depth->metric);
    EXPECT_NE(depth->convention.find("Apple"), std::string::npos) << depth->convention;
  }
  EXPECT_FALSE(own(multi_picture(kPhoto, {gain_map(), skin})));
  EXPECT_FALSE(own(multi_picture(kPhoto, {matte({0, 255, 0, 255}, 2)})));
}

TEST_F(PhoneDepthTest, ApplesRelativeDisparityHasNoUnit) {
  const std::optional<Depth> depth = own(
      multi_picture(kPhoto, {auxiliary(kRange + kDisparity + element("depthData:Accuracy", "relative"))}));
  expect_blocks(depth, {0, 0.2f, 0.4f, 1});
  EXPECT_FALSE(depth->metric);
  EXPECT_NE(depth->convention.find("its accuracy is relative"), std::string::npos) << depth->convention;
}

TEST_F(PhoneDepthTest, ApplesDistances) {
  const std::string packet = kRange + element("apdi:AuxiliaryImageType", "depth");
  expect_blocks(own(multi_picture(kPhoto, {auxiliary(packet)})), {2, 1 / 0.9f, 1 / 1.3f, 0.4f});
}

TEST_F(PhoneDepthTest, ApplesMapWithoutAUsableRange) {
  const auto with = [&](const std::string& least, const std::string& most) {
    return own(multi_picture(kPhoto, {auxiliary(kDisparity + element("apdi:FloatMinValue", least) +
                                                element("apdi:FloatMaxValue", most))}));
  };
  for (const auto& [least, most] : {std::pair{"", ""},
                                    {"1", "1"},
                                    {"2", "1"},
                                    {"nan", "1"},
                                    {"0", "inf"},
                                    {"-1", "1"},
                                    {"0", "1e999"},
                                    {"0", "1 m"}}) {
    const std::optional<Depth> depth = with(least, most);
    expect_blocks(depth, {0, 0.2f, 0.4f, 1});
    EXPECT_TRUE(remarked(*depth, "without a usable range", true)) << least << " " << most;
  }
}

TEST_F(PhoneDepthTest, ApplesMapIsFoundWithoutOrWithAWrongIndex) {
  const std::string map = auxiliary(kRange + kDisparity);
  const Floats expected = {0.5f, 0.9f, 1.3f, 2.5f};
  expect_blocks(own(kPhoto + gain_map() + std::string(7, '\0') + map), expected);
  const std::string whole = multi_picture(kPhoto, {gain_map(), map});
  const std::size_t index = whole.find("MPF") + 4;
  // Offset and size of tags and pictures, the number of tags, and the type of the last.
  for (const std::size_t at : {4, 8, 9, 38, 42, 46, 50 + 16 + 8, 50 + 32 + 4, 50 + 32 + 8})
    for (const std::string& number :
         {big_endian(0), big_endian(1), big_endian(0xffffffff), big_endian(0x7fffffff)}) {
      std::string bytes = whole;
      bytes.replace(index + at, 4, number);
      expect_blocks(own(bytes), expected);
    }
  std::string shifted = multi_picture(kPhoto, {map});
  shifted.insert(2, segment(0xfe, "a comment that moves all but the index"));
  expect_blocks(own(shifted), expected);
}

TEST_F(PhoneDepthTest, TheMapTurnsWithThePhoto) {
  const std::string orientation = "MM" + bytes_of(0, 42) + big_endian(8) + bytes_of(0, 1, 1, 0x12, 0, 3) +
                                  big_endian(1) + bytes_of(0, 6, 0, 0) + big_endian(0);
  const std::string head = segment(0xe1, "Exif" + std::string(2, '\0') + orientation);
  expect_blocks(own(multi_picture(kPhoto, {auxiliary(kRange + kDisparity)}, head)), {1.3f, 0.5f, 2.5f, 0.9f});
}

TEST_F(PhoneDepthTest, TheMatteMovesTheEdge) {
  // The map has the person's edge 2 pixels too far left, and half of the matte's size.
  std::vector<int> map, person;
  for (int y = 0; y < 24; ++y)
    for (int x = 0; x < 32; ++x) map.push_back(x < 15 ? 51 : 204);
  for (int y = 0; y < 12; ++y)
    for (int x = 0; x < 16; ++x) person.push_back(x < 8 ? 0 : 255);
  const std::string depth_map =
      with_segments(tones_jpeg(map, 32, 2), xmp_segment(apple_packet(kRange + kDisparity)));
  const std::optional<Depth> depth = own(multi_picture(kPhoto, {matte(person, 16), depth_map}));
  ASSERT_TRUE(depth);
  const View<const float> view = depth->disparity.view();
  ASSERT_EQ(view.width, 64);
  EXPECT_TRUE(remarked(*depth, "portrait matte of 128 x 96", false));
  for (const std::int64_t x : {4, 28, 30, 31}) EXPECT_NEAR(view(x, 24), 0.9, 0.02) << x;
  for (const std::int64_t x : {32, 33, 40, 60}) EXPECT_NEAR(view(x, 24), 2.1, 0.02) << x;

  for (const auto& [tones, columns] : {std::pair{std::vector<int>(192, 0), 16},
                                       {std::vector<int>(192, 255), 16},
                                       {person, 8},
                                       {std::vector<int>{0, 255}, 1}}) {
    const std::optional<Depth> alone = own(multi_picture(kPhoto, {matte(tones, columns), depth_map}));
    ASSERT_TRUE(alone);
    EXPECT_FALSE(remarked(*alone, "matte", false)) << "it shows no edge, or is of another picture";
    EXPECT_NEAR(alone->disparity.view()(31, 24), 2.1, 0.02);
  }
  std::string broken = matte(person, 16);
  broken.replace(broken.find("\xff\xc0") + 5, 2, std::string(2, '\0'));
  EXPECT_TRUE(remarked(own(multi_picture(kPhoto, {broken, depth_map})).value(), "is ignored", false));
}

TEST_F(PhoneDepthTest, DamagedPortraitsAreReadOrRefused) {
  damage(multi_picture(kPhoto, {matte({0, 255, 0, 255}, 2), auxiliary(kRange + kDisparity)}), "damaged.jpg");
}

}  // namespace
}  // namespace scanlens::test
