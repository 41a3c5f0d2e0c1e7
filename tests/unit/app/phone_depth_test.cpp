// Depth that phones hide in JPEG photos: Apple's portraits and Dynamic Depth, files by the specifications.
#include <algorithm>
#include <random>
#include <span>

#include "app/depth/files/raw.h"
#include "tests/unit/app/phones.h"
#include "tests/unit/support/depth.h"

namespace scanlens::test {
namespace {

class PhoneDepthTest : public DepthTest {
 protected:
  std::optional<Depth> own(const std::string& bytes, const DepthOptions& options = {}) {
    save(folder_ / "photo.jpg", bytes);
    return PhotoFile(folder_ / "photo.jpg", {}).depth(options);
  }

  /// Compares the middle of each block of 8 x 8 pixels.
  void expect_blocks(const std::optional<Depth>& depth, const Floats& expected, double tolerance = 0.01) {
    ASSERT_TRUE(depth);
    const View<const float> view = depth->disparity.view();
    ASSERT_EQ(view.width * view.height, static_cast<std::int64_t>(64 * expected.size()));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i), columns = view.width / 8;
      EXPECT_NEAR(view(at % columns * 8 + 4, at / columns * 8 + 4), expected[i], tolerance) << i;
    }
  }
};

bool remarks(const Depth& depth, const std::string& part, bool warning) {
  return std::any_of(depth.remarks.begin(), depth.remarks.end(), [&](const Remark& remark) {
    return remark.warning == warning && remark.text.find(part) != std::string::npos;
  });
}

const std::vector<int> kTones = {0, 51, 102, 255};
const std::string kPhoto = tones_jpeg({90, 120, 150, 180}, 2);
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
    EXPECT_TRUE(remarks(*depth, "without a usable range", true)) << least << " " << most;
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
  EXPECT_TRUE(remarks(*depth, "portrait matte of 128 x 96", false));
  for (const std::int64_t x : {4, 28, 30, 31}) EXPECT_NEAR(view(x, 24), 0.9, 0.02) << x;
  for (const std::int64_t x : {32, 33, 40, 60}) EXPECT_NEAR(view(x, 24), 2.1, 0.02) << x;

  for (const auto& [tones, columns] : {std::pair{std::vector<int>(192, 0), 16},
                                       {std::vector<int>(192, 255), 16},
                                       {person, 8},
                                       {std::vector<int>{0, 255}, 1}}) {
    const std::optional<Depth> alone = own(multi_picture(kPhoto, {matte(tones, columns), depth_map}));
    ASSERT_TRUE(alone);
    EXPECT_FALSE(remarks(*alone, "matte", false)) << "it shows no edge, or is of another picture";
    EXPECT_NEAR(alone->disparity.view()(31, 24), 2.1, 0.02);
  }
  std::string broken = matte(person, 16);
  broken.replace(broken.find("\xff\xc0") + 5, 2, std::string(2, '\0'));
  EXPECT_TRUE(remarks(own(multi_picture(kPhoto, {broken, depth_map})).value(), "not heeded", false));
}

// Dynamic Depth.

struct DynamicDepth {
  std::string format = "RangeInverse", near = "0.5", far = "4", units = "Meters", more = "";
  std::vector<std::string> items = {tones_jpeg(kTones, 2)};
  std::vector<std::string> uris = {"android/depthmap"};
  std::string padding = "", between = "", behind = "";  ///< between: what the list leaves out
  std::string length = {};                              ///< of the last item, in place of its own
  bool resource = false;  ///< items as values with a type, as some cameras write them

