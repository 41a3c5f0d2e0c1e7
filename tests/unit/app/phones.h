// JPEG files as phones write them, from the specifications: segments, XMP, multi-picture index; and what
// tests of them share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/depth/files/raw.h"
#include "app/io/codecs/codecs.h"
#include "tests/unit/support/depth.h"

namespace scanlens::test {

/// A grey JPEG in square blocks; `tones` are theirs, `columns` to a row.
inline std::string tones_jpeg(const std::vector<int>& tones, int columns, int block = 8) {
  const auto rows = static_cast<int>(tones.size()) / columns;
  Image<std::uint8_t> image(columns * block, rows * block);
  const View<std::uint8_t> view = image.view();
  for (std::int64_t y = 0; y < view.height; ++y)
    for (std::int64_t x = 0; x < view.width; ++x)
      view(x, y) =
          static_cast<std::uint8_t>(tones[static_cast<std::size_t>(y / block * columns + x / block)]);
  const Encoded file = encode_jpeg(view, 100, "test");
  return {static_cast<const char*>(file.memory.get()), file.size};
}

inline std::string segment(int marker, const std::string& content) {
  const auto length = static_cast<int>(content.size()) + 2;
  return bytes_of(0xff, marker, length >> 8, length & 255) + content;
}

inline std::string xmp_segment(const std::string& packet) {
  return segment(0xe1, "http://ns.adobe.com/xap/1.0/" + std::string(1, '\0') + packet);
}

/// Puts segments behind the first marker.
inline std::string with_segments(const std::string& jpeg, const std::string& segments) {
  return jpeg.substr(0, 2) + segments + jpeg.substr(2);
}

inline std::string rdf(const std::string& description) {
  return "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF "
         "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">" +
         description + "</rdf:RDF></x:xmpmeta>";
}

/// The XMP of a picture beside a portrait, with these further elements.
inline std::string apple_packet(const std::string& elements) {
  return rdf(
      "<rdf:Description rdf:about=\"\" xmlns:apdi=\"http://ns.apple.com/pixeldatainfo/1.0/\" "
      "xmlns:depthData=\"http://ns.apple.com/depthData/1.0/\">" +
      elements + "</rdf:Description>");
}

inline std::string element(const std::string& name, const std::string& value) {
  return "<" + name + ">" + value + "</" + name + ">";
}

/// The content of an MPF segment: pictures of these sizes and offsets from the beginning of the index.
inline std::string mpf_index(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pictures) {
  const auto count = static_cast<std::uint32_t>(pictures.size());
  const auto tag = [](int number, int type, std::uint32_t size, const std::string& value) {
    return bytes_of(number >> 8, number & 255, 0, type) + big_endian(size) + value;
  };
  std::string index = "MM" + bytes_of(0, 42) + big_endian(8) + bytes_of(0, 3) + tag(0xb000, 7, 4, "0100") +
                      tag(0xb001, 4, 1, big_endian(count)) + tag(0xb002, 7, 16 * count, big_endian(50)) +
                      big_endian(0);
  for (const auto& [size, offset] : pictures)
    index += big_endian(0x030000) + big_endian(size) + big_endian(offset) + big_endian(0);
  return index;
}

/// A photo and further pictures with an index of them; `head` are segments before it.
inline std::string multi_picture(const std::string& photo, const std::vector<std::string>& further,
                                 const std::string& head = "") {
  const auto with_index = [&](const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pictures) {
    return with_segments(photo, head + segment(0xe2, "MPF" + std::string(1, '\0') + mpf_index(pictures)));
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pictures(1 + further.size());
  const std::size_t primary = with_index(pictures).size(), index = 2 + head.size() + 8;
  pictures[0].first = static_cast<std::uint32_t>(primary);
  std::size_t at = primary;
  std::string behind;
  for (std::size_t i = 0; i < further.size(); ++i) {
    pictures[i + 1] = {static_cast<std::uint32_t>(further[i].size()), static_cast<std::uint32_t>(at - index)};
    at += further[i].size();
    behind += further[i];
  }
  return with_index(pictures) + behind;
}

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

inline const std::vector<int> kTones = {0, 51, 102, 255};
inline const std::string kPhoto = tones_jpeg({90, 120, 150, 180}, 2);

}  // namespace scanlens::test
