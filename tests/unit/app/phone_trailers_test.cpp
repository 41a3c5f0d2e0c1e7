// Depth that phones hide in ways that are not read: it is named, and nothing else is taken for it.
#include "tests/unit/app/phones.h"

namespace scanlens::test {
namespace {

class PhoneTrailersTest : public DepthTest {
 protected:
  std::string form_of(const std::string& bytes) {
    save(folder_ / "photo.jpg", bytes);
    const PhotoFile photo(folder_ / "photo.jpg", {});
    EXPECT_FALSE(photo.depth({}));
    return photo.unread_form();
  }
};

/// Samsung's trailer with one block of this type.
std::string samsung(unsigned type, std::uint32_t count = 1) {
  const std::string block =
      little_endian_16(0) + little_endian_16(type) + little_endian_32(4) + "Nameand data";
  const auto size = static_cast<std::uint32_t>(block.size());
  const std::string directory = "SEFH" + little_endian_32(107) + little_endian_32(count) +
                                little_endian_16(0) + little_endian_16(type) + little_endian_32(size) +
                                little_endian_32(size);
  return block + directory + little_endian_32(static_cast<std::uint32_t>(directory.size())) + "SEFT";
}

TEST_F(PhoneTrailersTest, SamsungsLiveFocusIsNamed) {
  EXPECT_NE(form_of(kPhoto + samsung(0x0ab1)).find("Live Focus"), std::string::npos);
  EXPECT_NE(form_of(kPhoto + samsung(0x0ab1, 0xffffffff)).find("Live Focus"), std::string::npos);
  EXPECT_EQ(form_of(kPhoto + samsung(0x0a01)), "") << "the time, in every photo";
  EXPECT_EQ(form_of(kPhoto + samsung(0x0ab1, 0)), "");
  std::string huge = kPhoto + samsung(0x0ab1);
  for (const std::uint32_t length : {0u, 4u, 0xffffffffu, 0x7fffffffu}) {
    huge.replace(huge.size() - 8, 4, little_endian_32(length));
    EXPECT_EQ(form_of(huge), "") << length;
  }
  EXPECT_EQ(form_of(kPhoto + "SEFT"), "");
}

TEST_F(PhoneTrailersTest, OtherFormsAreNamed) {
  const std::string edof = std::string(1, '\0') + "edof" + std::string(80, '\0');
  EXPECT_NE(form_of(kPhoto + edof).find("Huawei"), std::string::npos);
  EXPECT_EQ(form_of(with_segments(kPhoto, segment(0xfe, edof))), "") << "inside the picture it is chance";
  const auto packet = [](const std::string& space) {
    return with_segments(kPhoto, xmp_segment(rdf("<rdf:Description xmlns:a=\"" + space + "\"/>")));
  };
  EXPECT_NE(form_of(packet("http://ns.xdm.org/photos/1.0/depthmap/")).find("XDM"), std::string::npos);
  EXPECT_NE(form_of(packet("http://ns.mediatek.com/refocus/jpsconfig/")).find("MediaTek"), std::string::npos);
  EXPECT_EQ(form_of(kPhoto), "");
}

}  // namespace
}  // namespace scanlens::test