  std::string packet() const {
    const auto item = [&](const std::string& size, const std::string& uri, const std::string& pad) {
      if (resource)
        return "<rdf:li rdf:parseType=\"Resource\"><rdf:value rdf:parseType=\"Resource\">" +
               element("Item:Mime", "image/jpeg") + element("Item:Length", size) +
               element("Item:DataURI", uri) + (pad.empty() ? "" : element("Item:Padding", pad)) +
               "</rdf:value><rdf:type>Item</rdf:type></rdf:li>";
      return "<rdf:li><Container:Item Item:Mime=\"image/jpeg\" Item:Length=\"" + size + "\" Item:DataURI=\"" +
             uri + "\"" + (pad.empty() ? "" : " Item:Padding=\"" + pad + "\"") + "/></rdf:li>";
    };
    std::string list = item("0", "primary_image", padding);
    for (std::size_t i = 0; i < items.size(); ++i)
      list += item(i + 1 == items.size() && !length.empty() ? length : std::to_string(items[i].size()),
                   uris[i], "");
    const std::string space = "=\"http://ns.google.com/photos/dd/1.0/";
    return rdf(
        "<rdf:Description rdf:about=\"\" xmlns:Device" + space + "device/\" xmlns:Container" + space +
        "container/\" xmlns:Item" + space + "item/\" xmlns:Camera" + space + "camera/\" xmlns:DepthMap" +
        space + "depthmap/\"><Device:Container><Container:Directory><rdf:Seq>" + list +
        "</rdf:Seq></Container:Directory></Device:Container><Device:Cameras><rdf:Seq><rdf:li><Device:Camera>"
        "<Camera:DepthMap DepthMap:ItemSemantic=\"Depth\" DepthMap:Format=\"" +
        format + "\" DepthMap:Near=\"" + near + "\" DepthMap:Far=\"" + far + "\" DepthMap:Units=\"" + units +
        "\" DepthMap:DepthURI=\"android/depthmap\" " + more +
        "/></Device:Camera></rdf:li></rdf:Seq></Device:Cameras></rdf:Description>");
  }

  std::string file(const std::string& photo = kPhoto) const {
    std::string bytes = with_segments(photo, xmp_segment(packet())) +
                        std::string(padding.empty() ? 0 : std::stoul(padding), '\0') + between;
    for (const std::string& one : items) bytes += one;
    return bytes + behind;
  }
};

const Floats kInverse = {2, 1.65f, 1.3f, 0.25f};

TEST_F(PhoneDepthTest, DynamicDepthOfEveryFormatAndUnit) {
  expect_blocks(own(DynamicDepth{}.file()), kInverse);
  EXPECT_TRUE(own(DynamicDepth{}.file())->metric);
  expect_blocks(own(DynamicDepth{.resource = true}.file()), kInverse);
  expect_blocks(own(DynamicDepth{.format = "rangelinear", .units = "meters"}.file()),
                {2, 1 / 1.2f, 1 / 1.9f, 0.25f});
  expect_blocks(
      own(DynamicDepth{.format = "RangeLinear", .near = "2", .far = "0.25", .units = "Diopters"}.file()),
      kInverse);
  expect_blocks(
      own(DynamicDepth{.format = "RangeLinear", .near = "2", .far = "0", .units = "Diopters"}.file()),
      {2, 1.6f, 1.2f, 0});
  const std::optional<Depth> diopters =
      own(DynamicDepth{.near = "2", .far = "0.25", .units = "Diopters"}.file());
  expect_blocks(diopters, {2, 1 / 1.2f, 1 / 1.9f, 0.25f});
  EXPECT_TRUE(diopters->metric);
  const std::optional<Depth> relative = own(DynamicDepth{.units = "None"}.file());
  expect_blocks(relative, {1, 0.8f, 0.6f, 0});
  EXPECT_FALSE(relative->metric);
}

TEST_F(PhoneDepthTest, DynamicDepthWhereverItsItemLies) {
  const std::string confidence = tones_jpeg({255, 255, 0, 255}, 2),
                    original = tones_jpeg({1, 2, 3, 4, 5, 6}, 2);
  const DynamicDepth all{.items = {original, tones_jpeg(kTones, 2), confidence},
                         .uris = {"android/original_image", "android/depthmap", "android/confidencemap"},
                         .padding = "33"};
  expect_blocks(own(all.file()), kInverse);
  DynamicDepth hidden = all;
  hidden.between = gain_map();
  expect_blocks(own(hidden.file()), kInverse);
  hidden.behind = "SEFH and so on";
  expect_blocks(own(hidden.file()), kInverse);
  const std::string png = png_file({2, 1, 16, 0, wide({0, 65535}), ""});
  const std::optional<Depth> precise = own(DynamicDepth{.items = {png}}.file());
  ASSERT_TRUE(precise);
  expect_near(*precise, {2, 0.25f});
}

TEST_F(PhoneDepthTest, ConfidenceOfNoneIsUnknown) {
  const DynamicDepth all{.more = "DepthMap:ConfidenceURI=\"android/confidencemap\"",
                         .items = {tones_jpeg(kTones, 2), tones_jpeg({255, 255, 0, 9}, 2)},
                         .uris = {"android/depthmap", "android/confidencemap"}};
  const std::optional<Depth> depth = own(all.file());
  ASSERT_TRUE(depth);
  EXPECT_EQ(depth->unknown, 64);
  EXPECT_TRUE(remarks(*depth, "64 pixels without confidence", false));
  for (const std::string& useless :
       {tones_jpeg({0, 0, 0, 0}, 2), tones_jpeg({0, 255}, 2), std::string("none")}) {
    DynamicDepth other = all;
    other.items[1] = useless;
    const std::optional<Depth> whole = own(other.file());
    expect_blocks(whole, kInverse);
    EXPECT_TRUE(remarks(*whole, "not heeded", false));
  }
}

