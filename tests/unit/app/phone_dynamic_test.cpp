// Depth behind a JPEG photo by Dynamic Depth; gain maps that look like it.
#include "tests/unit/app/damage.h"
#include "tests/unit/app/phones.h"

namespace scanlens::test {
namespace {

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
  hidden.between = kPhoto;
  expect_blocks(own(hidden.file()), kInverse);
  hidden.behind = "SEFH and so on";
  expect_blocks(own(hidden.file()), kInverse);
  const std::string png = png_file({2, 1, 16, 0, wide({0, 65535}), ""});
  const std::optional<Depth> precise = own(DynamicDepth{.items = {png}}.file());
  ASSERT_TRUE(precise);
  expect_near(*precise, {2, 0.25f});
  const std::optional<Depth> padded =
      own(DynamicDepth{.items = {png}, .padding = "33", .behind = "SEFH and so on"}.file());
  ASSERT_TRUE(padded) << "neither from the end nor by its length, but where the list says";
  expect_near(*padded, {2, 0.25f});
}

TEST_F(PhoneDepthTest, ConfidenceOfNoneIsUnknown) {
  const DynamicDepth all{.more = "DepthMap:ConfidenceURI=\"android/confidencemap\"",
                         .items = {tones_jpeg(kTones, 2), tones_jpeg({255, 255, 0, 9}, 2)},
                         .uris = {"android/depthmap", "android/confidencemap"}};
  const std::optional<Depth> depth = own(all.file());
  ASSERT_TRUE(depth);
  EXPECT_EQ(depth->unknown, 64);
  EXPECT_TRUE(remarked(*depth, "64 pixels without confidence", false));
  for (const std::string& useless :
       {tones_jpeg({0, 0, 0, 0}, 2), tones_jpeg({0, 255}, 2), std::string("none")}) {
    DynamicDepth other = all;
    other.items[1] = useless;
    const std::optional<Depth> whole = own(other.file());
    expect_blocks(whole, kInverse);
    EXPECT_TRUE(remarked(*whole, "is ignored", false));
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

TEST_F(PhoneDepthTest, DamagedDynamicDepthIsReadOrRefused) {
  damage(DynamicDepth{}.file(), "damaged.jpg");
}

}  // namespace
}  // namespace scanlens::test
