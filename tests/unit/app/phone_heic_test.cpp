// Apple's XMP about the depth image of a HEIC, and its portrait matte: items put into a file by its
// boxes.
#include <algorithm>
#include <functional>
#include <utility>

#include "tests/unit/app/phones.h"

namespace scanlens::test {
namespace {

std::uint32_t number(const std::string& bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

std::string short_number(unsigned value) {
  return bytes_of(value >> 8, value & 255);
}

std::string box(const std::string& kind, const std::string& content) {
  return big_endian(static_cast<std::uint32_t>(content.size()) + 8) + kind + content;
}

/// Replaces the content of the first box of this kind, and corrects the lengths of the boxes around it.
void change(std::string& file, const std::vector<std::string>& path,
            const std::function<std::string(const std::string&)>& changed) {
  std::vector<std::size_t> around;
  std::size_t at = 0;
  for (const std::string& kind : path) {
    at = file.find(kind, at) - 4;
    around.push_back(at);
  }
  const std::size_t length = number(file, at, 4);
  const std::string whole = box(path.back(), changed(file.substr(at + 8, length - 8)));
  file.replace(at, length, whole);
  around.pop_back();
  for (const std::size_t outer : around)
    file.replace(outer, 4,
                 big_endian(number(file, outer, 4) + static_cast<std::uint32_t>(whole.size() - length)));
}

/// A file with one extent to an item and tables of the sizes that heif-enc writes, to which items are added.
class HeicFile {
 public:
  explicit HeicFile(std::string file) : file_(std::move(file)), before_(file_.find("mdat")) {}

  /// Adds XMP about a picture. Call it last: its data goes to the file's end.
  void add_xmp(unsigned id, unsigned of, const std::string& packet) {
    add_entry(id, "mime", "application/rdf+xml" + std::string(2, '\0'));
    add_reference("cdsc", id, of);
    move_items();
    add_place(id, bytes_of(0, 0) + big_endian(static_cast<std::uint32_t>(file_.size() + kPlace)) +
                      short_number(1) + big_endian(0) +
                      big_endian(static_cast<std::uint32_t>(packet.size())));
    move_items();
    file_ += packet;
  }

  /// Adds a portrait matte of the first picture, with the data of the second and these of its properties.
  void add_matte(unsigned id, const std::string& properties) {
    add_entry(id, "hvc1", "");
    add_reference("auxl", id, 1);
    add_place(id, file_.substr(places() + 8 + kPlace + 2, kPlace - 2));
    change(file_, {"meta", "iprp", "ipco"}, [](const std::string& old) {
      return old + box("auxC", std::string(4, '\0') + "urn:com:apple:photo:2018:aux:portraiteffectsmatte" +
                                   std::string(1, '\0'));
    });
    change(file_, {"meta", "iprp", "ipma"}, [&](const std::string& old) {
      return old.substr(0, 4) + big_endian(number(old, 4, 4) + 1) + old.substr(8) + short_number(id) +
             bytes_of(static_cast<int>(properties.size())) + properties;
    });
    move_items();
  }

  const std::string& bytes() const { return file_; }

 private:
  static constexpr std::size_t kPlace = 18;

  std::size_t places() const { return file_.find("iloc") + 4; }

  void add_entry(unsigned id, const std::string& kind, const std::string& more) {
    change(file_, {"meta", "iinf"}, [&](const std::string& old) {
      return old.substr(0, 4) + short_number(number(old, 4, 2) + 1) + old.substr(6) +
             box("infe", bytes_of(2, 0, 0, 0) + short_number(id) + short_number(0) + kind +
                             std::string(1, '\0') + more);
    });
  }

  void add_reference(const std::string& kind, unsigned from, unsigned to) {
    change(file_, {"meta", "iref"}, [&](const std::string& old) {
      return old + box(kind, short_number(from) + short_number(1) + short_number(to));
    });
  }

  void add_place(unsigned id, const std::string& place) {
    change(file_, {"meta", "iloc"}, [&](const std::string& old) {
      return old.substr(0, 6) + short_number(number(old, 6, 2) + 1) + old.substr(8) + short_number(id) +
             place;
    });
  }

  /// Corrects where the items lie, now that the data stand further behind.
  void move_items() {
    const auto moved = static_cast<std::uint32_t>(file_.find("mdat") - before_);
    const std::size_t count = number(file_, places() + 6, 2);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t base = places() + 8 + i * kPlace + 4;
      const std::uint32_t place = number(file_, base, 4);
      if (place < file_.size()) file_.replace(base, 4, big_endian(place + moved));
    }
    before_ += moved;
  }

  std::string file_;
  std::size_t before_;  ///< where the data stood when the places were right
};

class PhoneHeicTest : public DepthTest {
 protected:
  void SetUp() override {
    const fs::path path = fs::path(SCANLENS_TEST_FILES) / "depth/disparity.heic";
    if (!fs::exists(path)) GTEST_SKIP() << path << " is not on this machine";
    file_ = load(path);
  }

  Depth with_xmp(const std::string& elements) {
    HeicFile file(file_);
    file.add_xmp(3, 2, apple_packet(elements));
    return read("photo.heic", file.bytes());
  }

  std::string file_;  ///< bars of 40, 100, 160 and 220 of 255, a disparity from 0.25 to 2.8
};

const std::string kDisparity = element("apdi:AuxiliaryImageType", "disparity") +
                               element("apdi:FloatMinValue", "1") + element("apdi:FloatMaxValue", "3.55");

TEST_F(PhoneHeicTest, XmpGoesBeforeTheRepresentationInfo) {
  const Depth relative = with_xmp(kDisparity + element("depthData:Accuracy", "relative"));
  EXPECT_FALSE(relative.metric) << relative.convention;
  EXPECT_NEAR(relative.disparity.view()(8, 8), 40 / 255.0, 1e-4);
  const Depth metric = with_xmp(kDisparity + element("depthData:Accuracy", "absolute"));
  EXPECT_TRUE(metric.metric) << metric.convention;
  EXPECT_NEAR(metric.disparity.view()(8, 8), 1.4, 1e-4);
  const Depth rangeless = with_xmp(element("apdi:AuxiliaryImageType", "disparity"));
  EXPECT_NEAR(rangeless.disparity.view()(8, 8), 0.25 + 40 / 255.0 * 2.55, 1e-4) << "the representation info";
}

TEST_F(PhoneHeicTest, AMatteThatShowsNoPersonMovesNothing) {
  for (const bool sound : {true, false}) {
    HeicFile file(file_);
    file.add_matte(3, sound ? bytes_of(0x84, 5, 6, 8) : bytes_of(0x81, 5, 6, 8));
    const Depth depth = read("photo.heic", file.bytes());
    EXPECT_EQ(depth.disparity.width(), 64);
    EXPECT_NEAR(depth.disparity.view()(8, 8), 0.25 + 40 / 255.0 * 2.55, 1e-4);
    const bool is_left = std::any_of(depth.remarks.begin(), depth.remarks.end(), [](const Remark& remark) {
      return remark.text.find("portrait matte cannot be read") != std::string::npos;
    });
    EXPECT_EQ(is_left, !sound) << "with the configuration of another picture";
  }
}

}  // namespace
}  // namespace scanlens::test