TEST_F(PhoneDepthTest, DynamicDepthInExtendedXmp) {
  const std::string guid(32, 'A'), packet = DynamicDepth{}.packet();
  const auto part = [&](std::size_t at, std::size_t count) {
    return segment(0xe1, "http://ns.adobe.com/xmp/extension/" + std::string(1, '\0') + guid +
                             big_endian(static_cast<std::uint32_t>(packet.size())) +
                             big_endian(static_cast<std::uint32_t>(at)) + packet.substr(at, count));
  };
  const std::string note =
      xmp_segment(rdf("<rdf:Description xmlns:xmpNote=\"http://ns.adobe.com/xmp/note/\" "
                      "xmpNote:HasExtendedXMP=\"" +
                      guid + "\"/>"));
  const std::string map = tones_jpeg(kTones, 2);
  expect_blocks(own(with_segments(kPhoto, note + part(0, 300) + part(300, packet.size())) + map), kInverse);
  EXPECT_FALSE(own(with_segments(kPhoto, note + part(0, 300)) + map))
      << "broken, and it may be about anything";
}

TEST_F(PhoneDepthTest, BadDynamicDepthIsRefused) {
  const auto bad = [&](const DynamicDepth& depth, const std::string& part) {
    refused([&] { own(depth.file()); }, part);
  };
  for (const char* length : {"0", "-1", "99999999999999999999", "18446744073709551615", "4294967296", "x"})
    bad({.length = length}, "is missing: the file was cut off");
  bad({.uris = {"android/other"}}, "is missing");
  bad({.items = {"no picture at all"}}, "is missing");
  bad({.format = "RangeOdd"}, "the Dynamic Depth format 'RangeOdd'");
  bad({.near = "4"}, "has no range");
  bad({.near = "nan"}, "has no range");
  bad({.near = "0"}, "has no range");
  bad({.far = "0", .units = "Diopters"}, "has no range");
  bad({.items = {"\xff\xd8\xff"}}, "depth map inside: ");
  EXPECT_FALSE(own(DynamicDepth{.format = ""}.file())) << "an announcement without any map";
}

TEST_F(PhoneDepthTest, AGainMapIsNoDepth) {
  const std::string directory =
      rdf("<rdf:Description xmlns:Container=\"http://ns.google.com/photos/1.0/container/\" "
          "xmlns:Item=\"http://ns.google.com/photos/1.0/container/item/\" "
          "xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\" "
          "hdrgm:Version=\"1.0\"><Container:Directory><rdf:Seq>"
          "<rdf:li rdf:parseType=\"Resource\"><Container:Item Item:Semantic=\"Primary\" "
          "Item:Mime=\"image/jpeg\"/>"
          "</rdf:li><rdf:li rdf:parseType=\"Resource\"><Container:Item Item:Semantic=\"GainMap\" "
          "Item:Mime=\"image/jpeg\" Item:Length=\"" +
          std::to_string(kPhoto.size()) + "\"/></rdf:li></rdf:Seq></Container:Directory></rdf:Description>");
  const std::string bytes = multi_picture(kPhoto, {kPhoto}, xmp_segment(directory));
  EXPECT_FALSE(own(bytes));
  EXPECT_EQ(PhotoFile(folder_ / "photo.jpg", {}).unread_form(), "");
}

TEST_F(PhoneDepthTest, DamagedPhotosAreReadOrRefused) {
  const auto outcome = [](const std::string& bytes) {
    try {
      read_raw({"damaged", std::as_bytes(std::span(bytes)), {1 << 16, 1 << 22}}, "damaged.jpg");
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()), "");
    }
  };
  std::mt19937 random(41);
  for (const std::string& whole :
       {multi_picture(kPhoto, {matte({0, 255, 0, 255}, 2), auxiliary(kRange + kDisparity)}),
        DynamicDepth{}.file()}) {
    for (std::size_t i = 1; i < 60; ++i) outcome(whole.substr(0, whole.size() * i / 60));
    for (int i = 0; i < 300; ++i) {
      std::string bytes = whole;
      for (int flips = 0; flips < 1 + i % 4; ++flips)
        bytes[random() % bytes.size()] = static_cast<char>(random());
      outcome(bytes);
    }
  }
}

}  // namespace
}  // namespace scanlens::test
